// SPDX-License-Identifier: Apache-2.0
// Did somebody else run on the device? A spin kernel of known length can tell: a foreign context is
// never run beside ours but in turn with it, so the spinning warp is kept waiting or is paused.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "probes/harness/device.h"
#include "probes/harness/resources.h"
#include "probes/harness/slope.h"

namespace assay {

/// What the spin kernel writes.
struct CanaryReading {
  std::uint64_t span_ns = 0;    ///< from its first to its last instruction
  std::uint64_t stolen_ns = 0;  ///< sum of the pauses above kPauseNs
};

class Canary {
 public:
  /// Wakes the device, then learns the launch floor from a few runs.
  explicit Canary(const Device& device);

  /// One run of about 50 us.
  CanaryRun run();
  /// One run of about `seconds`, as a listener: only pauses inside it are of interest.
  CanaryRun listen(double seconds);
  bool disturbed(const CanaryRun& run) const { return is_disturbed(run, floor_seconds_); }
  /// Wall time of a quiet run, seconds.
  double expected_seconds() const;

 private:
  CanaryRun spin(std::uint64_t cycles);

  double clock_ghz_;
  Stream stream_;
  DeviceBuffer<CanaryReading> reading_;
  PinnedBuffer<CanaryReading> host_;
  double floor_seconds_ = 0.0;
};

}  // namespace assay
