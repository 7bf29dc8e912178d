// SPDX-License-Identifier: Apache-2.0
// Which invariant, which probe, which product does a name mean?
#include "invariants/catalog.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace assay {
namespace {

constexpr std::array<std::pair<CheckKind, std::string_view>, 8> kKinds = {{
    {CheckKind::descending, "descending"},
    {CheckKind::ratio, "ratio"},
    {CheckKind::range, "range"},
    {CheckKind::ceiling, "ceiling"},
    {CheckKind::equals, "equals"},
    {CheckKind::curve, "curve"},
    {CheckKind::agree, "agree"},
    {CheckKind::drift, "drift"},
}};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// `pattern` is an exact path, or has one '*' that stands for at least one character.
bool path_matches(std::string_view path, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return path == pattern;
  return path.size() >= pattern.size() && path.starts_with(pattern.substr(0, star)) &&
         path.ends_with(pattern.substr(star + 1));
}

void add_once(std::vector<std::string>& paths, const std::string& path) {
  if (path.empty()) return;
  if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
}

}  // namespace

std::string_view to_string(CheckKind kind) {
  for (const auto& [value, name] : kKinds) {
    if (value == kind) return name;
  }
  return "";
}

std::optional<CheckKind> check_kind_from(std::string_view name) {
  for (const auto& [value, known] : kKinds) {
    if (known == name) return value;
  }
  return std::nullopt;
}

bool name_matches(std::string_view product, std::string_view pattern) {
  const bool open_end = pattern.ends_with('*');
  if (open_end) pattern.remove_suffix(1);
  if (pattern.empty()) return false;
  for (std::size_t at = product.find(pattern); at != std::string_view::npos;
       at = product.find(pattern, at + 1)) {
    const std::size_t end = at + pattern.size();
    const bool starts = at == 0 || !is_word(product[at - 1]);
    const bool ends = open_end || end == product.size() || !is_word(product[end]);
    if (starts && ends) return true;
  }
  return false;
}

const Invariant* Catalog::find(std::string_view id) const {
  for (const Invariant& invariant : invariants) {
    if (invariant.id == id) return &invariant;
  }
  return nullptr;
}

std::string Catalog::probe_of(std::string_view path) const {
  for (const auto& [probe, patterns] : facts) {
    for (const std::string& pattern : patterns) {
      if (path_matches(path, pattern)) return probe;
    }
  }
  return {};
}

std::optional<Unit> Catalog::unit_of(std::string_view path) const {
  std::optional<Unit> unit;
  std::size_t longest = 0;
  if (path.empty()) return unit;
  for (const auto& [pattern, of] : units) {
    // Asked for each fact of ten thousand dossiers: most patterns differ in their first letter.
    if (pattern.front() != path.front() && pattern.front() != '*') continue;
    if (pattern.size() > longest && path_matches(path, pattern)) {
      unit = of;
      longest = pattern.size();
    }
  }
  return unit;
}

bool Catalog::is_measured_at(Level level, std::string_view path) const {
  return level == Level::full ||
         std::none_of(full_only.begin(), full_only.end(),
                      [path](const std::string& pattern) { return path_matches(path, pattern); });
}

std::vector<std::string> paths_of(const Check& check) {
  std::vector<std::string> paths;
  for (const std::string& path : check.paths) add_once(paths, path);
  for (const Term& term : check.terms) {
    for (const std::string& path : term.over) add_once(paths, path);
    for (const std::string& path : term.under) add_once(paths, path);
  }
  add_once(paths, check.ceiling);
  for (const Equality& pair : check.equalities) {
    add_once(paths, pair.path);
    add_once(paths, pair.fact);
  }
  return paths;
}

}  // namespace assay
