// SPDX-License-Identifier: Apache-2.0
// Which one device is measured?
#include "invariants/plan/device_choice.h"

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

}  // namespace assay
