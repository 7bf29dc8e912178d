// SPDX-License-Identifier: Apache-2.0
// The stages of judging a fleet; judge.cpp says in which order.
#pragma once

#include "invariants/fleet/judge.h"
#include "invariants/fleet/robust.h"

namespace assay::detail {

/// One fact of all devices of a cohort, y = ln(value / ceiling).
struct Column {
  struct Cell {
    std::uint32_t gpu = 0;
    double y = 0.0;
  };
  std::vector<Cell> cells;
  Spread spread;
  int better = 0;
};

struct Stage {
  const FleetEvidence& evidence;
  const FleetOptions& options;
  FleetJudgement& judgement;
  std::vector<std::vector<std::size_t>> runs_of;  ///< of each device, the oldest first
  /// By cohort, then by the fact's number; only facts with enough devices.
  std::vector<std::map<std::uint32_t, Column>> columns;
};

/// Devices, their runs, duplicates, cohorts, and what was expected.
void group_evidence(Stage& stage);
/// The columns, spreads and references of each cohort.
void compare_cohorts(Stage& stage);
/// Devices against their cohort: findings, confirmed or not, and which layers fired.
void find_outliers(Stage& stage);
/// Racks and hosts against their cohort.
void find_groups(Stage& stage);
/// The verdicts of devices and fleet.
void conclude(Stage& stage);

/// ln(value / ceiling) of fact `id` in a run; nullopt when it was not measured.
std::optional<double> log_ratio(const FleetRun& run, std::uint32_t id);

}  // namespace assay::detail
