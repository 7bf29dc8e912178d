// SPDX-License-Identifier: Apache-2.0
// What does the management library say about a device's kind, its memory and its links?
#include <array>

#include "dossiers/driver/dynamic_library.h"
#include "dossiers/driver/nvml.h"

namespace assay {

namespace {

// As NVML's ABI has them.
struct MemoryInfo {  // nvmlMemory_t
  unsigned long long total, free, used;
};
using DeviceMemory = int(NvmlHandle, MemoryInfo*);
using DevicePair = int(NvmlHandle, NvmlHandle, int*);
using DeviceLink = int(NvmlHandle, unsigned, int*);

constexpr int kClockMemory = 2;
constexpr unsigned kMostNvLinks = 18;

/// The name at `index`, or the number where it is newer than the table.
template <std::size_t Size>
Answer<std::string> named(const Answer<unsigned>& index,
                          const std::array<const char*, Size>& names) {
  if (!index) return no_answer<std::string>(index.why);
  if (*index.value >= Size) return {"number " + std::to_string(*index.value), {}};
  return {names.at(*index.value), {}};
}

}  // namespace

Answer<std::string> Nvml::architecture(NvmlHandle device) const {
  static constexpr std::array<const char*, 11> kNames = {
      "unknown", "unknown", "Kepler", "Maxwell", "Pascal",   "Volta",
      "Turing",  "Ampere",  "Ada",    "Hopper",  "Blackwell"};
  return named(number("nvmlDeviceGetArchitecture", device), kNames);
}

Answer<std::string> Nvml::brand(NvmlHandle device) const {
  static constexpr std::array<const char*, 17> kNames = {
      "unknown",    "Quadro",     "Tesla",      "NVS",
      "GRID",       "GeForce",    "Titan",      "NVIDIA vApps",
      "NVIDIA VPC", "NVIDIA VCS", "NVIDIA VWS", "NVIDIA Cloud Gaming",
      "Quadro RTX", "NVIDIA RTX", "NVIDIA",     "GeForce RTX",
      "Titan RTX"};
  return named(number("nvmlDeviceGetBrand", device), kNames);
}

Answer<unsigned> Nvml::cores(NvmlHandle device) const {
  return number("nvmlDeviceGetNumGpuCores", device);
}

Answer<NvmlMemory> Nvml::memory(NvmlHandle device) const {
  constexpr const char* kName = "nvmlDeviceGetMemoryInfo";
  auto* get_memory = library_.function<DeviceMemory>(kName);
  if (get_memory == nullptr) return no_answer<NvmlMemory>(not_offered("NVML", kName));
  MemoryInfo info{};
  const int code = get_memory(device, &info);
  // A size of 0 came with an error once; no GPU has no memory.
  if (code == 0 && info.total == 0) return no_answer<NvmlMemory>("it answers 0");
  return code == 0 ? Answer<NvmlMemory>{NvmlMemory{info.total, info.used}, {}}
                   : no_answer<NvmlMemory>(error_text(code));
}

Answer<double> Nvml::memory_clock_mhz(NvmlHandle device) const {
  const auto mhz = number("nvmlDeviceGetClockInfo", device, kClockMemory);
  return mhz ? Answer<double>{static_cast<double>(*mhz.value), {}} : no_answer<double>(mhz.why);
}

Answer<int> Nvml::active_nvlinks(NvmlHandle device) const {
  constexpr const char* kName = "nvmlDeviceGetNvLinkState";
  auto* get_state = library_.function<DeviceLink>(kName);
  if (get_state == nullptr) return no_answer<int>(not_offered("NVML", kName));
  int active = 0;
  int answered = 0;
  int code = 0;
  for (unsigned link = 0; link < kMostNvLinks; ++link) {
    int is_active = 0;
    const int said = get_state(device, link, &is_active);
    if (said == 0) {
      ++answered;
      active += is_active != 0 ? 1 : 0;
    } else if (link == 0) {
      code = said;
    }
  }
  return answered > 0 ? Answer<int>{active, {}} : no_answer<int>(error_text(code));
}

Answer<std::string> Nvml::path_between(NvmlHandle one, NvmlHandle other) const {
  constexpr const char* kName = "nvmlDeviceGetTopologyCommonAncestor";
  auto* get_level = library_.function<DevicePair>(kName);
  if (get_level == nullptr) return no_answer<std::string>(not_offered("NVML", kName));
  int level = 0;
  const int code = get_level(one, other, &level);
  if (code != 0) return no_answer<std::string>(error_text(code));
  switch (level) {
    case 0:
      return {"one board", {}};
    case 10:
      return {"one PCIe switch", {}};
    case 20:
      return {"several PCIe switches", {}};
    case 30:
      return {"one host bridge", {}};
    case 40:
      return {"one NUMA node", {}};
    case 50:
      return {"between NUMA nodes", {}};
    default:
      return {"level " + std::to_string(level), {}};
  }
}

}  // namespace assay
