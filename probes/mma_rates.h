// SPDX-License-Identifier: Apache-2.0
// The facts of one tensor path and type, from a kernel that runs a given number of trips.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "probes/looped_work.h"

namespace assay {

struct MmaPath {
  std::string key;     ///< "mma_sync_f16_f32": <path>_<in>_<acc>
  std::string kernel;  ///< what runs, for the facts' method
  LoopedWork work;
  std::function<void()> randomize;  ///< random operands, in place when it returns
  std::function<void()> zero;       ///< all operands 0
  /// Clocks that the loop took on each SM in the last call, where the kernel keeps them: the rate
  /// per clock is then the loop's own, else that of the whole call between two stamps.
  std::function<std::vector<std::uint64_t>()> loop_clocks = {};
};

/// Fills with floats in [-1, 1) and waits for them. Throws CudaError.
void randomize(DeviceBuffer<float>& operands);

/// How much of a path is measured at level quick: the main paths all of it, further ones the
/// random rates only, over shorter calls. At level full all of them alike.
enum class Thoroughness { main, further };

/// Times the path on random operands, then on zeros, and adds `mma.<key>`, `mma_per_clock.<key>`,
/// their `_zeros` twins and `mma_scaling.<key>`. The random figure is the certified one: zeros
/// draw less power, so that the clock stays higher. Throws CudaError and WrongResult.
void measure_mma_rates(const Device& device, const MmaPath& path, Thoroughness thoroughness,
                       DeviceBuffer<float>& results, Measurements& measurements);

/// The same five facts, all absent.
void add_absent_mma_rates(const std::string& key, const std::string& kernel,
                          const NullReason& reason, Measurements& measurements);

}  // namespace assay
