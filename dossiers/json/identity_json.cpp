// SPDX-License-Identifier: Apache-2.0
// How do a device, a build and the conditions of a window stand in a document?
#include "dossiers/json/identity_json.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "dossiers/json/json_writer.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string text_or_empty(const JsonNode& object, std::string_view key) {
  const JsonNode node = object.at(key);
  return node.is_null() ? std::string() : node.string();
}

std::optional<bool> read_optional_flag(const JsonNode& object, std::string_view key) {
  const JsonNode node = object.at(key);
  return node.is_null() ? std::nullopt : std::optional<bool>(node.boolean());
}

std::optional<double> read_optional_number(const JsonNode& object, std::string_view key) {
  const JsonNode node = object.at(key);
  return node.is_null() ? std::nullopt : std::optional<double>(node.number());
}

int read_int(const JsonNode& node) {
  return static_cast<int>(node.integer(0, std::numeric_limits<int>::max()));
}

}  // namespace

double read_size(const JsonNode& node) {
  const double number = node.number();
  if (!(number >= 0.0)) {
    node.fail("is negative, want 0 or more");
  }
  return number;
}

std::optional<double> read_optional_size(const JsonNode& object, std::string_view key) {
  const JsonNode node = object.at(key);
  return node.is_null() ? std::nullopt : std::optional<double>(read_size(node));
}

Json to_json(const DeviceIdentity& device) {
  Json json;
  json["uuid"] = device.uuid;
  json["name"] = device.name;
  if (!device.pci_bus_id.empty()) {
    json["pci_bus_id"] = device.pci_bus_id;
  }
  json["cc_major"] = device.cc_major;
  json["cc_minor"] = device.cc_minor;
  json["driver"] = text_or_null(device.driver);
  json["driver_cuda"] = device.driver_cuda == 0 ? Json(nullptr) : Json(device.driver_cuda);
  json["vbios"] = or_null(device.vbios);
  json["ecc"] = or_null(device.ecc);
  json["mig"] = or_null(device.mig);
  json["power_limit_w"] = number_or_null(device.power_limit_w);
  return json;
}

DeviceIdentity read_device(const JsonNode& node) {
  node.reject_unknown_keys({"uuid", "name", "pci_bus_id", "cc_major", "cc_minor", "driver",
                            "driver_cuda", "vbios", "ecc", "mig", "power_limit_w"});
  DeviceIdentity device;
  device.uuid = node.at("uuid").string();
  device.name = node.at("name").string();
  if (const auto pci = node.find("pci_bus_id")) {
    device.pci_bus_id = pci->text();
  }
  device.cc_major = read_int(node.at("cc_major"));
  device.cc_minor = read_int(node.at("cc_minor"));
  device.driver = text_or_empty(node, "driver");
  const JsonNode driver_cuda = node.at("driver_cuda");
  device.driver_cuda = driver_cuda.is_null() ? 0 : read_int(driver_cuda);
  if (const JsonNode vbios = node.at("vbios"); !vbios.is_null()) {
    device.vbios = vbios.string();
  }
  device.ecc = read_optional_flag(node, "ecc");
  device.mig = read_optional_flag(node, "mig");
  device.power_limit_w = read_optional_size(node, "power_limit_w");
  return device;
}

Json to_json(const BuildIdentity& build) {
  Json json;
  json["toolkit"] = build.toolkit;
  json["architectures"] = build.architectures;
  json["compiler"] = build.compiler;
  return json;
}

BuildIdentity read_build(const JsonNode& node) {
  node.reject_unknown_keys({"toolkit", "architectures", "compiler"});
  return {node.at("toolkit").string(), node.at("architectures").strings(),
          node.at("compiler").string()};
}

Json to_json(const Conditions& conditions) {
  Json json;
  json["clock_min_ghz"] = number_or_null(conditions.clock_min_ghz);
  json["clock_median_ghz"] = number_or_null(conditions.clock_median_ghz);
  json["clock_max_ghz"] = number_or_null(conditions.clock_max_ghz);
  json["throttle_mask"] = or_null(conditions.throttle_mask);
  json["throttle_reasons"] = conditions.throttle_reasons;
  json["power_cap_ms"] = number_or_null(conditions.power_cap_ms);
  json["temperature_max_c"] = number_or_null(conditions.temperature_max_c);
  json["power_max_w"] = number_or_null(conditions.power_max_w);
  json["other_processes"] = Json::array();
  for (const Process& process : conditions.other_processes) {
    json["other_processes"].push_back({{"pid", process.pid}, {"name", process.name}});
  }
  json["canary_expected_us"] = number_or_null(conditions.canary_expected_us);
  json["canary_worst_us"] = number_or_null(conditions.canary_worst_us);
  json["samples_rejected"] = conditions.samples_rejected;
  json["contended"] = conditions.contended;
  return json;
}

Conditions read_conditions(const JsonNode& node) {
  node.reject_unknown_keys({"clock_min_ghz", "clock_median_ghz", "clock_max_ghz", "throttle_mask",
                            "throttle_reasons", "power_cap_ms", "temperature_max_c", "power_max_w",
                            "other_processes", "canary_expected_us", "canary_worst_us",
                            "samples_rejected", "contended"});
  Conditions conditions;
  conditions.clock_min_ghz = read_optional_size(node, "clock_min_ghz");
  conditions.clock_median_ghz = read_optional_size(node, "clock_median_ghz");
  conditions.clock_max_ghz = read_optional_size(node, "clock_max_ghz");
  if (const JsonNode mask = node.at("throttle_mask"); !mask.is_null()) {
    conditions.throttle_mask = mask.unsigned_integer();
  }
  conditions.throttle_reasons = node.at("throttle_reasons").strings();
  conditions.power_cap_ms = read_optional_size(node, "power_cap_ms");
  conditions.temperature_max_c = read_optional_number(node, "temperature_max_c");
  conditions.power_max_w = read_optional_size(node, "power_max_w");
  for (const JsonNode& process : node.at("other_processes").items()) {
    process.reject_unknown_keys({"pid", "name"});
    conditions.other_processes.push_back(
        {process.at("pid").integer(0), process.at("name").string()});
  }
  conditions.canary_expected_us = read_optional_size(node, "canary_expected_us");
  conditions.canary_worst_us = read_optional_size(node, "canary_worst_us");
  conditions.samples_rejected = read_int(node.at("samples_rejected"));
  conditions.contended = node.at("contended").boolean();
  return conditions;
}

Level read_level(const JsonNode& node) {
  const std::optional<Level> level = level_from(node.string());
  if (!level) {
    node.fail("is \"" + node.string() + "\", want quick or full");
  }
  return *level;
}

ProbeStatus read_status(const JsonNode& node) {
  const std::optional<ProbeStatus> status = probe_status_from(node.string());
  if (!status) {
    node.fail("is \"" + node.string() +
              "\", want measured, inconclusive, not_applicable or failed");
  }
  return *status;
}

}  // namespace assay
