// SPDX-License-Identifier: Apache-2.0
// Does this claim hold over this dossier?
#pragma once

#include <string>

#include "dossiers/dossier.h"
#include "invariants/catalog.h"
#include "invariants/verdict.h"

namespace assay {

/// Judges one invariant; pure. `pinned` (may be null) matters to drift alone: without it drift is
/// no_evidence. Waivers are not applied here.
Verdict evaluate(const Catalog& catalog, const Invariant& invariant, const Dossier& dossier,
                 const Dossier* pinned);

/// The outcome of what needs a fact that is null for that reason (table in measurement.h).
Outcome outcome_of(NullKind kind);

/// Why the invariant does not apply to the device; empty when it does.
std::string why_not_applicable(const Applies& applies, const DeviceIdentity& device);

/// The first band for this device, or nullptr.
const Band* band_for(const std::vector<Band>& bands, const DeviceIdentity& device);

/// "signal 11", "exit status 1", "timed out", with the end of its stderr: how a probe ended.
std::string how_it_ended(const ProbeRecord& record);

}  // namespace assay
