// SPDX-License-Identifier: Apache-2.0
#include "probes/latency_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "probes/scatter.h"

namespace assay {

std::optional<std::uint64_t> l2_map_bytes(std::uint64_t l2_bytes) {
  constexpr std::uint64_t kMost = 8u << 20, kGranule = 4096;
  const std::uint64_t bytes = std::min(kMost, l2_bytes / 8) / kGranule * kGranule;
  if (bytes == 0) return std::nullopt;
  return bytes;
}

std::uint32_t lane_start(std::uint32_t lane, std::uint32_t lanes, std::uint32_t places) {
  return static_cast<std::uint32_t>(std::uint64_t{lane} * places / lanes);
}

std::optional<SmSpread> spread_over_sms(const std::vector<double>& by_sm) {
  const auto is_number = [](double value) { return std::isfinite(value) && value > 0.0; };
  if (by_sm.empty() || !std::all_of(by_sm.begin(), by_sm.end(), is_number)) return std::nullopt;
  std::vector<double> sorted = by_sm;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  const double middle =
      sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
  return SmSpread{middle, sorted.front(), sorted.back()};
}

bool tlb_fits(std::uint64_t free_bytes, std::uint64_t l2_bytes, std::uint32_t gib) {
  constexpr std::uint64_t kBeside = 256u << 20;
  return free_bytes >= tlb_set_bytes(gib) + 4 * l2_bytes + kBeside;
}

std::uint32_t tlb_line(std::uint32_t place, std::uint32_t pages) {
  constexpr std::uint32_t kLines = kTlbPageBytes / 128;
  const std::uint32_t slots = kTlbPlaces / pages;
  const std::uint32_t width = (kLines - 1) / slots;
  const std::uint32_t slot = place / pages;
  return place % pages * kLines + 1 + slot * width + mix32(place) % width;
}

}  // namespace assay
