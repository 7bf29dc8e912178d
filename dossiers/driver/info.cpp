// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/info.h"

#include <iomanip>
#include <memory>
#include <sstream>

#include <nlohmann/json.hpp>

#include "dossiers/driver/clock_reasons.h"
#include "dossiers/json/document.h"
#include "dossiers/json/identity_json.h"
#include "dossiers/json/json_writer.h"
#include "dossiers/peaks.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

const char* state_name(ClockState state) {
  switch (state) {
    case ClockState::clean:
      return "clean";
    case ClockState::allowed:
      return "allowed";
    case ClockState::idle:
      return "idle";
    case ClockState::reject:
      return "reject";
    case ClockState::unknown:
      return "unknown";
  }
  return "unknown";
}

std::optional<double> dram_peak(const ListedDevice& device) {
  const std::optional<int> khz = device.attributes.at("memory_clock_khz").value;
  const std::optional<int> bits = device.attributes.at("memory_bus_bits").value;
  return khz && bits ? dram_peak_gbs(*khz, *bits) : std::nullopt;
}

DeviceInfo info_of(const ListedDevice& device, std::size_t index,
                   const std::shared_ptr<const Nvml>& nvml) {
  DeviceInfo info;
  info.index = index;
  info.device = device;
  info.dram_peak_gbs = dram_peak(device);
  if (nvml != nullptr && device.nvml_handle != nullptr) {
    info.max_sm_clock_mhz = nvml->max_sm_clock_mhz(device.nvml_handle).value;
    info.mig_mode = nvml->mig_mode(device.nvml_handle).value;
  }
  info.now = Telemetry(nvml, device).snapshot();
  return info;
}

Json processes_json(const TelemetrySnapshot& now) {
  if (!now.other_processes) {
    return nullptr;
  }
  Json list = Json::array();
  for (const Process& process : *now.other_processes) {
    list.push_back({{"pid", process.pid}, {"name", process.name}});
  }
  return list;
}

/// What NVML says; keys are always there, null where it does not say.
Json nvml_json(const DeviceInfo& info) {
  const NvmlMatch& match = info.device.nvml;
  const ClockDecision decision = judge_clock_reasons(info.now.clock_reasons);
  Json json;
  json["index"] = match.index ? Json(*match.index) : Json(nullptr);
  json["matched"] = match.how;
  json["sm_clock_mhz"] = number_or_null(info.now.sm_clock_mhz);
  json["max_sm_clock_mhz"] = number_or_null(info.max_sm_clock_mhz);
  json["clock_reasons_mask"] =
      info.now.clock_reasons ? Json(*info.now.clock_reasons) : Json(nullptr);
  json["clock_reasons"] = decision.names;
  json["clock_state"] = state_name(decision.state);
  json["temperature_c"] = number_or_null(info.now.temperature_c);
  json["power_w"] = number_or_null(info.now.power_w);
  json["mig_mode"] = info.mig_mode ? Json(*info.mig_mode) : Json(nullptr);
  json["other_processes"] = processes_json(info.now);
  return json;
}

Json device_json(const DeviceInfo& info) {
  Json json;
  json["index"] = info.index;
  json["cuda_ordinal"] = info.device.ordinal;
  json["identity"] = to_json(info.device.identity);
  const auto& memory = info.device.memory_bytes;
  json["memory_bytes"] = memory ? Json(*memory.value) : Json(nullptr);
  json["dram_peak_gbs"] = number_or_null(info.dram_peak_gbs);
  json["attributes"] = Json::object();
  for (const auto& [name, value] : info.device.attributes) {
    json["attributes"][name] = value ? Json(*value.value) : Json(nullptr);
  }
  json["nvml"] = nvml_json(info);
  return json;
}

std::string or_unknown(const std::optional<double>& number, const char* units) {
  if (!number) {
    return "unknown";
  }
  std::ostringstream text;
  text << std::setprecision(6) << *number << ' ' << units;
  return text.str();
}

std::string yes_no(const std::optional<bool>& flag) {
  return flag ? (*flag ? "on" : "off") : "unknown";
}

std::string attribute_text(const DeviceInfo& info, const char* name) {
  const Answer<int>& value = info.device.attributes.at(name);
  return value ? std::to_string(*value.value) : "unknown (" + value.why + ")";
}

std::string clock_text(const TelemetrySnapshot& now) {
  const ClockDecision decision = judge_clock_reasons(now.clock_reasons);
  std::string text = or_unknown(now.sm_clock_mhz, "MHz");
  text += std::string(", ") + state_name(decision.state);
  for (const std::string& name : decision.names) {
    text += ", " + name;
  }
  return text;
}

std::string processes_text(const TelemetrySnapshot& now) {
  if (!now.other_processes) {
    return "unknown";
  }
  std::string text;
  for (const Process& process : *now.other_processes) {
    text += (text.empty() ? "" : ", ") + std::to_string(process.pid);
    text += process.name.empty() ? "" : " (" + process.name + ")";
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::vector<DeviceInfo> gather_info(const std::string& wanted) {
  order_devices_by_pci();
  const LibCuda cuda;
  std::string why;
  const std::shared_ptr<const Nvml> nvml = load_nvml(why);
  const std::vector<ListedDevice> devices = list_devices(cuda, nvml.get(), why);
  std::vector<DeviceInfo> infos;
  if (!wanted.empty()) {
    const std::size_t chosen = select_device(devices, wanted);
    infos.push_back(info_of(devices[chosen], chosen, nvml));
    return infos;
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    infos.push_back(info_of(devices[i], i, nvml));
  }
  return infos;
}

std::string info_json(const std::vector<DeviceInfo>& devices, const std::string& reason) {
  const SuiteIdentity& suite = this_suite();
  Json json;
  json["schema"] = kSchemaVersion;
  json["kind"] = "info";
  json["suite"] = {{"version", suite.version}, {"commit", suite.commit}, {"dirty", suite.dirty}};
  if (!reason.empty()) {
    json["reason"] = reason;
  }
  json["devices"] = Json::array();
  for (const DeviceInfo& info : devices) {
    json["devices"].push_back(device_json(info));
  }
  return json_text(json);
}

std::string info_table(const std::vector<DeviceInfo>& devices) {
  std::ostringstream text;
  for (const DeviceInfo& info : devices) {
    const DeviceIdentity& identity = info.device.identity;
    const auto row = [&text](const char* label, const std::string& value) {
      text << "  " << std::left << std::setw(22) << label << value << '\n';
    };
    const auto& memory = info.device.memory_bytes.value;
    const auto gigabytes =
        memory ? std::optional<double>(1e-9 * static_cast<double>(*memory)) : std::nullopt;
    text << info.index << "  " << identity.name << "  " << identity.uuid << '\n';
    row("PCI bus id", identity.pci_bus_id);
    row("compute capability",
        std::to_string(identity.cc_major) + "." + std::to_string(identity.cc_minor));
    row("SMs", attribute_text(info, "sm_count"));
    row("memory", or_unknown(gigabytes, "GB"));
    row("DRAM peak", or_unknown(info.dram_peak_gbs, "GB/s, from the driver's clock and bus width"));
    row("L2 bytes", attribute_text(info, "l2_bytes"));
    row("SM clock, stated kHz", attribute_text(info, "clock_khz"));
    row("SM clock now", clock_text(info.now));
    row("driver", identity.driver.empty() ? "unknown" : identity.driver);
    row("ECC", yes_no(identity.ecc));
    row("MIG slice", yes_no(identity.mig));
    row("MIG mode of the GPU", yes_no(info.mig_mode));
    row("power",
        or_unknown(info.now.power_w, "W") + " of " + or_unknown(identity.power_limit_w, "W"));
    row("temperature", or_unknown(info.now.temperature_c, "C"));
    row("other processes", processes_text(info.now));
    row("NVML", info.device.nvml.how);
  }
  return text.str();
}

}  // namespace assay
