// SPDX-License-Identifier: Apache-2.0
// One round of a soak: every SM's arithmetic, the memory and the fault counters, once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dossiers/identity.h"
#include "invariants/catalog.h"
#include "invariants/plan/layout.h"
#include "invariants/plan/plan.h"
#include "invariants/verdict.h"

namespace assay {

/// What every round of a soak is made of.
struct RoundOrder {
  Layout layout;
  DeviceIdentity device;
  Catalog catalog;
  std::vector<PlannedProbe> probes;
};

/// How a round came out, and why, for all but a pass: the invariant, the number and the place (SM,
/// address) that the probe names.
struct RoundResult {
  Outcome outcome = Outcome::no_evidence;
  std::string reason;
};

/// The probes of a plan that a soak repeats: `device`, the exact tiles of every SM, the memory.
/// Throws DataError when the plan has none that computes.
std::vector<PlannedProbe> soak_probes(const std::vector<PlannedProbe>& planned);

/// Runs the probes, each in its own process, as a run of their own in `folder` (made new), and
/// judges every invariant that needs no other probe. Throws std::runtime_error on I/O failure.
RoundResult run_round(const RoundOrder& order, const std::filesystem::path& folder);

}  // namespace assay
