// SPDX-License-Identifier: Apache-2.0
// What came of running one probe? The program runs alone on its GPU, under the supervisor.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dossiers/dossier.h"
#include "invariants/plan/layout.h"
#include "invariants/plan/plan.h"
#include "invariants/plan/supervisor.h"

namespace assay {

/// Another program in place of the probe's own, with arguments before the probe's. Its evidence is
/// still the probe's: for programs that break something on purpose.
struct StandIn {
  std::filesystem::path program;
  std::vector<std::string> arguments;
};

struct ProbeOrder {
  Layout layout;
  PlannedProbe probe;
  std::string run_id;
  DeviceIdentity device;
  Level level = Level::quick;
  std::filesystem::path folder;  ///< where <probe>.json and <probe>.exit.json go
  bool echo_stderr = true;
  std::optional<StandIn> stand_in = {};
};

struct ProbeResult {
  ProbeStatus status = ProbeStatus::failed;
  std::string reason;  ///< why, for every status but measured
  bool usage_error = false;
  std::optional<Evidence> evidence;
};

/// Waits for its turn and holds the GPU's lock (for Turn::every_gpu: every GPU's), runs the probe's
/// program to its end or deadline and leaves <probe>.exit.json; evidence of an earlier attempt is
/// taken away first. Evidence that cannot be read or is another run's makes the result `failed`.
/// Throws GpuBusy (after writing evidence that says so), CannotStart, and std::runtime_error on I/O
/// failure.
ProbeResult measure(const ProbeOrder& order);

/// 0 measured, 1 failed, 2 usage or I/O, 75 inconclusive, 77 not applicable.
int exit_code(const ProbeResult& result);

}  // namespace assay
