// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/conditions.h"

#include <algorithm>
#include <utility>

#include "dossiers/driver/clock_reasons.h"

namespace assay {

namespace {

/// The greater of two readings; an unknown one does not count.
template <typename T>
void raise(std::optional<T>& greatest, const std::optional<T>& value) {
  if (value && (!greatest || *greatest < *value)) {
    greatest = value;
  }
}

std::vector<Process> merged_processes(const std::vector<TelemetrySnapshot>& snapshots) {
  std::vector<Process> all;
  for (const TelemetrySnapshot& snapshot : snapshots) {
    for (const Process& process : snapshot.other_processes.value_or(std::vector<Process>{})) {
      if (std::find(all.begin(), all.end(), process) == all.end()) {
        all.push_back(process);
      }
    }
  }
  return all;
}

std::optional<double> power_cap_ms(const std::vector<TelemetrySnapshot>& snapshots) {
  if (snapshots.empty() || !snapshots.front().power_cap_ns || !snapshots.back().power_cap_ns ||
      *snapshots.back().power_cap_ns < *snapshots.front().power_cap_ns) {
    return std::nullopt;
  }
  return 1e-6 *
         static_cast<double>(*snapshots.back().power_cap_ns - *snapshots.front().power_cap_ns);
}

bool is_of_conditions(NullKind kind) {
  return kind == NullKind::contended || kind == NullKind::throttled || kind == NullKind::unsteady ||
         kind == NullKind::clock_lost;
}

/// Why measured facts cannot stand, if they cannot.
std::optional<NullReason> held_down(const Conditions& conditions) {
  if (!conditions.throttle_mask) {
    return std::nullopt;
  }
  const ClockDecision grave = judge_clock_reasons(*conditions.throttle_mask & ~kPowerCapReason);
  if (grave.state != ClockState::reject) {
    return std::nullopt;
  }
  std::string names;
  for (const std::string& name : judge_clock_reasons(conditions.throttle_mask).names) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return NullReason{NullKind::throttled, names};
}

Fact without_value(Fact fact, NullReason reason) {
  fact.value = std::monostate{};
  fact.reason = std::move(reason);
  fact.clock_ghz.reset();
  fact.rel_spread.reset();
  return fact;
}

Fact judged(const Fact& fact, const std::optional<NullReason>& throttled,
            const std::string& others) {
  if (fact.reason && fact.reason->kind == NullKind::contended && !others.empty()) {
    Fact named = fact;
    named.reason->detail = others + (fact.reason->detail.empty() ? "" : ": ") + fact.reason->detail;
    return named;
  }
  if (!fact.reason && fact.samples > 0 && throttled) {
    return without_value(fact, *throttled);
  }
  return fact;
}

}  // namespace

Conditions conditions_of(const std::vector<TelemetrySnapshot>& snapshots, const TimerLog& log) {
  Conditions conditions;
  conditions.clock_min_ghz = log.clock_min_ghz;
  conditions.clock_median_ghz = log.clock_median_ghz;
  conditions.clock_max_ghz = log.clock_max_ghz;
  for (const TelemetrySnapshot& snapshot : snapshots) {
    if (snapshot.clock_reasons) {
      conditions.throttle_mask = conditions.throttle_mask.value_or(0) | *snapshot.clock_reasons;
    }
    raise(conditions.temperature_max_c, snapshot.temperature_c);
    raise(conditions.power_max_w, snapshot.power_w);
  }
  if (conditions.throttle_mask) {
    conditions.throttle_reasons = judge_clock_reasons(conditions.throttle_mask).names;
  }
  conditions.power_cap_ms = power_cap_ms(snapshots);
  conditions.other_processes = merged_processes(snapshots);
  conditions.canary_expected_us = log.canary_expected_us;
  conditions.canary_worst_us = log.canary_worst_us;
  conditions.samples_rejected = log.rejected;
  conditions.contended = log.contended;
  return conditions;
}

std::string name_processes(const std::vector<Process>& processes) {
  std::string text;
  for (const Process& process : processes) {
    text += (text.empty() ? "process " : ", process ") + std::to_string(process.pid);
    if (!process.name.empty()) {
      text += " (" + process.name + ")";
    }
  }
  return text;
}

Measurements under(const Conditions& conditions, const Measurements& measurements) {
  const std::string others = name_processes(conditions.other_processes);
  const std::optional<NullReason> throttled = held_down(conditions);
  Measurements out;
  for (const auto& [entry, measurement] : measurements.entries()) {
    for (const auto& [key, fact] : measurement.facts) {
      out.add(fact_path(entry, key), judged(fact, throttled, others));
    }
    if (!measurement.note.empty()) {
      out.note(entry, measurement.note);
    }
  }
  return out;
}

Outcome outcome_of(const Measurements& measurements) {
  bool any = false;
  for (const auto& [entry, measurement] : measurements.entries()) {
    for (const auto& [key, fact] : measurement.facts) {
      any = true;
      if (fact.reason && is_of_conditions(fact.reason->kind)) {
        return {ProbeStatus::inconclusive, fact_path(entry, key) + ": " + to_string(*fact.reason)};
      }
    }
  }
  return any ? Outcome{} : Outcome{ProbeStatus::failed, "the probe handed back no fact"};
}

}  // namespace assay
