// SPDX-License-Identifier: Apache-2.0
// What is known about each device without measuring anything?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dossiers/cards/card_list.h"
#include "dossiers/driver/device_list.h"
#include "dossiers/driver/device_place.h"
#include "dossiers/driver/telemetry.h"

namespace assay {

/// One attribute that the driver answered.
struct ProbedAttribute {
  int id = 0;
  std::string name;  ///< "attribute_<id>" where no header names it
  int value = 0;
};

/// A peak that follows from what the driver or the vendor states, never measured; a number with the
/// words that say from what, or null and why.
struct StatedPeak {
  std::string name;   ///< "dram", "fp32", "fp16 tensor"
  std::string units;  ///< "GB/s", "TFLOP/s"
  std::optional<double> value;
  std::string from;
};

/// What NVML adds; each answer may be missing.
struct NvmlFacts {
  Answer<std::string> architecture, brand;
  Answer<unsigned> cores;
  Answer<NvmlMemory> memory;
  Answer<double> memory_clock_mhz;
  Answer<unsigned> pcie_generation, max_pcie_generation, pcie_width, max_pcie_width;
  Answer<int> active_nvlinks;
};

/// One device with what NVML says about it now.
struct DeviceInfo {
  std::size_t index = 0;  ///< in PCI order: what --device takes
  ListedDevice device;
  std::optional<double> dram_peak_gbs;
  std::optional<double> max_sm_clock_mhz;
  std::optional<bool> mig_mode;  ///< of the GPU
  TelemetrySnapshot now;
  std::vector<ProbedAttribute> attributes;  ///< all that the driver knows, by id
  std::vector<StatedPeak> peaks;
  NvmlFacts facts;
  DevicePlace place;
  CardMatch card;           ///< what the vendor's list says of exactly this name
  std::string fingerprint;  ///< SHA-256 of what makes two devices' numbers comparable
};

/// All devices, or the one that `wanted` names. `cards` may be nullptr: then no vendor's peak is
/// known; it must outlive the result. Throws NoDevice and BadChoice.
std::vector<DeviceInfo> gather_info(const std::string& wanted, const CardList* cards = nullptr);

/// Peaks of `info`, whose attributes, clock and card are set.
std::vector<StatedPeak> stated_peaks(const DeviceInfo& info);
/// Lower-case hex SHA-256 over name, compute capability, SMs, clocks, width, cache, memory, PCI
/// device and subsystem, driver, VBIOS, ECC, MIG and power limit; without the UUID, so that equal
/// devices have equal ones.
std::string fingerprint_of(const DeviceInfo& info);

/// The document of kind "info"; `reason` says why there is no device.
std::string info_json(const std::vector<DeviceInfo>& devices, const std::string& reason = {});
/// The same for people; `all_attributes` adds every attribute.
std::string info_table(const std::vector<DeviceInfo>& devices, bool all_attributes = false);

}  // namespace assay
