// SPDX-License-Identifier: Apache-2.0
// What is the most that this memory could move? No JSON and no CUDA here.
#pragma once

#include <cstdint>
#include <optional>

namespace assay {

/// Double-data-rate peak in GB/s (1e9) from the driver's memory clock in kHz and bus width in bits:
/// 2 * kHz * 1e3 * bits / 8 / 1e9. nullopt when the driver gives 0 or less: unknown, not 0.
std::optional<double> dram_peak_gbs(std::int64_t memory_clock_khz, std::int64_t bus_bits);

/// `value` in percent of `peak`; nullopt when either is unknown, not finite or the peak is not
/// positive.
std::optional<double> percent_of_peak(std::optional<double> value, std::optional<double> peak);

}  // namespace assay
