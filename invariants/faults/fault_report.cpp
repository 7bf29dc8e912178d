// SPDX-License-Identifier: Apache-2.0
// What came of the faults, for people and for the record?
#include "invariants/faults/fault_report.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include <nlohmann/json.hpp>

#include "dossiers/json/json_reader.h"
#include "dossiers/json/json_writer.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

std::size_t count(const Outcomes& outcomes, Outcome wanted) {
  return static_cast<std::size_t>(std::count_if(
      outcomes.begin(), outcomes.end(), [&](const auto& entry) { return entry.second == wanted; }));
}

Json outcomes_json(const Outcomes& outcomes) {
  Json json = Json::object();
  for (const auto& [id, outcome] : outcomes) json[id] = to_string(outcome);
  return json;
}

Json fault_json(const FaultOutcome& fault) {
  return {{"id", fault.id},
          {"outcome", to_string(fault.result.outcome)},
          {"problems", fault.result.problems},
          {"probes", fault.probes},
          {"healthy", outcomes_json(fault.healthy)},
          {"faulty", outcomes_json(fault.faulty)}};
}

Outcome read_outcome(const JsonNode& node) {
  const auto outcome = outcome_from(node.text());
  if (!outcome) node.fail("is no outcome");
  return *outcome;
}

Outcomes read_outcomes(const JsonNode& node) {
  Outcomes outcomes;
  for (const auto& [id, outcome] : node.members()) outcomes[id] = read_outcome(outcome);
  return outcomes;
}

}  // namespace

std::string fault_table(const std::vector<FaultOutcome>& outcomes) {
  std::ostringstream text;
  text << std::left << std::setw(14) << "fault" << std::setw(14) << "verdict" << std::right
       << std::setw(6) << "fail" << std::setw(14) << "inconclusive" << std::setw(6) << "pass"
       << '\n';
  for (const FaultOutcome& fault : outcomes) {
    text << std::left << std::setw(14) << fault.id << std::setw(14)
         << to_string(fault.result.outcome) << std::right << std::setw(6)
         << count(fault.faulty, Outcome::fail) << std::setw(14)
         << count(fault.faulty, Outcome::inconclusive) << std::setw(6)
         << count(fault.faulty, Outcome::pass) << '\n';
  }
  for (const FaultOutcome& fault : outcomes) {
    for (const std::string& problem : fault.result.problems) {
      text << fault.id << ": " << problem << '\n';
    }
  }
  return text.str();
}

std::string fault_record(const Run& run, const std::vector<FaultOutcome>& outcomes) {
  Json tests = Json::array();
  Json faults = Json::array();
  for (const FaultOutcome& fault : outcomes) {
    tests.push_back({{"name", "fault." + fault.id}, {"verdict", to_string(fault.result.outcome)}});
    faults.push_back(fault_json(fault));
  }
  Json json{{"schema", "1.0.0"},
            {"kind", "gpu_run"},
            {"commit", run.suite.commit},
            {"run_id", run.run_id},
            {"device", run.device.name},
            {"driver", run.device.driver},
            {"utc", run.created_utc},
            {"tests", tests},
            {"faults", faults}};
  return json_text(json);
}

std::vector<FaultOutcome> read_fault_record(const std::filesystem::path& file) {
  std::vector<FaultOutcome> outcomes;
  for (const JsonNode& node : read_json(file).at("faults").items()) {
    FaultOutcome fault;
    fault.id = node.at("id").text();
    for (const auto& [probe, end] : node.at("probes").members()) fault.probes[probe] = end.text();
    fault.healthy = read_outcomes(node.at("healthy"));
    fault.faulty = read_outcomes(node.at("faulty"));
    fault.result.outcome = read_outcome(node.at("outcome"));
    fault.result.problems = node.at("problems").strings();
    outcomes.push_back(std::move(fault));
  }
  return outcomes;
}

}  // namespace assay
