// SPDX-License-Identifier: Apache-2.0
// What is known about each device without measuring anything?
#include "dossiers/driver/info.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "dossiers/driver/attribute_names.h"
#include "dossiers/peaks.h"

namespace assay {
namespace {

std::optional<double> dram_peak(const ListedDevice& device) {
  const std::optional<int> khz = device.attributes.at("memory_clock_khz").value;
  const std::optional<int> bits = device.attributes.at("memory_bus_bits").value;
  return khz && bits ? dram_peak_gbs(*khz, *bits) : std::nullopt;
}

/// Every id that the driver answers; one that fails never costs the others.
std::vector<ProbedAttribute> probe_attributes(const LibCuda& cuda, int ordinal) {
  std::vector<ProbedAttribute> found;
  for (int id = 1; id <= kMaxAttributeId; ++id) {
    if (const Answer<int> value = cuda.attribute(ordinal, id)) {
      found.push_back({id, attribute_name(id), *value.value});
    }
  }
  return found;
}

NvmlFacts gather_facts(const Nvml& nvml, NvmlHandle handle) {
  NvmlFacts facts;
  facts.architecture = nvml.architecture(handle);
  facts.brand = nvml.brand(handle);
  facts.cores = nvml.cores(handle);
  facts.memory = nvml.memory(handle);
  facts.memory_clock_mhz = nvml.memory_clock_mhz(handle);
  facts.pcie_generation = nvml.pcie_generation(handle);
  facts.max_pcie_generation = nvml.max_pcie_generation(handle);
  facts.pcie_width = nvml.pcie_width(handle);
  facts.max_pcie_width = nvml.max_pcie_width(handle);
  facts.active_nvlinks = nvml.active_nvlinks(handle);
  return facts;
}

CardMatch match_card(const CardList* cards, const std::string& name) {
  if (cards == nullptr) return {nullptr, "no card list", {}};
  return match_driver_name(*cards, name);
}

/// What gathering needs of the machine.
struct Sources {
  const LibCuda& cuda;
  const std::vector<ListedDevice>& devices;
  std::shared_ptr<const Nvml> nvml;
  const CardList* cards;
};

DeviceInfo info_of(std::size_t index, const Sources& sources) {
  DeviceInfo info;
  info.index = index;
  info.device = sources.devices.at(index);
  info.dram_peak_gbs = dram_peak(info.device);
  if (sources.nvml != nullptr && info.device.nvml_handle != nullptr) {
    const NvmlHandle handle = info.device.nvml_handle;
    info.max_sm_clock_mhz = sources.nvml->max_sm_clock_mhz(handle).value;
    info.mig_mode = sources.nvml->mig_mode(handle).value;
    info.facts = gather_facts(*sources.nvml, handle);
  }
  info.now = Telemetry(sources.nvml, info.device).snapshot();
  info.attributes = probe_attributes(sources.cuda, info.device.ordinal);
  info.card = match_card(sources.cards, info.device.identity.name);
  info.peaks = stated_peaks(info);
  info.place = place_of(info.device.identity.pci_bus_id);
  info.place.paths = paths_from(index, sources.devices, sources.nvml.get());
  info.fingerprint = fingerprint_of(info);
  return info;
}

}  // namespace

std::vector<DeviceInfo> gather_info(const std::string& wanted, const CardList* cards) {
  order_devices_by_pci();
  const LibCuda cuda;
  std::string why;
  const std::shared_ptr<const Nvml> nvml = load_nvml(why);
  const std::vector<ListedDevice> devices = list_devices(cuda, nvml.get(), why);
  const Sources sources{cuda, devices, nvml, cards};
  std::vector<DeviceInfo> infos;
  if (!wanted.empty()) {
    infos.push_back(info_of(select_device(devices, wanted), sources));
    return infos;
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    infos.push_back(info_of(i, sources));
  }
  return infos;
}

}  // namespace assay
