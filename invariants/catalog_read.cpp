// SPDX-License-Identifier: Apache-2.0
// What does catalog.json say, and may it say that?
#include "invariants/catalog_read.h"

#include <algorithm>
#include <set>

#include "dossiers/dossier.h"
#include "dossiers/json/document.h"

namespace assay {
namespace {

std::string read_id(const JsonNode& node) {
  const std::string& id = node.text();
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  const bool dotted = id.find('.') != std::string::npos && id.front() != '.' && id.back() != '.' &&
                      id.find("..") == std::string::npos;
  if (!dotted || !std::all_of(id.begin(), id.end(), allowed)) {
    node.fail("is \"" + id + "\", want dotted lower case such as latency.order");
  }
  return id;
}

Applies read_applies(const JsonNode& node) {
  node.reject_unknown_keys({"min_cc", "cc", "has", "not_names"});
  Applies applies;
  constexpr int kLowest = 10;
  constexpr int kHighest = 9999;
  if (const auto min_cc = node.find("min_cc")) {
    applies.min_cc = static_cast<int>(min_cc->integer(kLowest, kHighest));
  }
  if (const auto cc = node.find("cc")) applies.cc = detail::read_ccs(*cc);
  if (const auto names = node.find("not_names")) applies.not_names = detail::read_names(*names);
  if (const auto has = node.find("has")) {
    applies.has = detail::read_names(*has);
    for (const std::string& feature : applies.has) {
      if (feature != "tensor_cores" && feature != "full_device" && feature != "ecc") {
        has->fail("has \"" + feature + "\", want tensor_cores, full_device or ecc");
      }
    }
  }
  return applies;
}

std::map<std::string, std::vector<std::string>> read_facts(const JsonNode& node) {
  std::map<std::string, std::vector<std::string>> facts;
  for (const auto& [probe, patterns] : node.members()) {
    facts[probe] = detail::read_names(patterns);
  }
  if (facts.empty()) node.fail("is empty, want the path patterns of each probe");
  return facts;
}

/// "GB/s": [patterns]: which unit the facts of each path have.
std::map<std::string, Unit> read_units(const JsonNode& node) {
  std::map<std::string, Unit> units;
  for (const auto& [name, patterns] : node.members()) {
    const auto unit = unit_from(name);
    if (!unit) patterns.fail("\"" + name + "\" is no known unit");
    for (const JsonNode& item : patterns.items()) {
      if (!units.emplace(item.text(), *unit).second) item.fail("has two units");
    }
  }
  if (units.empty()) node.fail("is empty, want the path patterns of each unit");
  return units;
}

std::string unlisted_probe(const std::string& probe, const std::string& path) {
  return "lacks \"" + probe + "\", which yields " + path;
}

void check_probes(const JsonNode& node, const Catalog& catalog, const Invariant& invariant) {
  for (const std::string& probe : invariant.probes) {
    if (!catalog.facts.contains(probe)) {
      node.at("probes").fail("has \"" + probe + "\", which is no probe of \"facts\"");
    }
  }
  for (const std::string& path : paths_of(invariant.check)) {
    const std::string probe = catalog.probe_of(path);
    if (probe.empty()) node.at("check").fail("reads " + path + ", which no probe yields");
    if (std::find(invariant.probes.begin(), invariant.probes.end(), probe) ==
        invariant.probes.end()) {
      node.at("probes").fail(unlisted_probe(probe, path));
    }
  }
}

void check_edits(const JsonNode& node, const Catalog& catalog, const Invariant& invariant) {
  for (const Break& mutant : invariant.breaks) {
    const Edit& edit = mutant.edit;
    if (edit.kind == EditKind::contended) {
      if (!catalog.facts.contains(edit.path)) {
        node.fail("\"" + mutant.name + "\" names " + edit.path +
                  ", which is no probe of \"facts\"");
      }
      continue;
    }
    std::vector<std::string> paths = {edit.path, edit.other};
    if (edit.kind == EditKind::set) {
      for (const auto& [path, value] : edit.to) paths.push_back(path);
    }
    for (const std::string& path : paths) {
      if (!path.empty() && catalog.probe_of(path).empty()) {
        node.fail("\"" + mutant.name + "\" edits " + path + ", which no probe yields");
      }
    }
  }
}

/// A family of drift is an entry of the dossier: some probe yields it, and each that does is asked
/// for.
void check_entry(const JsonNode& node, const Catalog& catalog, const Invariant& invariant) {
  const std::string& entry = invariant.check.entry;
  if (entry.empty()) return;
  std::set<std::string> yielding;
  for (const auto& [probe, patterns] : catalog.facts) {
    for (const std::string& pattern : patterns) {
      if (pattern.substr(0, pattern.find('.')) == entry) yielding.insert(probe);
    }
  }
  if (yielding.empty()) node.at("check").fail("names " + entry + ", which no probe yields");
  const std::set<std::string> listed(invariant.probes.begin(), invariant.probes.end());
  for (const std::string& probe : yielding) {
    if (!listed.contains(probe)) node.at("probes").fail(unlisted_probe(probe, entry));
  }
}

Invariant read_invariant(const JsonNode& node, const Catalog& catalog) {
  node.reject_unknown_keys({"id", "title", "why", "catches", "usually", "next", "close_because",
                            "probes", "check", "max_spread", "applies", "breaks"});
  Invariant invariant;
  invariant.id = read_id(node.at("id"));
  if (catalog.find(invariant.id) != nullptr) node.at("id").fail("is there twice");
  invariant.title = node.at("title").text();
  invariant.why = node.at("why").text();
  invariant.catches = node.at("catches").text();
  invariant.usually = node.at("usually").text();
  invariant.next = node.at("next").text();
  if (const auto close = node.find("close_because")) invariant.close_because = close->text();
  invariant.probes = detail::read_names(node.at("probes"));
  invariant.check = detail::read_check(node.at("check"));
  if (invariant.check.kind == CheckKind::equals) invariant.max_spread.reset();
  if (const auto spread = node.find("max_spread")) {
    invariant.max_spread.reset();
    if (!spread->is_null()) invariant.max_spread = detail::read_positive(*spread);
  }
  if (const auto applies = node.find("applies")) invariant.applies = read_applies(*applies);
  const auto breaks = node.find("breaks");
  if (!breaks)
    node.fail("\"" + invariant.id + "\" has no \"breaks\"; list the edits that break it");
  invariant.breaks = detail::read_breaks(*breaks, invariant.check);
  check_probes(node, catalog, invariant);
  check_entry(node, catalog, invariant);
  check_edits(*breaks, catalog, invariant);
  return invariant;
}

}  // namespace

Catalog load_catalog(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  const JsonNode document = parse_json(text, file.string());
  check_schema(document, "catalog");
  document.reject_unknown_keys(
      {"schema", "kind", "version", "facts", "units", "full_only", "invariants"});
  Catalog catalog;
  catalog.version = document.at("version").text();
  catalog.sha256 = sha256_hex(text);
  catalog.facts = read_facts(document.at("facts"));
  catalog.units = read_units(document.at("units"));
  if (const auto full_only = document.find("full_only")) {
    catalog.full_only = detail::read_names(*full_only);
  }
  const JsonNode invariants = document.at("invariants");
  for (const JsonNode& item : invariants.items()) {
    catalog.invariants.push_back(read_invariant(item, catalog));
  }
  if (catalog.invariants.empty()) invariants.fail("is empty, want at least one invariant");
  catalog.judging_sha256 = judging_digest(text);
  return catalog;
}

}  // namespace assay
