// SPDX-License-Identifier: Apache-2.0
// How does a certificate stand in a file, and what does its seal cover?
#include <nlohmann/json.hpp>

#include "dossiers/json/identity_json.h"
#include "dossiers/json/json_writer.h"
#include "invariants/certificate.h"
#include "invariants/rates/rate_json.h"
#include "invariants/seal.h"
#include "invariants/verdict_json.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kScope =
    "Holds for this device with this VBIOS and this driver branch, in the conditions stated. It "
    "does not extend to another device of the product, nor to a change of VBIOS, ECC mode, MIG "
    "layout or power limit. After a change of driver, a run of level quick with drift against this "
    "run's dossier is enough.";
constexpr std::string_view kReplayScope =
    "A replay judges recorded evidence again. It certifies no machine.";

Json statement_json(const Certificate& certificate) {
  Json json;
  json["verdict"] = to_string(certificate.verdict);
  json["headline"] = certificate.headline;
  json["level"] = to_string(certificate.level);
  json["provisional"] = certificate.provisional;
  json["catalog"] = {{"version", certificate.catalog_version},
                     {"sha256", certificate.catalog_sha256},
                     {"judging_sha256", certificate.judging_sha256}};
  json["mustpass"] = {{"id", certificate.mustpass_id},
                      {"version", certificate.mustpass_version},
                      {"sha256", certificate.mustpass_sha256}};
  json["dossier_sha256"] = certificate.dossier_sha256;
  return json;
}

Json conditions_json(const Certificate& certificate) {
  Json json = Json::object();
  for (const auto& [name, record] : certificate.probes) {
    Json& probe = json[name];
    probe["status"] = to_string(record.status);
    probe["reason"] = record.reason;
    probe["exit_code"] = record.exit_code ? Json(*record.exit_code) : Json(nullptr);
    probe["signal"] = record.signal ? Json(*record.signal) : Json(nullptr);
    probe["timed_out"] = record.timed_out;
    probe["seconds"] = number_or_null(record.seconds);
    probe["build"] = record.build ? to_json(*record.build) : Json(nullptr);
    probe["window"] = record.conditions ? to_json(*record.conditions) : Json(nullptr);
  }
  return json;
}

std::string_view confidence_name(Confidence confidence) {
  if (confidence == Confidence::low) return "low";
  return confidence == Confidence::medium ? "medium" : "high";
}

Json fact_json(const CertifiedFact& certified) {
  const Fact& fact = certified.fact;
  Json json;
  json["value"] = value_json(fact.value);
  json["units"] = to_string(fact.units);
  json["clock_ghz"] = number_or_null(fact.clock_ghz);
  json["samples"] = fact.samples;
  json["rel_spread"] = number_or_null(fact.rel_spread);
  json["confidence"] = confidence_name(fact.confidence);
  if (fact.reason) json["reason"] = to_string(*fact.reason);
  if (certified.ceiling) {
    json["ceiling"] = number_or_null(certified.ceiling->ceiling);
    json["ceiling_from"] = certified.ceiling->from;
    json["percent"] = number_or_null(certified.ceiling->percent);
  }
  return json;
}

Json gaps_json(const std::vector<Gap>& gaps) {
  Json json = Json::array();
  for (const Gap& gap : gaps) {
    json.push_back(
        {{"what", gap.what}, {"reason", gap.reason}, {"outcome", to_string(gap.outcome)}});
  }
  return json;
}

Json drift_json(const Certificate& certificate) {
  if (!certificate.drift) return nullptr;
  const Drift& drift = *certificate.drift;
  Json json;
  json["pinned"] = {{"run_id", certificate.pinned_run_id}, {"sha256", certificate.pinned_sha256}};
  json["same_device"] = drift.same_device;
  json["pass"] = drift.pass;
  json["compared"] = drift.compared;
  json["over_tol"] = drift.over_tol;
  json["worst_rel"] = number_or_null(drift.worst_rel);
  json["over"] = Json::array();
  for (const DriftEntry& entry : drift.entries) {
    if (!entry.over) continue;
    json["over"].push_back({{"path", entry.path},
                            {"current", number_or_null(entry.current)},
                            {"pinned", number_or_null(entry.pinned)},
                            {"rel", number_or_null(entry.rel)},
                            {"tolerance", number_or_null(entry.tolerance)},
                            {"direction", to_string(entry.drifted)}});
  }
  json["missing"] = drift.missing;
  json["added"] = drift.added;
  json["differences"] = drift.differences;
  return json;
}

Json waivers_json(const std::vector<WaiverUse>& waivers) {
  Json json = Json::array();
  for (const WaiverUse& use : waivers) {
    json.push_back({{"id", use.id},
                    {"invariant", use.invariant},
                    {"issue", use.issue},
                    {"author", use.author},
                    {"expires", use.expires},
                    {"expired", use.expired}});
  }
  return json;
}

Json suite_json(const SuiteIdentity& suite) {
  return {{"version", suite.version}, {"commit", suite.commit}, {"dirty", suite.dirty}};
}

Json measured_json(const Certificate& certificate) {
  if (!certificate.rates.measured) return nullptr;
  const MeasuredAlarms& measured = *certificate.rates.measured;
  return {{"source", "device"},
          {"document_sha256", measured.sha256},
          {"suite", suite_json(measured.suite)},
          {"same_judging", measured.judging_sha256 == certificate.judging_sha256},
          {"sessions", measured.sessions},
          {"runs", measured.totals.runs},
          {"decided", measured.totals.decided},
          {"failed", measured.totals.failed},
          {"failure_rate", bound_json(measured.totals.bound)}};
}

Json model_json(const Certificate& certificate) {
  if (!certificate.rates.model) return nullptr;
  const auto& [model, sha256] = *certificate.rates.model;
  Json json = {{"source", "model"},
               {"document_sha256", sha256},
               {"run_id", model.run_id},
               {"suite", suite_json(model.suite)},
               {"same_judging", model.judging_sha256 == certificate.judging_sha256},
               {"facts_drawn", model.facts_drawn},
               {"facts_between", model.facts_between},
               {"rows", Json::array()}};
  for (const PowerRow& row : model.rows) json["rows"].push_back(to_json(row));
  return json;
}

/// Bytes that are not UTF-8 are replaced as in the written text.
std::string digest_of(const nlohmann::json& sorted) {
  return sha256_hex(sorted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

std::string seal_digest(const std::string& text) {
  nlohmann::json sorted = nlohmann::json::parse(text);
  sorted.erase("seal");
  return digest_of(sorted);
}

std::string certificate_text(const Certificate& certificate) {
  Json json = document_head(certificate.replay ? "replay" : "certificate", certificate.run_id,
                            certificate.suite);
  json["created_utc"] = certificate.created_utc;
  json["statement"] = statement_json(certificate);
  json["subject"] = to_json(certificate.device);
  json["conditions"] = conditions_json(certificate);
  json["facts"] = Json::object();
  for (const CertifiedFact& fact : certificate.facts) json["facts"][fact.path] = fact_json(fact);
  json["invariants"] = Json::array();
  for (const Verdict& verdict : certificate.verdicts) {
    json["invariants"].push_back(to_json(verdict));
  }
  json["waivers"] = waivers_json(certificate.waivers);
  json["completeness"] = {{"missing", gaps_json(certificate.completeness.missing)},
                          {"skipped", gaps_json(certificate.completeness.skipped)},
                          {"unlisted", certificate.completeness.unlisted}};
  json["drift"] = drift_json(certificate);
  json["error_rates"] = {{"measured", measured_json(certificate)},
                         {"model", model_json(certificate)},
                         {"absent", certificate.rates.absent}};
  json["scope"] = certificate.replay ? kReplayScope : kScope;
  json["seal"] = {{"algorithm", "sha256"}, {"digest", digest_of(nlohmann::json(json))}};
  return json_text(json);
}

}  // namespace assay
