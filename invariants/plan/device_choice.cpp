// SPDX-License-Identifier: Apache-2.0
// Which one device is measured?
#include "invariants/plan/device_choice.h"

#include <algorithm>

#include "dossiers/driver/device_list.h"

namespace assay {

DeviceIdentity choose_device(const std::string& wanted) {
  order_devices_by_pci();
  const LibCuda cuda;
  std::string why;
  const auto nvml = load_nvml(why);
  const auto devices = list_devices(cuda, nvml.get(), why);
  return devices.at(select_device(devices, wanted)).identity;
}

std::vector<std::string> uuids_of_host(const std::string& own) {
  std::string why;
  const auto nvml = load_nvml(why);
  if (nvml != nullptr) {
    const auto counted = nvml->devices();
    if (counted && counted.value->size() == 1) {
      return {own};
    }
  }
  order_devices_by_pci();
  const LibCuda cuda;
  std::vector<std::string> uuids{own};
  for (const ListedDevice& device : list_devices(cuda, nvml.get(), why)) {
    uuids.push_back(device.identity.uuid);
  }
  std::sort(uuids.begin(), uuids.end());
  uuids.erase(std::unique(uuids.begin(), uuids.end()), uuids.end());
  return uuids;
}

}  // namespace assay
