// SPDX-License-Identifier: Apache-2.0
// Which peaks follow from what driver and vendor state, and what names a kind of device?
#include <algorithm>
#include <cmath>
#include <sstream>

#include "dossiers/cli/table.h"
#include "dossiers/dossier.h"
#include "dossiers/driver/info.h"

namespace assay {
namespace {

std::optional<double> attribute_of(const DeviceInfo& info, const char* name) {
  const auto found = info.device.attributes.find(name);
  if (found == info.device.attributes.end() || !found->second) return std::nullopt;
  return static_cast<double>(*found->second.value);
}

StatedPeak dram_peak(const DeviceInfo& info) {
  StatedPeak peak{"dram", "GB/s", info.dram_peak_gbs, "driver: memory clock x bus width x 2"};
  if (!peak.value) peak.from = "the driver states no memory clock or no bus width";
  if (peak.value && info.device.identity.mig == true) peak.from += ", of the whole GPU";
  return peak;
}

/// The highest SM clock that NVML states, else the driver's.
std::optional<double> top_clock_mhz(const DeviceInfo& info) {
  constexpr double kKhzPerMhz = 1000.0;
  if (info.max_sm_clock_mhz) return info.max_sm_clock_mhz;
  const auto khz = attribute_of(info, "clock_khz");
  return khz && *khz > 0.0 ? std::optional<double>(*khz / kKhzPerMhz) : std::nullopt;
}

StatedPeak fp32_peak(const DeviceInfo& info) {
  const DeviceIdentity& identity = info.device.identity;
  const std::string cc =
      std::to_string(identity.cc_major) + "." + std::to_string(identity.cc_minor);
  const auto sms = attribute_of(info, "sm_count");
  const auto mhz = top_clock_mhz(info);
  const auto rate = fp32_per_clock_of(cc);
  StatedPeak peak{"fp32", "TFLOP/s", std::nullopt, ""};
  if (!rate) {
    peak.from = "no table knows the FP32 lanes of compute capability " + cc;
  } else if (!sms || !mhz) {
    peak.from = "the driver states no SM count or no clock";
  } else {
    peak.value = *sms * *rate * *mhz * 1e-6;
    peak.from = "driver: " + shortest(sms) + " SMs x " + shortest(rate) + " FLOP/clk (" + cc +
                ") x " + shortest(mhz) + " MHz";
  }
  return peak;
}

StatedPeak vendor_peak(const DeviceInfo& info, const char* name, const char* units,
                       std::optional<double> value) {
  if (info.card.card == nullptr) return {name, units, std::nullopt, info.card.why};
  return {name, units, value, "vendor: " + info.card.card->key + (value ? "" : " does not say")};
}

void add_line(std::ostringstream& text, const char* name, const std::string& value) {
  text << name << '=' << value << '\n';
}

}  // namespace

std::vector<StatedPeak> stated_peaks(const DeviceInfo& info) {
  std::vector<StatedPeak> peaks = {dram_peak(info), fp32_peak(info)};
  const Card* card = info.card.card;
  const auto stated = [card](Arithmetic arithmetic) {
    return card == nullptr ? std::nullopt : stated_tflops(*card, arithmetic).value;
  };
  const auto bandwidth = card == nullptr ? std::nullopt : card->figures.bandwidth_gbs.value;
  peaks.push_back(vendor_peak(info, "dram", "GB/s", bandwidth));
  peaks.push_back(vendor_peak(info, "fp32", "TFLOP/s", stated(Arithmetic::fp32)));
  peaks.push_back(vendor_peak(info, "fp16 tensor", "TFLOP/s", stated(Arithmetic::fp16)));
  peaks.push_back(vendor_peak(info, "bf16 tensor", "TFLOP/s", stated(Arithmetic::bf16)));
  peaks.push_back(vendor_peak(info, "tf32 tensor", "TFLOP/s", stated(Arithmetic::tf32)));
  return peaks;
}

std::string fingerprint_of(const DeviceInfo& info) {
  constexpr int kPciDevice = 139;
  constexpr int kPciSubsystem = 140;
  const DeviceIdentity& identity = info.device.identity;
  const auto flag = [](std::optional<bool> value) {
    return std::string(!value ? "null" : (*value ? "on" : "off"));
  };
  std::ostringstream text;
  add_line(text, "name", identity.name);
  add_line(text, "cc", architecture(identity));
  for (const char* name : {"sm_count", "clock_khz", "memory_clock_khz", "memory_bus_bits",
                           "l2_bytes", "smem_per_sm_bytes", "fp32_to_fp64_ratio"}) {
    add_line(text, name, shortest(attribute_of(info, name), 15));
  }
  for (const int id : {kPciDevice, kPciSubsystem}) {
    const auto found = std::find_if(info.attributes.begin(), info.attributes.end(),
                                    [id](const ProbedAttribute& one) { return one.id == id; });
    add_line(text, "pci", found == info.attributes.end() ? "null" : std::to_string(found->value));
  }
  const auto& memory = info.device.memory_bytes.value;
  add_line(text, "memory", memory ? std::to_string(*memory) : "null");
  add_line(text, "driver", identity.driver);
  add_line(text, "vbios", identity.vbios.value_or("null"));
  add_line(text, "ecc", flag(identity.ecc));
  add_line(text, "mig", flag(identity.mig));
  add_line(text, "power_limit_w", shortest(identity.power_limit_w, 6));
  return sha256_hex(text.str());
}

}  // namespace assay
