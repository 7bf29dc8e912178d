// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/nvml_device.h"

#include <algorithm>
#include <utility>

namespace assay {

NvmlDeviceMatch find_in_nvml(const DeviceIdentity& identity) {
  NvmlDeviceMatch match;
  std::shared_ptr<const Nvml> nvml = load_nvml(match.why);
  if (nvml == nullptr) {
    return match;
  }
  const auto candidates = nvml->devices();
  if (!candidates) {
    match.why = candidates.why;
    return match;
  }
  ListedDevice device;
  device.identity = identity;
  device.nvml = match_nvml(device, *candidates.value);
  const auto found =
      std::find_if(candidates.value->begin(), candidates.value->end(),
                   [&](const NvmlDevice& one) { return one.index == device.nvml.index; });
  if (found == candidates.value->end()) {
    match.why = device.nvml.how;
    return match;
  }
  device.nvml_handle = found->handle;
  match.nvml = std::move(nvml);
  match.device = std::move(device);
  return match;
}

}  // namespace assay
