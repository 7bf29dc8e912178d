// SPDX-License-Identifier: Apache-2.0
// What does a check claim that speaks of every pair of a matrix?
#include "invariants/rows.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay {
namespace {

constexpr std::string_view kEveryPair = ".*";

bool is_row(const std::string& path) {
  return path.ends_with(kEveryPair);
}

/// "peer_read.*" for the pair "0>1": "peer_read.0>1".
std::string at_pair(const std::string& path, const std::string& pair) {
  return is_row(path) ? path.substr(0, path.size() - 1) + pair : path;
}

/// The pairs of all entries of the family of `row`: "peer_read.*" is of the family "peer_".
std::set<std::string> pairs_of(const std::string& row, const Dossier& dossier) {
  const std::string family = row.substr(0, row.find('_') + 1);
  std::set<std::string> pairs;
  for (const auto& [entry, measurement] : dossier.entries) {
    if (!entry.starts_with(family)) continue;
    for (const auto& [key, fact] : measurement.facts) pairs.insert(key);
  }
  return pairs;
}

bool is_unreachable(const std::vector<std::string>& rows, const std::string& pair,
                    const Dossier& dossier) {
  return std::all_of(rows.begin(), rows.end(), [&](const std::string& row) {
    const Fact* const fact = dossier.find(at_pair(row, pair));
    return fact != nullptr && fact->reason && fact->reason->kind == NullKind::not_supported;
  });
}

/// The pairs that the claim is about.
std::vector<std::string> pairs_for(const std::vector<std::string>& rows, const Dossier& dossier) {
  std::vector<std::string> all, reachable;
  for (const std::string& pair : pairs_of(rows.front(), dossier)) {
    all.push_back(pair);
    if (!is_unreachable(rows, pair, dossier)) reachable.push_back(pair);
  }
  return reachable.empty() ? all : reachable;
}

bool has_row(const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(), is_row);
}

std::vector<std::string> at_pair(const std::vector<std::string>& paths, const std::string& pair) {
  std::vector<std::string> written;
  written.reserve(paths.size());
  for (const std::string& path : paths) written.push_back(at_pair(path, pair));
  return written;
}

}  // namespace

Check with_rows(const Check& check, const Dossier& dossier) {
  std::vector<std::string> rows;
  const std::vector<std::string> paths = paths_of(check);
  std::copy_if(paths.begin(), paths.end(), std::back_inserter(rows), is_row);
  if (rows.empty()) return check;
  const std::vector<std::string> pairs = pairs_for(rows, dossier);
  if (pairs.empty()) return check;
  Check written = check;
  written.paths.clear();
  written.terms.clear();
  for (const std::string& path : check.paths) {
    for (const std::string& pair : pairs) {
      written.paths.push_back(at_pair(path, pair));
      if (!is_row(path)) break;
    }
  }
  for (const Term& term : check.terms) {
    for (const std::string& pair : pairs) {
      written.terms.push_back({at_pair(term.over, pair), at_pair(term.under, pair), term.times});
      if (!has_row(term.over) && !has_row(term.under)) break;
    }
  }
  return written;
}

}  // namespace assay
