// SPDX-License-Identifier: Apache-2.0
// How does the evidence of one probe become a file and come back?
#include "dossiers/evidence.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "dossiers/dossier.h"
#include "dossiers/json/document.h"
#include "dossiers/json/identity_json.h"
#include "dossiers/json/json_writer.h"
#include "dossiers/json/measurement_json.h"

namespace assay {
namespace {

constexpr std::array<std::pair<ProbeStatus, std::string_view>, 4> kStatusNames{{
    {ProbeStatus::measured, "measured"},
    {ProbeStatus::inconclusive, "inconclusive"},
    {ProbeStatus::not_applicable, "not_applicable"},
    {ProbeStatus::failed, "failed"},
}};

Measurements measurements_from(Entries entries) {
  Measurements measurements;
  for (auto& [name, entry] : entries) {
    for (auto& [key, fact] : entry.facts) {
      measurements.add(fact_path(name, key), std::move(fact));
    }
    if (!entry.note.empty()) {
      measurements.note(name, entry.note);
    }
  }
  return measurements;
}

Evidence evidence_from(const JsonNode& top) {
  check_schema(top, "evidence");
  top.reject_unknown_keys({"schema", "kind", "run_id", "suite", "probe", "device", "build", "level",
                           "started_utc", "seconds", "status", "reason", "conditions", "entries"});
  Evidence evidence;
  evidence.run_id = top.at("run_id").string();
  evidence.suite = read_suite(top.at("suite"));
  evidence.probe = top.at("probe").text();
  evidence.device = read_device(top.at("device"));
  evidence.build = read_build(top.at("build"));
  evidence.level = read_level(top.at("level"));
  evidence.started_utc = read_utc(top.at("started_utc"));
  evidence.seconds = read_size(top.at("seconds"));
  evidence.status = read_status(top.at("status"));
  if (const auto reason = top.find("reason")) {
    evidence.reason = reason->text();
  } else if (evidence.status != ProbeStatus::measured) {
    top.fail("has no \"reason\", which every status but measured needs");
  }
  evidence.conditions = read_conditions(top.at("conditions"));
  evidence.measurements = measurements_from(read_entries(top.at("entries")));
  return evidence;
}

}  // namespace

std::string_view to_string(ProbeStatus status) {
  for (const auto& [known, name] : kStatusNames) {
    if (known == status) {
      return name;
    }
  }
  return "failed";
}

std::optional<ProbeStatus> probe_status_from(std::string_view name) {
  for (const auto& [status, known] : kStatusNames) {
    if (known == name) {
      return status;
    }
  }
  return std::nullopt;
}

int exit_code_of(ProbeStatus status) {
  switch (status) {
    case ProbeStatus::measured:
      return 0;
    case ProbeStatus::inconclusive:
      return 75;
    case ProbeStatus::not_applicable:
      return 77;
    case ProbeStatus::failed:
      return 1;
  }
  return 1;
}

std::string evidence_text(const Evidence& evidence) {
  nlohmann::ordered_json json = document_head("evidence", evidence.run_id, evidence.suite);
  json["probe"] = evidence.probe;
  json["device"] = to_json(evidence.device);
  json["build"] = to_json(evidence.build);
  json["level"] = to_string(evidence.level);
  json["started_utc"] = evidence.started_utc;
  json["seconds"] = number_or_null(evidence.seconds);
  json["status"] = to_string(evidence.status);
  if (!evidence.reason.empty()) {
    json["reason"] = evidence.reason;
  }
  json["conditions"] = to_json(evidence.conditions);
  json["entries"] = entries_json(evidence.measurements.entries(), true);
  return json_text(json);
}

void write_evidence(const Evidence& evidence, const std::filesystem::path& file) {
  const std::string text = evidence_text(evidence);
  static_cast<void>(evidence_from(parse_json(text, file.string())));  // what is written re-reads
  write_file_atomically(file, text);
}

Evidence read_evidence(const std::filesystem::path& file) {
  return evidence_from(read_json(file));
}

}  // namespace assay
