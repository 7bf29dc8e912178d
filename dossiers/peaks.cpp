// SPDX-License-Identifier: Apache-2.0
// What is the most that this memory could move?
#include "dossiers/peaks.h"

#include <cmath>

namespace assay {

std::optional<double> dram_peak_gbs(std::int64_t memory_clock_khz, std::int64_t bus_bits) {
  if (memory_clock_khz <= 0 || bus_bits <= 0) {
    return std::nullopt;
  }
  constexpr double kTransfersPerClock = 2.0;
  const double bytes_per_transfer = static_cast<double>(bus_bits) / 8.0;
  return kTransfersPerClock * static_cast<double>(memory_clock_khz) * bytes_per_transfer / 1e6;
}

std::optional<double> percent_of_peak(std::optional<double> value, std::optional<double> peak) {
  if (!value || !peak || !std::isfinite(*value) || !std::isfinite(*peak) || !(*peak > 0.0)) {
    return std::nullopt;
  }
  return 100.0 * *value / *peak;
}

}  // namespace assay
