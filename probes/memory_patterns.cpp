// SPDX-License-Identifier: Apache-2.0
#include "probes/memory_patterns.h"

#include <algorithm>

namespace assay {

namespace {

constexpr std::uint64_t kPage = 2u << 20;
constexpr std::uint64_t kL2Multiple = 8;

}  // namespace

std::vector<PatternSweep> pattern_sweeps(const std::vector<std::uint64_t>& constants,
                                         std::uint64_t seed) {
  std::vector<PatternSweep> sweeps;
  std::optional<MemoryPattern> held;
  const auto put = [&](MemoryPattern next, bool from_end) {
    sweeps.push_back({held, next, from_end});
    held = next;
  };
  put({PatternKind::address, 0}, false);
  for (const std::uint64_t value : constants) {
    put({PatternKind::constant, value}, false);
    put({PatternKind::constant, ~value}, false);
    put({PatternKind::constant, value}, true);
  }
  put({PatternKind::random, seed}, true);
  sweeps.push_back({held, std::nullopt, false});
  return sweeps;
}

std::vector<std::uint64_t> inversion_values(int walking) {
  constexpr std::uint64_t kLowBits = 0x0101010101010101u;
  std::vector<std::uint64_t> values = {0x5555555555555555u};
  for (int bit = 0; bit < std::clamp(walking, 0, 8); ++bit) {
    values.push_back(kLowBits << bit);
  }
  return values;
}

std::optional<std::uint64_t> health_bytes(std::uint64_t free_bytes, double share,
                                          std::uint64_t limit, std::uint64_t l2_bytes) {
  if (!(share > 0.0 && share <= 1.0)) {
    return std::nullopt;
  }
  const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(free_bytes));
  const std::uint64_t bytes = std::min(wanted, limit) / kPage * kPage;
  if (bytes == 0 || bytes < kL2Multiple * l2_bytes) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace assay
