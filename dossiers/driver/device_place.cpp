// SPDX-License-Identifier: Apache-2.0
// Where in the host does a device hang?
#include "dossiers/driver/device_place.h"

#include <filesystem>
#include <fstream>

namespace assay {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

}  // namespace

DevicePlace place_of(const std::string& pci_bus_id, const std::string& sysfs) {
  DevicePlace place;
  const std::filesystem::path folder =
      std::filesystem::path(sysfs) / "bus/pci/devices" / (pci_bus_id.empty() ? "-" : pci_bus_id);
  const std::string node = first_line(folder / "numa_node");
  if (node.empty()) {
    place.numa_why = "the system does not say";
  } else if (node[0] == '-') {
    place.numa_why = "the firmware names none";
  } else {
    place.numa_node = std::stoi(node);
  }
  place.cpus = first_line(folder / "local_cpulist");
  return place;
}

std::vector<DevicePlace::Path> paths_from(std::size_t index,
                                          const std::vector<ListedDevice>& devices,
                                          const Nvml* nvml) {
  std::vector<DevicePlace::Path> paths;
  const NvmlHandle own = devices.at(index).nvml_handle;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (i != index && nvml != nullptr && own != nullptr && devices[i].nvml_handle != nullptr) {
      paths.push_back({i, nvml->path_between(own, devices[i].nvml_handle)});
    }
  }
  return paths;
}

}  // namespace assay
