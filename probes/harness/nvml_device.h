// SPDX-License-Identifier: Apache-2.0
// Which of NVML's devices is the one under test?
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dossiers/driver/device_list.h"
#include "dossiers/driver/nvml.h"
#include "dossiers/identity.h"

namespace assay {

/// The device as NVML knows it.
struct NvmlDeviceMatch {
  std::shared_ptr<const Nvml> nvml;    ///< nullptr without NVML or without a match
  std::optional<ListedDevice> device;  ///< its identity and its handle
  std::string why;                     ///< why there is none; empty when there is one
};

/// Finds the device by UUID or PCI id, never by index.
NvmlDeviceMatch find_in_nvml(const DeviceIdentity& identity);

}  // namespace assay
