// SPDX-License-Identifier: Apache-2.0
// What does one check of the catalogue claim?
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>

#include "invariants/catalog_read.h"

namespace assay::detail {
namespace {

std::vector<std::string> read_paths(const JsonNode& node, std::size_t at_least) {
  std::vector<std::string> paths;
  for (const JsonNode& item : node.items()) paths.push_back(read_path(item));
  if (paths.size() < at_least) {
    node.fail("has " + std::to_string(paths.size()) + " paths, want at least " +
              std::to_string(at_least));
  }
  return paths;
}

Band read_band(const JsonNode& node, std::size_t nominals) {
  node.reject_unknown_keys({"cc", "names", "not_names", "low", "high", "nominal"});
  Band band;
  if (const auto cc = node.find("cc")) band.cc = read_ccs(*cc);
  if (const auto names = node.find("names")) band.names = read_names(*names);
  if (const auto names = node.find("not_names")) band.not_names = read_names(*names);
  if (const auto low = node.find("low")) band.low = read_positive(*low);
  if (const auto high = node.find("high")) band.high = read_positive(*high);
  if (!band.low && !band.high) node.fail("has neither \"low\" nor \"high\"; a band needs one");
  if (band.low && band.high && !(*band.low < *band.high))
    node.fail("\"low\" is not below \"high\"");
  if (const auto nominal = node.find("nominal")) {
    for (const JsonNode& item : nominal->items()) band.nominal.push_back(read_positive(item));
    if (band.nominal.size() != nominals) {
      nominal->fail("has " + std::to_string(band.nominal.size()) + " numbers, want one per path (" +
                    std::to_string(nominals) + "); only the kind \"range\" has nominals");
    }
  }
  return band;
}

std::vector<Band> read_bands(const JsonNode& node, std::size_t nominals) {
  std::vector<Band> bands;
  for (const JsonNode& item : node.items()) bands.push_back(read_band(item, nominals));
  if (bands.empty()) node.fail("is empty, want at least one band");
  return bands;
}

Term read_term(const JsonNode& node) {
  node.reject_unknown_keys({"over", "under", "times"});
  Term term;
  term.over = read_paths(node.at("over"), 1);
  term.under = read_paths(node.at("under"), 1);
  if (const auto times = node.find("times")) term.times = read_positive(*times);
  return term;
}

Equality read_equality(const JsonNode& node) {
  node.reject_unknown_keys({"path", "value", "fact"});
  Equality pair;
  pair.path = read_path(node.at("path"));
  const auto value = node.find("value");
  const auto fact = node.find("fact");
  if (value.has_value() == fact.has_value()) node.fail("needs one of \"value\" and \"fact\"");
  if (value) {
    pair.flag = value->kind() == JsonKind::boolean;
    pair.value = pair.flag ? static_cast<std::int64_t>(value->boolean()) : value->integer();
  }
  if (fact) pair.fact = read_path(*fact);
  return pair;
}

void read_descending(const JsonNode& node, Check& check) {
  node.reject_unknown_keys({"kind", "paths", "margins"});
  check.paths = read_paths(node.at("paths"), 2);
  for (const JsonNode& item : node.at("margins").items()) {
    check.margins.push_back(read_positive(item));
  }
  if (check.margins.size() + 1 != check.paths.size()) {
    node.at("margins").fail("wants one number per step, that is one less than \"paths\"");
  }
}

void read_ratio(const JsonNode& node, Check& check) {
  node.reject_unknown_keys({"kind", "terms", "bands"});
  for (const JsonNode& item : node.at("terms").items()) check.terms.push_back(read_term(item));
  if (check.terms.empty()) node.at("terms").fail("is empty, want at least one term");
  check.bands = read_bands(node.at("bands"), 0);
}

void read_ceiling(const JsonNode& node, Check& check) {
  node.reject_unknown_keys({"kind", "paths", "ceiling", "tolerance"});
  check.paths = read_paths(node.at("paths"), 1);
  check.ceiling = read_path(node.at("ceiling"));
  check.tolerance = read_positive(node.at("tolerance"));
}

void read_curve(const JsonNode& node, Check& check) {
  node.reject_unknown_keys({"kind", "paths", "slack", "min_gain"});
  check.paths = read_paths(node.at("paths"), 2);
  check.slack = node.at("slack").number();
  if (!(check.slack >= 0.0 && check.slack < 1.0)) node.at("slack").fail("want 0 <= slack < 1");
  check.min_gain = read_positive(node.at("min_gain"));
}

void read_members(const JsonNode& node, Check& check) {
  switch (check.kind) {
    case CheckKind::descending:
      return read_descending(node, check);
    case CheckKind::ratio:
      return read_ratio(node, check);
    case CheckKind::ceiling:
      return read_ceiling(node, check);
    case CheckKind::curve:
      return read_curve(node, check);
    case CheckKind::range:
      node.reject_unknown_keys({"kind", "paths", "bands"});
      check.paths = read_paths(node.at("paths"), 1);
      check.bands = read_bands(node.at("bands"), check.paths.size());
      return;
    case CheckKind::agree:
      node.reject_unknown_keys({"kind", "paths", "rel"});
      check.paths = read_paths(node.at("paths"), 2);
      check.rel = read_positive(node.at("rel"));
      return;
    case CheckKind::equals:
      node.reject_unknown_keys({"kind", "pairs"});
      for (const JsonNode& item : node.at("pairs").items()) {
        check.equalities.push_back(read_equality(item));
      }
      if (check.equalities.empty()) node.at("pairs").fail("is empty, want at least one pair");
      return;
    case CheckKind::drift:
      node.reject_unknown_keys({"kind", "entry"});
      if (const auto entry = node.find("entry")) check.entry = entry->text();
      return;
  }
}

}  // namespace

std::string read_path(const JsonNode& node) {
  const std::string& path = node.text();
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '>';
  };
  // ".*" at the end stands for every pair of a matrix (rows.h).
  const std::size_t length = path.ends_with(".*") ? path.size() - 2 : path.size();
  const bool plain =
      length > 0 &&
      std::all_of(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(length), allowed);
  if (!plain || path.front() == '.' || path.back() == '.') {
    node.fail("is \"" + path + "\", want a path such as latency.l2");
  }
  return path;
}

double read_positive(const JsonNode& node) {
  const double number = node.number();
  if (!(number > 0.0)) node.fail("is not above zero");
  return number;
}

std::vector<std::string> read_names(const JsonNode& node) {
  std::vector<std::string> names;
  for (const JsonNode& item : node.items()) names.push_back(item.text());
  if (names.empty()) node.fail("is empty; leave the key out instead");
  return names;
}

std::vector<std::string> read_ccs(const JsonNode& node) {
  std::vector<std::string> names = read_names(node);
  for (const std::string& cc : names) {
    const std::size_t dot = cc.find('.');
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const bool good = dot != std::string::npos && dot > 0 && dot + 2 == cc.size() &&
                      std::all_of(cc.begin(), cc.begin() + static_cast<long>(dot), digit) &&
                      digit(cc.back());
    if (!good) node.fail("has \"" + cc + "\", want compute capabilities such as \"9.0\"");
  }
  return names;
}

Check read_check(const JsonNode& node) {
  const JsonNode kind = node.at("kind");
  const auto known = check_kind_from(kind.string());
  if (!known) {
    kind.fail("is \"" + kind.string() +
              "\", want one of descending, ratio, range, ceiling, equals, curve, agree, drift");
  }
  Check check;
  check.kind = *known;
  read_members(node, check);
  return check;
}

}  // namespace assay::detail
