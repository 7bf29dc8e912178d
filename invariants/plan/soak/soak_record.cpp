// SPDX-License-Identifier: Apache-2.0
// How does a soak's record become a file and come back?
#include "invariants/plan/soak/soak_record.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "dossiers/dossier.h"
#include "dossiers/json/document.h"
#include "dossiers/json/identity_json.h"
#include "dossiers/json/json_reader.h"
#include "dossiers/json/json_writer.h"
#include "dossiers/json/measurement_json.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;
using Counter = Answer<std::uint64_t> HealthCounters::*;

const std::vector<std::pair<const char*, Counter>>& counters() {
  static const std::vector<std::pair<const char*, Counter>> all = {
      {"ecc_corrected", &HealthCounters::ecc_corrected},
      {"ecc_uncorrected", &HealthCounters::ecc_uncorrected},
      {"pcie_replays", &HealthCounters::pcie_replays},
      {"nvlink_retries", &HealthCounters::nvlink_retries},
      {"nvlink_recoveries", &HealthCounters::nvlink_recoveries},
      {"rows_remapped", &HealthCounters::rows_remapped},
      {"rows_pending", &HealthCounters::rows_pending},
      {"rows_failed", &HealthCounters::rows_failed},
      {"pages_pending", &HealthCounters::pages_pending}};
  return all;
}

/// A number, or the text that says why there is none.
Json counters_json(const HealthCounters& health) {
  Json json = Json::object();
  for (const auto& [name, counter] : counters()) {
    const auto& answer = health.*counter;
    json[name] = answer ? Json(*answer.value) : Json(answer.why);
  }
  return json;
}

HealthCounters read_counters(const JsonNode& node) {
  for (const auto& [name, value] : node.members()) {
    const auto is_it = [&sought = name](const auto& counter) { return counter.first == sought; };
    if (std::none_of(counters().begin(), counters().end(), is_it)) {
      value.fail("\"" + name + "\" is no counter");
    }
  }
  HealthCounters health;
  for (const auto& [name, counter] : counters()) {
    const JsonNode value = node.at(name);
    health.*counter = value.kind() == JsonKind::string
                          ? no_answer<std::uint64_t>(value.string())
                          : Answer<std::uint64_t>{value.unsigned_integer(), {}};
  }
  return health;
}

Json rounds_json(const SoakRecord& record) {
  Json json = Json::object();
  for (const auto& [outcome, count] : record.rounds) json[std::string(to_string(outcome))] = count;
  return json;
}

Json kept_json(const SoakRecord& record) {
  Json json = Json::array();
  for (const KeptRound& kept : record.kept) {
    json.push_back(
        {{"round", kept.round}, {"outcome", to_string(kept.outcome)}, {"reason", kept.reason}});
  }
  return json;
}

Outcome read_outcome(const JsonNode& node) {
  const auto outcome = outcome_from(node.string());
  if (!outcome) node.fail("is no verdict");
  return *outcome;
}

void read_rounds(const JsonNode& node, SoakRecord& record) {
  for (const auto& [name, count] : node.members()) {
    const auto outcome = outcome_from(name);
    if (!outcome) count.fail("\"" + name + "\" is no verdict");
    record.rounds[*outcome] = count.unsigned_integer();
  }
}

SoakRecord soak_from(const JsonNode& top) {
  check_schema(top, "soak");
  top.reject_unknown_keys({"schema",      "kind",        "run_id",      "suite",   "device",
                           "created_utc", "updated_utc", "wanted_s",    "clean_s", "total_s",
                           "rounds",      "resumed",     "first_fault", "kept",    "before",
                           "xids",        "health",      "finished",    "verdict", "reason"});
  SoakRecord record;
  record.run_id = top.at("run_id").text();
  record.suite = read_suite(top.at("suite"));
  record.device = read_device(top.at("device"));
  record.created_utc = read_utc(top.at("created_utc"));
  record.updated_utc = read_utc(top.at("updated_utc"));
  record.wanted_s = read_size(top.at("wanted_s"));
  record.clean_s = read_size(top.at("clean_s"));
  record.total_s = read_size(top.at("total_s"));
  read_rounds(top.at("rounds"), record);
  record.resumed = top.at("resumed").unsigned_integer();
  record.first_fault = top.at("first_fault").string();
  for (const JsonNode& item : top.at("kept").items()) {
    item.reject_unknown_keys({"round", "outcome", "reason"});
    record.kept.push_back({item.at("round").unsigned_integer(), read_outcome(item.at("outcome")),
                           item.at("reason").string()});
  }
  record.before = read_counters(top.at("before"));
  for (const JsonNode& xid : top.at("xids").items()) {
    record.xids.push_back(xid.unsigned_integer());
  }
  record.health = read_entries(top.at("health"));
  record.finished = top.at("finished").boolean();
  record.verdict = read_outcome(top.at("verdict"));
  record.reason = top.at("reason").string();
  return record;
}

}  // namespace

std::uint64_t SoakRecord::rounds_done() const {
  std::uint64_t done = 0;
  for (const auto& [outcome, count] : rounds) done += count;
  return done;
}

std::uint64_t SoakRecord::rounds_of(Outcome outcome) const {
  const auto found = rounds.find(outcome);
  return found == rounds.end() ? 0 : found->second;
}

std::string soak_text(const SoakRecord& record) {
  Json json = document_head("soak", record.run_id, record.suite);
  json["device"] = to_json(record.device);
  json["created_utc"] = record.created_utc;
  json["updated_utc"] = record.updated_utc;
  json["wanted_s"] = record.wanted_s;
  json["clean_s"] = record.clean_s;
  json["total_s"] = record.total_s;
  json["rounds"] = rounds_json(record);
  json["resumed"] = record.resumed;
  json["first_fault"] = record.first_fault;
  json["kept"] = kept_json(record);
  json["before"] = counters_json(record.before);
  json["xids"] = record.xids;
  json["health"] = entries_json(record.health, false);
  json["finished"] = record.finished;
  json["verdict"] = to_string(record.verdict);
  json["reason"] = record.reason;
  return json_text(json);
}

void write_soak(const SoakRecord& record, const std::filesystem::path& file) {
  const std::string text = soak_text(record);
  static_cast<void>(soak_from(parse_json(text, file.string())));  // what is written re-reads
  write_file_atomically(file, text);
}

SoakRecord read_soak(const std::filesystem::path& file) {
  return soak_from(read_json(file));
}

}  // namespace assay
