// SPDX-License-Identifier: Apache-2.0
// Which names did somebody perhaps mean?
#include "dossiers/cli/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace assay {
namespace {

constexpr std::size_t kMostNames = 4;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& letter : out) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return out;
}

/// Levenshtein's distance.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t swap = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, swap});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view typed,
                                       const std::vector<std::string>& names) {
  const std::string wanted = lower(typed.substr(0, 64));
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& name : names) {
    const std::string candidate = lower(name);
    const bool held = wanted.size() > 1 && (candidate.find(wanted) != std::string::npos ||
                                            wanted.find(candidate) != std::string::npos);
    const std::size_t distance = edits(wanted, candidate);
    if (held || distance <= std::max<std::size_t>(1, wanted.size() / 3)) {
      found.emplace_back(held ? 0 : distance, name);  // one inside the other is nearest
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> nearest;
  for (const auto& [distance, name] : found) {
    if (nearest.size() < kMostNames) nearest.push_back(name);
  }
  return nearest;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : nearest_names(typed, names)) {
    text += (text.empty() ? "; near: " : ", ") + name;
  }
  return text;
}

std::string one_of(std::string_view flag, const std::string& typed,
                   const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), typed) != allowed.end()) return typed;
  std::string all;
  for (const std::string& name : allowed) all += (all.empty() ? "" : ", ") + name;
  throw std::invalid_argument(std::string(flag) + ": '" + typed + "' is none of " + all +
                              did_you_mean(typed, allowed));
}

}  // namespace assay
