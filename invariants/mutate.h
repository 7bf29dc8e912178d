// SPDX-License-Identifier: Apache-2.0
// What does a dossier look like after an edit that must change a verdict?
#pragma once

#include "dossiers/dossier.h"
#include "invariants/catalog.h"

namespace assay {

/// The dossier after the edit. `move` scales the fact so that the quantity that `invariant` judges
/// lies `by` of the bound past or inside it. Throws std::invalid_argument when the edit cannot be
/// made: no such fact, no such bound.
Dossier mutate(const Invariant& invariant, const Edit& edit, const Dossier& dossier,
               const Dossier* pinned);

}  // namespace assay
