// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/nvml_clock.h"

#include "probes/harness/nvml_device.h"

namespace assay {

NvmlClock::NvmlClock(const DeviceIdentity& identity) {
  const NvmlDeviceMatch match = find_in_nvml(identity);
  why_ = match.why;
  if (match.device) {
    telemetry_.emplace(match.nvml, *match.device);
  }
}

std::optional<double> NvmlClock::read_ghz() const {
  const std::optional<double> mhz = telemetry_ ? telemetry_->poll().sm_clock_mhz : std::nullopt;
  return mhz ? std::optional<double>(1e-3 * *mhz) : std::nullopt;
}

}  // namespace assay
