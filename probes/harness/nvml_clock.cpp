// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/nvml_clock.h"

#include <algorithm>

namespace assay {

NvmlClock::NvmlClock(const DeviceIdentity& identity) {
  const std::shared_ptr<const Nvml> nvml = load_nvml(why_);
  if (nvml == nullptr) {
    return;
  }
  const auto candidates = nvml->devices();
  if (!candidates) {
    why_ = candidates.why;
    return;
  }
  ListedDevice device;
  device.identity = identity;
  device.nvml = match_nvml(device, *candidates.value);
  const auto found =
      std::find_if(candidates.value->begin(), candidates.value->end(),
                   [&](const NvmlDevice& one) { return one.index == device.nvml.index; });
  if (found == candidates.value->end()) {
    why_ = device.nvml.how;
    return;
  }
  device.nvml_handle = found->handle;
  telemetry_.emplace(nvml, device);
}

std::optional<double> NvmlClock::read_ghz() const {
  const std::optional<double> mhz = telemetry_ ? telemetry_->poll().sm_clock_mhz : std::nullopt;
  return mhz ? std::optional<double>(1e-3 * *mhz) : std::nullopt;
}

}  // namespace assay
