// SPDX-License-Identifier: Apache-2.0
// Where in the host does a device hang?
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dossiers/driver/device_list.h"

namespace assay {

/// Where the device hangs: its NUMA node, and what lies between it and each other device.
struct DevicePlace {
  std::optional<int> numa_node;
  std::string numa_why;
  std::string cpus;  ///< "0-15,32-47"; empty when unknown
  struct Path {
    std::size_t to = 0;  ///< index of the other device
    Answer<std::string> through;
  };
  std::vector<Path> paths;
};

/// The place from `<sysfs>/bus/pci/devices/<PCI id>`, without paths.
DevicePlace place_of(const std::string& pci_bus_id, const std::string& sysfs = "/sys");
/// The ways from `devices[index]` to each other one that NVML knows; none without NVML.
std::vector<DevicePlace::Path> paths_from(std::size_t index,
                                          const std::vector<ListedDevice>& devices,
                                          const Nvml* nvml);

}  // namespace assay
