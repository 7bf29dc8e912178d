// SPDX-License-Identifier: Apache-2.0
// What the evaluation of bands and the evaluation of drift share.
#pragma once

#include <vector>

#include "invariants/evaluate.h"
#include "invariants/mustpass.h"

namespace assay::detail {

/// Sets outcome and reason from gaps: the combined outcome, and the reasons that made it.
void settle(Verdict& verdict, const std::vector<Gap>& gaps);
/// One gap for each probe of the invariant that ran beside foreign work.
std::vector<Gap> contention(const Invariant& invariant, const Dossier& dossier);
/// The same, and one for each probe whose clock heat, a power brake or another board held down.
std::vector<Gap> spoiled_windows(const Invariant& invariant, const Dossier& dossier);
void judge_drift(const Catalog& catalog, const Invariant& invariant, const Dossier& dossier,
                 const Dossier* pinned, Verdict& verdict);

}  // namespace assay::detail
