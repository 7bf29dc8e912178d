// SPDX-License-Identifier: Apache-2.0
// Under which conditions did a probe measure, and what do they make of its facts? No CUDA here.
#pragma once

#include <string>
#include <vector>

#include "dossiers/driver/telemetry.h"
#include "dossiers/evidence.h"
#include "probes/harness/slope.h"

namespace assay {

/// What NVML saw before, during and after the probe, and what the timer saw.
/// `snapshots` are in order of time; the first and the last carry processes and counters.
Conditions conditions_of(const std::vector<TelemetrySnapshot>& snapshots, const TimerLog& log);

/// The facts with what the conditions say about them: contention names the processes, and measured
/// facts become absent where heat, a power brake or another board held the clock down. The software
/// power cap only shows in the conditions and in each fact's own clock: it is the normal state of
/// tensor work at full rate.
Measurements under(const Conditions& conditions, const Measurements& measurements);

/// "process 4242 (python3), process 17"; empty without any.
std::string name_processes(const std::vector<Process>& processes);

/// How a probe that ran to its end comes out.
struct Outcome {
  ProbeStatus status = ProbeStatus::measured;
  std::string reason;  ///< names the first fact in question
};
/// inconclusive if any fact is absent because of contention, throttling, unsteady samples or a lost
/// clock; failed without any fact at all.
Outcome outcome_of(const Measurements& measurements);

}  // namespace assay
