// SPDX-License-Identifier: Apache-2.0
// What is known about each device without measuring anything?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dossiers/driver/device_list.h"
#include "dossiers/driver/telemetry.h"

namespace assay {

/// One device with what NVML says about it now.
struct DeviceInfo {
  std::size_t index = 0;  ///< in PCI order: what --device takes
  ListedDevice device;
  std::optional<double> dram_peak_gbs;
  std::optional<double> max_sm_clock_mhz;
  std::optional<bool> mig_mode;  ///< of the GPU
  TelemetrySnapshot now;
};

/// All devices, or the one that `wanted` names. Throws NoDevice and BadChoice.
std::vector<DeviceInfo> gather_info(const std::string& wanted);

/// The document of kind "info"; `reason` says why there is no device.
std::string info_json(const std::vector<DeviceInfo>& devices, const std::string& reason = {});
/// The same for people.
std::string info_table(const std::vector<DeviceInfo>& devices);

}  // namespace assay
