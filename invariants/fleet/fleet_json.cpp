// SPDX-License-Identifier: Apache-2.0
// The document `fleet`.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "dossiers/dossier.h"
#include "dossiers/json/json_writer.h"
#include "invariants/fleet/fleet_document.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json finding_json(const FleetFinding& finding) {
  return {{"path", finding.path},
          {"units", to_string(finding.unit)},
          {"value", number_or_null(finding.value)},
          {"usual", number_or_null(finding.usual)},
          {"effect", number_or_null(finding.effect)},
          {"z", number_or_null(finding.z)},
          {"p", number_or_null(finding.p)},
          {"layer", layer_of(finding)},
          {"drift", finding.drift},
          {"host_peers", finding.host_peers},
          {"before", number_or_null(finding.before)},
          {"confirmed", finding.confirmed}};
}

Json gpu_json(const FleetRun& run, const FleetGpu& gpu) {
  Json json{{"host", run.host},
            {"rack", text_or_null(gpu.rack)},
            {"uuid", run.device.uuid},
            {"run_id", run.run_id},
            {"runs", gpu.runs},
            {"cohort", run.certified ? Json(gpu.cohort) : Json()},
            {"outcome", to_string(gpu.outcome)}};
  if (gpu.outcome == Outcome::pass && gpu.findings.empty()) return json;
  json["layer"] = text_or_null(gpu.layer);
  json["reason"] = gpu.reason;
  json["confirm"] = gpu.confirm;
  json["findings"] = Json::array();
  for (const FleetFinding& finding : gpu.findings)
    json["findings"].push_back(finding_json(finding));
  return json;
}

Json spread_json(const FleetSpread& fact, const FactNames& names) {
  const FactNames::Name& name = names.name(fact.id);
  return {{"path", name.path},
          {"units", to_string(name.unit)},
          {"devices", fact.devices},
          {"median", number_or_null(fact.median)},
          {"scale", number_or_null(fact.scale)},
          {"floor", number_or_null(fact.floor)},
          {"reference", number_or_null(fact.reference)},
          {"shift", fact.reference ? number_or_null(fact.shift) : Json()},
          {"shifted", fact.shifted},
          {"bins", fact.bins}};
}

Json cohort_json(const FleetCohort& cohort, const FactNames& names) {
  Json json{{"product", cohort.product},
            {"vbios", cohort.vbios},
            {"driver", cohort.driver},
            {"power_limit", cohort.power_limit},
            {"ecc", cohort.ecc},
            {"mig", cohort.mig},
            {"topology", cohort.topology},
            {"level", cohort.level},
            {"devices", cohort.gpus.size()},
            {"judged", cohort.judged},
            {"reference_run", text_or_null(cohort.reference_run)},
            {"facts", Json::array()}};
  for (const FleetSpread& fact : cohort.facts) json["facts"].push_back(spread_json(fact, names));
  return json;
}

Json group_json(const FleetGroup& group) {
  return {{"kind", group.kind},          {"name", group.name},
          {"path", group.path},          {"cohort", group.cohort},
          {"devices", group.devices},    {"effect", number_or_null(group.effect)},
          {"z", number_or_null(group.z)}};
}

Json missing_json(const MissingHost& host) {
  return {{"host", host.host},
          {"rack", text_or_null(host.rack)},
          {"expected", host.expected ? Json(*host.expected) : Json()},
          {"found", host.found}};
}

Json counts_json(const FleetEvidence& evidence, const FleetJudgement& judgement) {
  Json outcomes = Json::object();
  for (const Outcome outcome : {Outcome::pass, Outcome::waived, Outcome::fail, Outcome::no_evidence,
                                Outcome::inconclusive}) {
    outcomes[std::string(to_string(outcome))] = judgement.count(outcome);
  }
  return {{"files", evidence.files},
          {"runs", evidence.runs.size()},
          {"gpus", judgement.gpus.size()},
          {"outcomes", outcomes},
          {"provisional",
           std::count_if(judgement.gpus.begin(), judgement.gpus.end(),
                         [&](const FleetGpu& gpu) { return evidence.runs[gpu.run].provisional; })},
          {"missing", judgement.missing.size()},
          {"problems", judgement.problems.size()},
          {"tests", judgement.tests}};
}

/// Names the evidence: the same runs in the same places have the same id.
std::string run_id_of(const FleetEvidence& evidence) {
  std::string all;
  for (const FleetRun& run : evidence.runs) {
    all += run.folder + '\n' + run.run_id + '\n' + std::string(to_string(run.verdict)) + '\n';
  }
  return "fleet-" + sha256_hex(all).substr(0, 16);
}

}  // namespace

std::string fleet_json(const FleetEvidence& evidence, const FleetOptions& options,
                       const FleetJudgement& judgement) {
  Json json = document_head("fleet", run_id_of(evidence), this_suite());
  json["verdict"] = to_string(judgement.verdict);
  json["headline"] = judgement.headline;
  json["rehearsal"] = judgement.rehearsal;
  json["rules"] = {{"q", options.q},
                   {"margin", options.margin},
                   {"p_bound", number_or_null(judgement.p_bound)},
                   {"certified_repeatability", !options.repeatability.empty()},
                   {"expected_hosts", options.expected != nullptr}};
  json["counts"] = counts_json(evidence, judgement);
  json["problems"] = Json::array();
  for (const FleetProblem& problem : judgement.problems) {
    json["problems"].push_back(
        {{"kind", problem.kind}, {"where", problem.where}, {"what", problem.what}});
  }
  json["missing"] = Json::array();
  for (const MissingHost& host : judgement.missing) json["missing"].push_back(missing_json(host));
  json["groups"] = Json::array();
  for (const FleetGroup& group : judgement.groups) json["groups"].push_back(group_json(group));
  json["cohorts"] = Json::array();
  for (const FleetCohort& cohort : judgement.cohorts) {
    json["cohorts"].push_back(cohort_json(cohort, evidence.names));
  }
  json["gpus"] = Json::array();
  for (const FleetGpu& gpu : judgement.gpus) {
    json["gpus"].push_back(gpu_json(evidence.runs[gpu.run], gpu));
  }
  return json_text(json);
}

}  // namespace assay
