// SPDX-License-Identifier: Apache-2.0
// What does a check claim that speaks of every pair of a matrix, "peer_read.*"?
#pragma once

#include "dossiers/dossier.h"
#include "invariants/catalog.h"

namespace assay {

/// The check with each path that ends in ".*" written out: once for each pair that the dossier
/// knows in any entry of the family ("peer_..."), so that a pair which is missing from one entry is
/// missing and not left out. Terms keep to one pair. A pair that cannot be reached (null as not
/// supported in all that the check reads of it) is no part of the claim, unless no other is left. A
/// check without such paths, and one over a dossier without pairs, stays as it is.
Check with_rows(const Check& check, const Dossier& dossier);

}  // namespace assay
