// SPDX-License-Identifier: Apache-2.0
// How do repeated runs become a file and come back?
#include <cmath>

#include <nlohmann/json.hpp>

#include "dossiers/json/document.h"
#include "dossiers/json/identity_json.h"
#include "dossiers/json/json_writer.h"
#include "invariants/rates/rate_json.h"
#include "invariants/rates/repeat.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

Json facts_json(const std::map<std::string, FactSpread>& facts) {
  Json json = Json::object();
  for (const auto& [path, fact] : facts) {
    json[path] = {
        {"units", to_string(fact.units)},        {"runs", fact.runs},
        {"median", number_or_null(fact.median)}, {"low", number_or_null(fact.low)},
        {"high", number_or_null(fact.high)},     {"robust_cv", number_or_null(fact.robust_cv)}};
  }
  return json;
}

Json failures_json(const std::vector<RunFailure>& failures) {
  Json json = Json::array();
  for (const RunFailure& failure : failures) {
    json.push_back({{"run_id", failure.run_id},
                    {"verdict", to_string(failure.verdict)},
                    {"invariants", failure.invariants}});
  }
  return json;
}

Json invariants_json(const std::map<std::string, OutcomeCounts>& invariants) {
  Json json = Json::object();
  for (const auto& [id, counts] : invariants) json[id] = counts_json(counts);
  return json;
}

Json session_json(const RepeatSession& session) {
  Json json;
  json["id"] = session.id;
  json["device"] = session.device;
  json["driver"] = session.driver;
  json["started_utc"] = session.started_utc;
  json["ended_utc"] = session.ended_utc;
  json["asked"] = session.asked;
  json["ran"] = session.ran;
  json["verdicts"] = counts_json(session.verdicts);
  json["invariants"] = invariants_json(session.invariants);
  json["failures"] = failures_json(session.failures);
  json["facts"] = facts_json(session.facts);
  return json;
}

Outcome read_outcome(const JsonNode& node) {
  const auto outcome = outcome_from(node.string());
  if (!outcome) {
    node.fail("want pass, fail, inconclusive, not_applicable, no_evidence or waived");
  }
  return *outcome;
}

FactSpread read_fact(const JsonNode& node) {
  node.reject_unknown_keys({"units", "runs", "median", "low", "high", "robust_cv"});
  FactSpread fact;
  const auto units = unit_from(node.at("units").string());
  if (!units) node.at("units").fail("is no known unit");
  fact.units = *units;
  fact.runs = node.at("runs").integer(1);
  fact.median = node.at("median").number();
  fact.low = node.at("low").number();
  fact.high = node.at("high").number();
  if (!(fact.low <= fact.median && fact.median <= fact.high)) {
    node.at("median").fail("lies outside low to high");
  }
  const JsonNode cv = node.at("robust_cv");
  if (!cv.is_null()) {
    fact.robust_cv = cv.number();
    if (!(*fact.robust_cv >= 0.0)) cv.fail("is negative, want 0 or more");
  }
  return fact;
}

RunFailure read_failure(const JsonNode& node) {
  node.reject_unknown_keys({"run_id", "verdict", "invariants"});
  return {node.at("run_id").text(), read_outcome(node.at("verdict")),
          node.at("invariants").strings()};
}

void check_sum(const JsonNode& node, const OutcomeCounts& counts, std::int64_t want) {
  std::int64_t sum = 0;
  for (const auto& [outcome, count] : counts) sum += count;
  if (sum != want) {
    node.fail("counts " + std::to_string(sum) + " runs, want the " + std::to_string(want) +
              " of \"ran\"");
  }
}

RepeatSession read_session(const JsonNode& node) {
  node.reject_unknown_keys({"id", "device", "driver", "started_utc", "ended_utc", "asked", "ran",
                            "verdicts", "invariants", "failures", "facts"});
  RepeatSession session;
  session.id = node.at("id").text();
  session.device = node.at("device").text();
  session.driver = node.at("driver").string();
  session.started_utc = read_utc(node.at("started_utc"));
  session.ended_utc = read_utc(node.at("ended_utc"));
  session.asked = node.at("asked").integer(1);
  session.ran = node.at("ran").integer(0, session.asked);
  session.verdicts = read_counts(node.at("verdicts"));
  check_sum(node.at("verdicts"), session.verdicts, session.ran);
  for (const auto& [id, counts] : node.at("invariants").members()) {
    session.invariants.emplace(id, read_counts(counts));
  }
  for (const JsonNode& item : node.at("failures").items()) {
    session.failures.push_back(read_failure(item));
  }
  for (const auto& [path, fact] : node.at("facts").members()) {
    session.facts.emplace(path, read_fact(fact));
  }
  return session;
}

Json totals_json(const RepeatTotals& totals) {
  return {{"runs", totals.runs},
          {"decided", totals.decided},
          {"failed", totals.failed},
          {"verdicts", counts_json(totals.verdicts)},
          {"failure_rate", bound_json(totals.bound)}};
}

void check_totals(const JsonNode& node, const RepeatTotals& totals) {
  node.reject_unknown_keys({"runs", "decided", "failed", "verdicts", "failure_rate"});
  const auto same = [&node](const char* key, std::int64_t want) {
    if (node.at(key).integer() != want) {
      node.at(key).fail("the sessions make it " + std::to_string(want));
    }
  };
  same("runs", totals.runs);
  same("decided", totals.decided);
  same("failed", totals.failed);
  if (read_counts(node.at("verdicts")) != totals.verdicts) {
    node.at("verdicts").fail("are not the sum of the sessions");
  }
  const JsonNode bound = node.at("failure_rate");
  if (totals.bound) {
    check_bound(bound, totals.failed, totals.decided);
  } else if (!bound.is_null()) {
    bound.fail("a replay says nothing of a rate, want null");
  }
}

}  // namespace

Json counts_json(const OutcomeCounts& counts) {
  Json json = Json::object();
  for (const auto& [outcome, count] : counts) json[std::string(to_string(outcome))] = count;
  return json;
}

OutcomeCounts read_counts(const JsonNode& node) {
  OutcomeCounts counts;
  for (const auto& [name, count] : node.members()) {
    const auto outcome = outcome_from(name);
    if (!outcome) count.fail("unknown key, want the name of a verdict");
    counts[*outcome] = count.integer(1);
  }
  return counts;
}

Json bound_json(const std::optional<RateBound>& bound) {
  if (!bound) return nullptr;
  return {{"confidence", kRateConfidence},
          {"low", number_or_null(bound->low)},
          {"high", number_or_null(bound->high)},
          {"upper", number_or_null(bound->upper)}};
}

void check_bound(const JsonNode& node, std::int64_t k, std::int64_t n) {
  node.reject_unknown_keys({"confidence", "low", "high", "upper"});
  if (node.at("confidence").number() != kRateConfidence) node.at("confidence").fail("want 0.95");
  const RateBound want = clopper_pearson(k, n, kRateConfidence);
  // Another C library may round the logarithms otherwise in the last digits.
  constexpr double kClose = 1e-9;
  const auto same = [&node](const char* key, double value) {
    if (!(std::abs(node.at(key).number() - value) <= kClose)) {
      node.at(key).fail("is not the bound of these counts, want " + std::to_string(value));
    }
  };
  same("low", want.low);
  same("high", want.high);
  same("upper", want.upper);
}

std::string repeat_text(const Repeat& repeat) {
  const std::string id = repeat.sessions.empty() ? "" : repeat.sessions.front().id;
  Json json = document_head("repeat", id, repeat.suite);
  json["subject"] = {
      {"name", repeat.product}, {"cc_major", repeat.cc_major}, {"cc_minor", repeat.cc_minor}};
  json["level"] = to_string(repeat.level);
  json["source"] = repeat.replay ? "replay" : "device";
  json["judging_sha256"] = repeat.judging_sha256;
  json["totals"] = totals_json(totals_of(repeat));
  json["sessions"] = Json::array();
  for (const RepeatSession& session : repeat.sessions) {
    json["sessions"].push_back(session_json(session));
  }
  if (!repeat.outdated_facts.empty()) json["outdated_facts"] = repeat.outdated_facts;
  return json_text(json);
}

Repeat read_repeat(const std::filesystem::path& file) {
  const JsonNode top = read_json(file);
  check_schema(top, "repeat");
  top.reject_unknown_keys({"schema", "kind", "run_id", "suite", "subject", "level", "source",
                           "judging_sha256", "totals", "sessions", "outdated_facts"});
  Repeat repeat;
  repeat.suite = read_suite(top.at("suite"));
  const JsonNode subject = top.at("subject");
  subject.reject_unknown_keys({"name", "cc_major", "cc_minor"});
  repeat.product = subject.at("name").text();
  repeat.cc_major = static_cast<int>(subject.at("cc_major").integer(1, 99));
  repeat.cc_minor = static_cast<int>(subject.at("cc_minor").integer(0, 9));
  repeat.level = read_level(top.at("level"));
  const std::string& source = top.at("source").string();
  if (source != "device" && source != "replay") top.at("source").fail("want device or replay");
  repeat.replay = source == "replay";
  repeat.judging_sha256 = top.at("judging_sha256").text();
  for (const JsonNode& item : top.at("sessions").items()) {
    repeat.sessions.push_back(read_session(item));
  }
  if (repeat.sessions.empty()) top.at("sessions").fail("is empty, want one session or more");
  if (top.at("run_id").string() != repeat.sessions.front().id) {
    top.at("run_id").fail("is not the id of the first session");
  }
  check_totals(top.at("totals"), totals_of(repeat));
  if (const auto outdated = top.find("outdated_facts")) {
    repeat.outdated_facts = outdated->strings();
    for (const JsonNode& start : outdated->items()) {
      if (start.text().find('.') == std::string::npos)
        start.fail("want the start of \"entry.key\"");
    }
  }
  return repeat;
}

}  // namespace assay
