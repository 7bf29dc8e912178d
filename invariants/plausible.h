// SPDX-License-Identifier: Apache-2.0
// Can this figure be true of any device at all, whatever the invariants make of it?
#pragma once

#include <string>
#include <vector>

#include "invariants/catalog.h"
#include "invariants/mustpass.h"

namespace assay {

/// Why no device can have this fact; empty when one can, and for null. Three kinds: a number that
/// is a source's word for "no value" (dossiers/sentinels.h), a unit that is not the catalogue's for
/// this path, and a magnitude that no device comes near (a slip of a thousand, a rate of zero).
std::string why_impossible(const Catalog& catalog, const std::string& path, const Fact& fact);

/// One gap (outcome fail) for each such fact of the dossier, listed anywhere or not: a certificate
/// repeats every fact, so that one of them that cannot be true makes it a false statement.
std::vector<Gap> impossible_facts(const Catalog& catalog, const Dossier& dossier);

}  // namespace assay
