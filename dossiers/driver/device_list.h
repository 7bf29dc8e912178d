// SPDX-License-Identifier: Apache-2.0
// Which devices are there, and which one is meant? Chosen by UUID or place, never by default.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "dossiers/driver/libcuda.h"
#include "dossiers/driver/nvml.h"
#include "dossiers/identity.h"

namespace assay {

/// The wanted device is not there, or which one is wanted was not said. what() lists the devices.
class BadChoice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where NVML knows a device; found by UUID or PCI id, never by index.
struct NvmlMatch {
  std::optional<unsigned> index;
  std::string how;  ///< "by UUID", "by PCI id", or why there is none
};

/// One device of this process.
struct ListedDevice {
  int ordinal = 0;       ///< libcuda's, and the CUDA runtime's of this process
  UuidBytes uuid{};      ///< of the slice, where it is one
  UuidBytes gpu_uuid{};  ///< of the whole GPU
  DeviceIdentity identity;
  Answer<std::uint64_t> memory_bytes;
  std::map<std::string, Answer<int>> attributes;  ///< by DriverAttribute's name
  NvmlMatch nvml;
  NvmlHandle nvml_handle = nullptr;   ///< of the whole GPU; nullptr without a match
  NvmlHandle slice_handle = nullptr;  ///< of the MIG slice, where NVML knows it
};

/// Sets CUDA_DEVICE_ORDER=PCI_BUS_ID in the environment; before the first CUDA call of a program.
void order_devices_by_pci();

/// All devices that libcuda sees, in PCI order, completed from NVML (may be nullptr; `nvml_why`
/// then says why). A query that fails leaves its field unknown.
std::vector<ListedDevice> list_devices(const LibCuda& cuda, const Nvml* nvml,
                                       const std::string& nvml_why = {});

/// The NVML device that is `device`: by UUID (its own or its GPU's), else by PCI id.
NvmlMatch match_nvml(const ListedDevice& device, const std::vector<NvmlDevice>& candidates);

/// The place in `devices` of the wanted one: a UUID, a unique prefix of one (8 hex digits or more,
/// with or without "GPU-" or "MIG-"), or an index in PCI order. Empty means the only one.
/// Throws BadChoice.
std::size_t select_device(const std::vector<ListedDevice>& devices, std::string_view wanted);

}  // namespace assay
