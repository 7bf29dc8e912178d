// SPDX-License-Identifier: Apache-2.0
// How does a host's record become a file and come back?
#include <algorithm>

#include <nlohmann/json.hpp>

#include "dossiers/json/document.h"
#include "dossiers/json/identity_json.h"
#include "dossiers/json/json_writer.h"
#include "invariants/plan/host/host_record.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

template <typename Number>
Json or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json device_json(const HostDevice& device) {
  return {{"index", device.index},
          {"uuid", device.uuid},
          {"name", device.name},
          {"pci_bus_id", device.pci_bus_id},
          {"driver", device.driver},
          {"numa_node", or_null(device.numa_node)},
          {"verdict", to_string(device.verdict)},
          {"provisional", device.provisional},
          {"reason", device.reason},
          {"run_id", text_or_null(device.run_id)},
          {"folder", text_or_null(device.folder)},
          {"certificate_sha256", text_or_null(device.certificate_sha256)}};
}

Json peer_json(const PeerCell& cell) {
  return {{"entry", cell.entry},
          {"from", cell.from},
          {"to", cell.to},
          {"value", number_or_null(cell.value)},
          {"units", to_string(cell.units)},
          {"reason", text_or_null(cell.reason)}};
}

Outcome read_outcome_of(const JsonNode& node) {
  const auto outcome = outcome_from(node.string());
  if (!outcome) {
    node.fail("want pass, fail, inconclusive, not_applicable, no_evidence or waived");
  }
  return *outcome;
}

std::string read_text_or_null(const JsonNode& node) {
  return node.is_null() ? "" : node.text();
}

HostDevice read_device_of(const JsonNode& node) {
  node.reject_unknown_keys({"index", "uuid", "name", "pci_bus_id", "driver", "numa_node", "verdict",
                            "provisional", "reason", "run_id", "folder", "certificate_sha256"});
  HostDevice device;
  device.index = node.at("index").integer(0);
  device.uuid = node.at("uuid").text();
  device.name = node.at("name").string();
  device.pci_bus_id = node.at("pci_bus_id").string();
  device.driver = node.at("driver").string();
  if (const JsonNode numa = node.at("numa_node"); !numa.is_null()) {
    device.numa_node = numa.integer(0);
  }
  device.verdict = read_outcome_of(node.at("verdict"));
  device.provisional = node.at("provisional").boolean();
  device.reason = node.at("reason").string();
  device.run_id = read_text_or_null(node.at("run_id"));
  device.folder = read_text_or_null(node.at("folder"));
  device.certificate_sha256 = read_text_or_null(node.at("certificate_sha256"));
  if (device.verdict == Outcome::pass && device.certificate_sha256.empty()) {
    node.fail("a pass without a certificate");
  }
  return device;
}

PeerCell read_peer(const JsonNode& node) {
  node.reject_unknown_keys({"entry", "from", "to", "value", "units", "reason"});
  PeerCell cell;
  cell.entry = node.at("entry").text();
  cell.from = node.at("from").integer(0);
  cell.to = node.at("to").integer(0);
  const auto units = unit_from(node.at("units").string());
  if (!units) {
    node.at("units").fail("is no known unit");
  }
  cell.units = *units;
  cell.reason = read_text_or_null(node.at("reason"));
  if (const JsonNode value = node.at("value"); !value.is_null()) {
    cell.value = value.number();
  }
  if (cell.value.has_value() != cell.reason.empty()) {
    node.fail("want a value, or null and a reason");
  }
  return cell;
}

HostPath read_path(const JsonNode& node) {
  node.reject_unknown_keys({"from", "to", "through"});
  return {node.at("from").integer(0), node.at("to").integer(0),
          read_text_or_null(node.at("through"))};
}

/// A verdict that somebody wrote over its devices' is refused.
void check_verdict(const JsonNode& document, const HostRecord& record) {
  HostRecord judged = record;
  judge_host(judged);
  if (judged.verdict != record.verdict) {
    document.at("verdict").fail("the devices give " + std::string(to_string(judged.verdict)));
  }
}

}  // namespace

std::string host_text(const HostRecord& record) {
  Json json = document_head("host", record.run_id, record.suite);
  json["created_utc"] = record.created_utc;
  json["level"] = to_string(record.level);
  json["expected"] = or_null(record.expected);
  json["verdict"] = to_string(record.verdict);
  json["reason"] = record.reason;
  json["devices"] = Json::array();
  for (const HostDevice& device : record.devices) json["devices"].push_back(device_json(device));
  json["paths"] = Json::array();
  for (const HostPath& path : record.paths) {
    json["paths"].push_back(
        {{"from", path.from}, {"to", path.to}, {"through", text_or_null(path.through)}});
  }
  json["peers"] = Json::array();
  for (const PeerCell& cell : record.peers) json["peers"].push_back(peer_json(cell));
  return json_text(json);
}

HostRecord read_host(const std::filesystem::path& file) {
  const JsonNode document = read_json(file);
  check_schema(document, "host");
  document.reject_unknown_keys({"schema", "kind", "run_id", "suite", "created_utc", "level",
                                "expected", "verdict", "reason", "devices", "paths", "peers"});
  HostRecord record;
  record.run_id = document.at("run_id").text();
  record.suite = read_suite(document.at("suite"));
  record.created_utc = read_utc(document.at("created_utc"));
  record.level = read_level(document.at("level"));
  if (const JsonNode expected = document.at("expected"); !expected.is_null()) {
    record.expected = expected.integer(1);
  }
  record.verdict = read_outcome_of(document.at("verdict"));
  record.reason = document.at("reason").string();
  for (const JsonNode& node : document.at("devices").items()) {
    const HostDevice device = read_device_of(node);
    const bool twice =
        std::any_of(record.devices.begin(), record.devices.end(), [&](const HostDevice& other) {
          return other.uuid == device.uuid || other.index == device.index;
        });
    if (twice) node.fail("one GPU twice: " + device.uuid);
    record.devices.push_back(device);
  }
  for (const JsonNode& node : document.at("paths").items()) {
    record.paths.push_back(read_path(node));
  }
  for (const JsonNode& node : document.at("peers").items()) {
    record.peers.push_back(read_peer(node));
  }
  check_verdict(document, record);
  return record;
}

}  // namespace assay
