// SPDX-License-Identifier: Apache-2.0
// How is what is known about a device said to programs?
#include <nlohmann/json.hpp>

#include "dossiers/driver/clock_reasons.h"
#include "dossiers/driver/info.h"
#include "dossiers/json/document.h"
#include "dossiers/json/identity_json.h"
#include "dossiers/json/json_writer.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const Answer<T>& answer) {
  return answer ? Json(*answer.value) : Json(nullptr);
}

void add_facts(Json& json, const NvmlFacts& facts) {
  json["architecture"] = or_null(facts.architecture);
  json["brand"] = or_null(facts.brand);
  json["cores"] = or_null(facts.cores);
  const auto& memory = facts.memory.value;
  json["memory_total_bytes"] = memory ? Json(memory->total) : Json(nullptr);
  json["memory_used_bytes"] = memory ? Json(memory->used) : Json(nullptr);
  json["memory_clock_mhz"] = or_null(facts.memory_clock_mhz);
  json["pcie_generation"] = or_null(facts.pcie_generation);
  json["pcie_generation_max"] = or_null(facts.max_pcie_generation);
  json["pcie_width"] = or_null(facts.pcie_width);
  json["pcie_width_max"] = or_null(facts.max_pcie_width);
  json["active_nvlinks"] = or_null(facts.active_nvlinks);
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
  json["clock_state"] = to_string(decision.state);
  json["temperature_c"] = number_or_null(info.now.temperature_c);
  json["power_w"] = number_or_null(info.now.power_w);
  json["mig_mode"] = info.mig_mode ? Json(*info.mig_mode) : Json(nullptr);
  json["other_processes"] = processes_json(info.now);
  add_facts(json, info.facts);
  return json;
}

Json peaks_json(const DeviceInfo& info) {
  Json list = Json::array();
  for (const StatedPeak& peak : info.peaks) {
    list.push_back({{"name", peak.name},
                    {"value", number_or_null(peak.value)},
                    {"units", peak.units},
                    {"from", peak.from}});
  }
  return list;
}

Json place_json(const DevicePlace& place) {
  Json json;
  json["numa_node"] = place.numa_node ? Json(*place.numa_node) : Json(nullptr);
  json["cpus"] = place.cpus.empty() ? Json(nullptr) : Json(place.cpus);
  json["paths"] = Json::array();
  for (const DevicePlace::Path& path : place.paths) {
    json["paths"].push_back({{"to", path.to}, {"through", or_null(path.through)}});
  }
  return json;
}

Json attributes_json(const DeviceInfo& info) {
  Json list = Json::array();
  for (const ProbedAttribute& one : info.attributes) {
    list.push_back({{"id", one.id}, {"name", one.name}, {"value", one.value}});
  }
  return list;
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
  json["peaks"] = peaks_json(info);
  json["card"] = info.card.card != nullptr ? Json(info.card.card->key) : Json(nullptr);
  json["fingerprint"] = info.fingerprint;
  json["place"] = place_json(info.place);
  json["nvml"] = nvml_json(info);
  json["driver_attributes"] = attributes_json(info);
  return json;
}

}  // namespace

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

}  // namespace assay
