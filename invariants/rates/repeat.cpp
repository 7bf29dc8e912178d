// SPDX-License-Identifier: Apache-2.0
// What came of judging the same healthy device again and again?
#include "invariants/rates/repeat.h"

#include <algorithm>
#include <set>

#include "invariants/certificate.h"

namespace assay {
namespace {

bool is_alarm(Outcome outcome) {
  return outcome == Outcome::fail || outcome == Outcome::no_evidence;
}

RunFailure failure_of(const Judgement& judgement, const std::string& run_id) {
  RunFailure failure{run_id, judgement.verdict, {}};
  for (const Verdict& verdict : judgement.verdicts) {
    if (is_alarm(verdict.outcome)) failure.invariants.push_back(verdict.id);
  }
  return failure;
}

FactSpread spread_of(const std::vector<double>& values, Unit units) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {units,
          static_cast<std::int64_t>(values.size()),
          median(values).value(),
          *low,
          *high,
          relative_spread(values)};
}

std::string product_of(const Repeat& repeat) {
  return repeat.product + " (" + std::to_string(repeat.cc_major) + "." +
         std::to_string(repeat.cc_minor) + ")";
}

}  // namespace

std::int64_t count_of(const OutcomeCounts& counts, Outcome outcome) {
  const auto found = counts.find(outcome);
  return found == counts.end() ? 0 : found->second;
}

RepeatTotals totals_of(const Repeat& repeat) {
  RepeatTotals totals;
  for (const RepeatSession& session : repeat.sessions) {
    totals.runs += session.ran;
    for (const auto& [outcome, count] : session.verdicts) totals.verdicts[outcome] += count;
    for (const auto& [id, counts] : session.invariants) {
      for (const auto& [outcome, count] : counts) totals.invariants[id][outcome] += count;
    }
  }
  for (const auto& [outcome, count] : totals.verdicts) {
    const bool decides = outcome != Outcome::inconclusive && outcome != Outcome::not_applicable;
    totals.decided += decides ? count : 0;
    totals.failed += is_alarm(outcome) ? count : 0;
  }
  if (!repeat.replay) {
    totals.bound = clopper_pearson(totals.failed, totals.decided, kRateConfidence);
  }
  return totals;
}

void RepeatTally::add(Outcome verdict) {
  ++session_.ran;
  ++session_.verdicts[verdict];
}

void RepeatTally::add(const Judgement& judgement, const Dossier& dossier) {
  add(judgement.verdict);
  for (const Verdict& verdict : judgement.verdicts) {
    ++session_.invariants[verdict.id][verdict.outcome];
  }
  if (is_alarm(judgement.verdict)) {
    session_.failures.push_back(failure_of(judgement, dossier.run_id));
  }
  for (const auto& [entry, measurement] : dossier.entries) {
    for (const auto& [key, fact] : measurement.facts) {
      const auto number = as_number(fact.value);
      if (fact.samples == 0 || !number) continue;
      const std::string path = fact_path(entry, key);
      units_.emplace(path, fact.units);
      values_[path].push_back(*number);
    }
  }
}

RepeatSession RepeatTally::session() const {
  RepeatSession session = session_;
  for (const auto& [path, values] : values_) {
    session.facts.emplace(path, spread_of(values, units_.at(path)));
  }
  return session;
}

std::vector<FactSpread> Repeat::spreads_of(std::string_view path) const {
  std::vector<FactSpread> spreads;
  const bool is_outdated =
      std::any_of(outdated_facts.begin(), outdated_facts.end(),
                  [path](const std::string& start) { return path.starts_with(start); });
  if (is_outdated) return spreads;
  for (const RepeatSession& session : sessions) {
    const auto found = session.facts.find(std::string(path));
    if (found != session.facts.end()) spreads.push_back(found->second);
  }
  return spreads;
}

Repeat repeat_of(const SuiteIdentity& suite, const DeviceIdentity& device, Level level,
                 const std::string& judging_sha256, bool replay) {
  Repeat repeat;
  repeat.suite = suite;
  repeat.product = device.name;
  repeat.cc_major = device.cc_major;
  repeat.cc_minor = device.cc_minor;
  repeat.level = level;
  repeat.replay = replay;
  repeat.judging_sha256 = judging_sha256;
  return repeat;
}

std::string why_apart(const Repeat& a, const Repeat& b) {
  if (!(a.suite == b.suite)) {
    return "of another build of the suite: " + a.suite.version + " " + a.suite.commit + " and " +
           b.suite.version + " " + b.suite.commit;
  }
  if (product_of(a) != product_of(b)) {
    return "of another product: " + product_of(a) + " and " + product_of(b);
  }
  if (a.level != b.level) {
    return "of another level: " + std::string(to_string(a.level)) + " and " +
           std::string(to_string(b.level));
  }
  if (a.judging_sha256 != b.judging_sha256) {
    return "judged by other rules: " + a.judging_sha256 + " and " + b.judging_sha256;
  }
  return a.replay == b.replay ? "" : "one measured a device, the other judged a recorded dossier";
}

void merge(Repeat& into, const Repeat& more) {
  if (const std::string why = why_apart(into, more); !why.empty()) {
    throw DataError("these repeats cannot be counted together, " + why);
  }
  for (const RepeatSession& session : more.sessions) {
    const bool known =
        std::any_of(into.sessions.begin(), into.sessions.end(),
                    [&](const RepeatSession& other) { return other.id == session.id; });
    if (!known) into.sessions.push_back(session);
  }
  std::set<std::string> outdated(into.outdated_facts.begin(), into.outdated_facts.end());
  outdated.insert(more.outdated_facts.begin(), more.outdated_facts.end());
  into.outdated_facts.assign(outdated.begin(), outdated.end());
}

}  // namespace assay
