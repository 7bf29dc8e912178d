// SPDX-License-Identifier: Apache-2.0
// What does a certification run, in which order, and what does each step need? The one plan behind
// both `ctest` and `assay certify`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dossiers/evidence.h"

namespace assay {

/// What a probe shares with the other GPUs of its host.
enum class Turn {
  none,       ///< nothing: any number of GPUs measure it at once
  host_link,  ///< the host's side: one probe of these at a time
  every_gpu,  ///< the other GPUs themselves: nothing else is measured meanwhile
};

struct PlannedProbe {
  std::string name;
  double timeout_s = 60.0;     ///< for its program at level quick
  Level level = Level::quick;  ///< the least level at which it measures
  Turn turn = Turn::none;
  int cuda_major = 0;  ///< of the toolkit that built its program; 0 where nothing was built
};

struct PlannedInvariant {
  std::string id;
  std::vector<std::string> probes;  ///< that yield the facts it needs, in the order of the run
};

struct Plan {
  std::vector<PlannedProbe> probes;  ///< in the order of the run, `device` first
  std::vector<PlannedInvariant> invariants;
};

/// The plan of the installation whose share folder this is: its probes and its catalogue.
/// Throws DataError.
Plan read_plan(const std::filesystem::path& share);

/// How long the program of a probe may run, seconds.
double probe_deadline_s(const PlannedProbe& probe, Level level);
/// How long a measuring step waits for the GPU's lock: ASSAY_LOCK_WAIT_S, else 120 seconds.
double lock_wait_s();
/// How long it waits for its turn among the GPUs of its host: ASSAY_LOCK_WAIT_S, else 600 seconds.
double turn_wait_s();

enum class StepKind { device, probe, invariant, certificate, audit, junit, host };

/// One test of the graph: `assay-step <arguments>`.
struct Step {
  StepKind kind = StepKind::device;
  std::string name;                    ///< in CTest: "probe.latency"
  std::string subject;                 ///< the probe or the invariant's id; empty for the others
  std::vector<std::string> arguments;  ///< of assay-step
  double timeout_s = 60.0;             ///< CTest's, above everything that the step waits for
  bool serial = false;                 ///< touches the device
  Turn turn = Turn::none;              ///< of its probe
  bool may_skip = false;               ///< exit 77 is "skipped"; otherwise it is a failure
  std::vector<std::string> fixtures_setup, fixtures_required, fixtures_cleanup, depends, labels;
  std::vector<std::string> resource_locks;  ///< CTest's, among the tests of one ctest
  std::vector<std::string> environment;     ///< "NAME=value"
};

/// All steps in order: device, probes, invariants, certificate, audit, junit.
std::vector<Step> steps(const Plan& plan);
/// The steps of `plan` for each of `uuids`, named "<uuid>.<step>" and labelled so, and `host`
/// behind them all. Two GPUs run side by side, their probes that share something one after the
/// other. `expected` is how many GPUs were asked for, 0 where nobody said.
std::vector<Step> steps_of_host(const Plan& plan, const std::vector<std::string>& uuids,
                                std::int64_t expected);

}  // namespace assay
