// SPDX-License-Identifier: Apache-2.0
#include "probes/tile_summary.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace assay {

void TileSummary::add(const std::vector<std::uint32_t>& sm_of_tile,
                      const std::vector<std::uint32_t>& wrong_of_tile) {
  if (sm_of_tile.size() != wrong_of_tile.size()) {
    throw std::invalid_argument("a tile without an SM or without a count");
  }
  for (std::size_t i = 0; i < sm_of_tile.size(); ++i) {
    wrong_of_sm_[sm_of_tile[i]] += wrong_of_tile[i];
  }
  tiles_ += static_cast<std::int64_t>(sm_of_tile.size());
}

std::int64_t TileSummary::wrong_elements() const {
  std::int64_t wrong = 0;
  for (const auto& [sm, count] : wrong_of_sm_) {
    wrong += count;
  }
  return wrong;
}

std::string TileSummary::note() const {
  constexpr std::size_t kMostNamed = 16;
  std::vector<std::pair<std::int64_t, std::uint32_t>> failing;
  for (const auto& [sm, count] : wrong_of_sm_) {
    if (count > 0) {
      failing.emplace_back(-count, sm);
    }
  }
  if (failing.empty()) {
    return std::to_string(tiles_) + " tiles on " + std::to_string(sms_covered()) +
           " SMs, every element exact";
  }
  std::sort(failing.begin(), failing.end());
  std::string text = "wrong elements by SM (smid):";
  for (std::size_t i = 0; i < std::min(failing.size(), kMostNamed); ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(failing[i].second) + ": " +
            std::to_string(-failing[i].first);
  }
  if (failing.size() > kMostNamed) {
    text += " and " + std::to_string(failing.size() - kMostNamed) + " more SMs";
  }
  return text + "; " + std::to_string(tiles_) + " tiles on " + std::to_string(sms_covered()) +
         " SMs in all";
}

}  // namespace assay
