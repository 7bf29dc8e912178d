// SPDX-License-Identifier: Apache-2.0
// How does a dossier with its sidecars become files and come back?
#include "dossiers/dossier.h"

#include <nlohmann/json.hpp>

#include "dossiers/json/document.h"
#include "dossiers/json/identity_json.h"
#include "dossiers/json/json_writer.h"
#include "dossiers/json/measurement_json.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

bool has_raw(const Measurement& entry) {
  for (const auto& [key, fact] : entry.facts) {
    if (!fact.raw.empty()) {
      return true;
    }
  }
  return false;
}

std::string sidecar_name(const std::string& entry) {
  return "samples/" + entry + ".json";
}

/// SHA-256 by entry: of the samples in memory, else as they were when the dossier was read.
std::map<std::string, std::string> digests_of(const Dossier& dossier) {
  std::map<std::string, std::string> digests;
  for (const auto& [name, entry] : dossier.entries) {
    const auto known = dossier.sample_digests.find(name);
    if (has_raw(entry)) {
      digests[name] = sha256_hex(samples_text(dossier, name));
    } else if (known != dossier.sample_digests.end()) {
      digests.insert(*known);
    }
  }
  return digests;
}

Json record_json(const ProbeRecord& record) {
  Json json;
  json["status"] = to_string(record.status);
  if (!record.reason.empty()) {
    json["reason"] = record.reason;
  }
  json["exit_code"] = record.exit_code ? Json(*record.exit_code) : Json(nullptr);
  json["signal"] = record.signal ? Json(*record.signal) : Json(nullptr);
  json["timed_out"] = record.timed_out;
  if (!record.stderr_tail.empty()) {
    json["stderr_tail"] = record.stderr_tail;
  }
  json["seconds"] = number_or_null(record.seconds);
  json["build"] = record.build ? to_json(*record.build) : Json(nullptr);
  json["conditions"] = record.conditions ? to_json(*record.conditions) : Json(nullptr);
  return json;
}

ProbeRecord read_record(const JsonNode& node) {
  node.reject_unknown_keys({"status", "reason", "exit_code", "signal", "timed_out", "stderr_tail",
                            "seconds", "build", "conditions"});
  ProbeRecord record;
  record.status = read_status(node.at("status"));
  if (const auto reason = node.find("reason")) {
    record.reason = reason->text();
  } else if (record.status != ProbeStatus::measured) {
    node.fail("has no \"reason\", which every status but measured needs");
  }
  if (const JsonNode code = node.at("exit_code"); !code.is_null()) {
    record.exit_code = static_cast<int>(code.integer(0, 255));
  }
  if (const JsonNode signal = node.at("signal"); !signal.is_null()) {
    record.signal = static_cast<int>(signal.integer(1, 127));
  }
  record.timed_out = node.at("timed_out").boolean();
  if (const auto tail = node.find("stderr_tail")) {
    record.stderr_tail = tail->text();
  }
  record.seconds = read_size(node.at("seconds"));
  if (const JsonNode build = node.at("build"); !build.is_null()) {
    record.build = read_build(build);
  }
  if (const JsonNode conditions = node.at("conditions"); !conditions.is_null()) {
    record.conditions = read_conditions(conditions);
  }
  return record;
}

Pinned read_pinned(const JsonNode& node) {
  node.reject_unknown_keys({"by", "why", "utc"});
  return {node.at("by").text(), node.at("why").text(), read_utc(node.at("utc"))};
}

void read_digests(const JsonNode& node, Dossier& dossier) {
  for (const auto& [entry, sidecar] : node.members()) {
    sidecar.reject_unknown_keys({"file", "sha256"});
    if (dossier.entries.count(entry) == 0) {
      sidecar.fail("unknown key, the dossier has no entry of that name");
    }
    if (sidecar.at("file").string() != sidecar_name(entry)) {
      sidecar.at("file").fail("want \"" + sidecar_name(entry) + "\"");
    }
    const std::string& digest = sidecar.at("sha256").string();
    if (digest.size() != 64 || digest.find_first_not_of("0123456789abcdef") != std::string::npos) {
      sidecar.at("sha256").fail("want 64 lower-case hex digits");
    }
    dossier.sample_digests[entry] = digest;
  }
}

Dossier dossier_from(const JsonNode& top) {
  check_schema(top, "dossier");
  top.reject_unknown_keys({"schema", "kind", "run_id", "suite", "created_utc", "level", "redacted",
                           "pinned", "device", "probes", "entries", "samples"});
  Dossier dossier;
  dossier.run_id = top.at("run_id").text();
  dossier.suite = read_suite(top.at("suite"));
  dossier.created_utc = read_utc(top.at("created_utc"));
  dossier.level = read_level(top.at("level"));
  dossier.redacted = top.at("redacted").boolean();
  if (const auto pinned = top.find("pinned")) {
    dossier.pinned = read_pinned(*pinned);
  }
  dossier.device = read_device(top.at("device"));
  for (const auto& [name, record] : top.at("probes").members()) {
    dossier.probes.emplace(name, read_record(record));
  }
  dossier.entries = read_entries(top.at("entries"));
  for (const auto& [name, entry] : dossier.entries) {
    if (has_raw(entry)) {
      top.at("entries").at(name).at("raw").fail("unknown key: a dossier keeps samples in samples/" +
                                                name + ".json");
    }
  }
  read_digests(top.at("samples"), dossier);
  return dossier;
}

void read_sidecar(const std::filesystem::path& file, const std::string& name, Dossier& dossier) {
  const std::string text = read_file(file);
  const JsonNode top = parse_json(text, file.string());
  if (const std::string digest = sha256_hex(text); digest != dossier.sample_digests.at(name)) {
    top.fail("has SHA-256 " + digest + ", the dossier says " + dossier.sample_digests.at(name));
  }
  check_schema(top, "samples");
  top.reject_unknown_keys({"schema", "kind", "run_id", "suite", "entry", "raw"});
  if (top.at("entry").string() != name) {
    top.at("entry").fail("is \"" + top.at("entry").string() + "\", want \"" + name + "\"");
  }
  if (top.at("run_id").string() != dossier.run_id) {
    top.at("run_id").fail("is of another run, want \"" + dossier.run_id + "\"");
  }
  read_raw(top.at("raw"), dossier.entries.at(name));
}

}  // namespace

const Fact* Dossier::find(std::string_view path) const {
  return find_fact(entries, path);
}

std::string samples_text(const Dossier& dossier, const std::string& entry) {
  Json json = document_head("samples", dossier.run_id, dossier.suite);
  json["entry"] = entry;
  json["raw"] = raw_json(dossier.entries.at(entry));
  return json_text(json);
}

std::string dossier_text(const Dossier& dossier) {
  Json json = document_head("dossier", dossier.run_id, dossier.suite);
  json["created_utc"] = dossier.created_utc;
  json["level"] = to_string(dossier.level);
  json["redacted"] = dossier.redacted;
  if (dossier.pinned) {
    json["pinned"] = {
        {"by", dossier.pinned->by}, {"why", dossier.pinned->why}, {"utc", dossier.pinned->utc}};
  }
  json["device"] = to_json(dossier.device);
  json["probes"] = Json::object();
  for (const auto& [name, record] : dossier.probes) {
    json["probes"][name] = record_json(record);
  }
  json["entries"] = entries_json(dossier.entries, false);
  json["samples"] = Json::object();
  for (const auto& [entry, digest] : digests_of(dossier)) {
    json["samples"][entry] = {{"file", sidecar_name(entry)}, {"sha256", digest}};
  }
  return json_text(json);
}

Dossier dossier_from_text(std::string_view text, const std::string& name) {
  return dossier_from(parse_json(text, name));
}

void write_dossier(const Dossier& dossier, const std::filesystem::path& file) {
  const std::string text = dossier_text(dossier);
  static_cast<void>(dossier_from_text(text, file.string()));  // what is written re-reads
  const std::filesystem::path folder = file.parent_path();
  if (!folder.empty()) {
    std::filesystem::create_directories(folder);
  }
  std::vector<std::string> sidecars;
  for (const auto& [name, entry] : dossier.entries) {
    if (has_raw(entry)) sidecars.push_back(name);
  }
  if (!sidecars.empty()) std::filesystem::create_directories(folder / "samples");
  for (const std::string& name : sidecars) {
    const Sync sync = name == sidecars.back() ? Sync::now : Sync::bytes;
    write_file_atomically(folder / sidecar_name(name), samples_text(dossier, name), sync);
  }
  write_file_atomically(file, text);
}

Dossier read_dossier(const std::filesystem::path& file, bool with_samples) {
  Dossier dossier = dossier_from(read_json(file));
  if (with_samples) {
    for (const auto& [name, digest] : dossier.sample_digests) {
      read_sidecar(file.parent_path() / sidecar_name(name), name, dossier);
    }
  }
  return dossier;
}

}  // namespace assay
