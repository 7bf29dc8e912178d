// SPDX-License-Identifier: Apache-2.0
// How is a fleet's judgement written, for programs and for people?
#pragma once

#include <string>

#include "invariants/fleet/judge.h"

namespace assay {

/// The document `fleet` (dossiers/schema/fleet.schema.json): canonical, the same bytes for the same
/// evidence and options.
std::string fleet_json(const FleetEvidence& evidence, const FleetOptions& options,
                       const FleetJudgement& judgement);

/// Headline and tables for a terminal: what is no evidence, who is missing, outliers, racks, hosts.
std::string fleet_table(const FleetEvidence& evidence, const FleetJudgement& judgement);

}  // namespace assay
