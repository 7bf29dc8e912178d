// SPDX-License-Identifier: Apache-2.0
// What does the management library say about a device's link, its energy and its memory's health?
#include "dossiers/driver/nvml.h"

namespace assay {

namespace {

// As NVML's ABI has them.
using DeviceErrors = int(NvmlHandle, int, int, unsigned long long*);
using DeviceRows = int(NvmlHandle, unsigned*, unsigned*, unsigned*, unsigned*);

constexpr int kSinceDriverLoad = 0;
constexpr double kJoulesPerMillijoule = 1e-3;

std::string missing(const char* function) {
  return std::string("this NVML has no ") + function;
}

}  // namespace

Answer<double> Nvml::energy_j(NvmlHandle device) const {
  const auto millijoules = long_number("nvmlDeviceGetTotalEnergyConsumption", device);
  return millijoules
             ? Answer<double>{kJoulesPerMillijoule * static_cast<double>(*millijoules.value), {}}
             : no_answer<double>(millijoules.why);
}

Answer<unsigned> Nvml::pcie_generation(NvmlHandle device) const {
  return number("nvmlDeviceGetCurrPcieLinkGeneration", device);
}

Answer<unsigned> Nvml::pcie_width(NvmlHandle device) const {
  return number("nvmlDeviceGetCurrPcieLinkWidth", device);
}

Answer<unsigned> Nvml::max_pcie_generation(NvmlHandle device) const {
  return number("nvmlDeviceGetMaxPcieLinkGeneration", device);
}

Answer<unsigned> Nvml::max_pcie_width(NvmlHandle device) const {
  return number("nvmlDeviceGetMaxPcieLinkWidth", device);
}

Answer<std::uint64_t> Nvml::ecc_errors(NvmlHandle device, EccErrors kind) const {
  constexpr const char* kName = "nvmlDeviceGetTotalEccErrors";
  auto* get_errors = library_.function<DeviceErrors>(kName);
  if (get_errors == nullptr) {
    return no_answer<std::uint64_t>(missing(kName));
  }
  unsigned long long count = 0;
  const int code = get_errors(device, static_cast<int>(kind), kSinceDriverLoad, &count);
  return code == 0 ? Answer<std::uint64_t>{count, {}} : no_answer<std::uint64_t>(error_text(code));
}

Answer<std::uint64_t> Nvml::remapped_rows(NvmlHandle device) const {
  constexpr const char* kName = "nvmlDeviceGetRemappedRows";
  auto* get_rows = library_.function<DeviceRows>(kName);
  if (get_rows == nullptr) {
    return no_answer<std::uint64_t>(missing(kName));
  }
  unsigned correctable = 0;
  unsigned uncorrectable = 0;
  unsigned pending = 0;
  unsigned failed = 0;
  const int code = get_rows(device, &correctable, &uncorrectable, &pending, &failed);
  return code == 0 ? Answer<std::uint64_t>{std::uint64_t{correctable} + uncorrectable, {}}
                   : no_answer<std::uint64_t>(error_text(code));
}

}  // namespace assay
