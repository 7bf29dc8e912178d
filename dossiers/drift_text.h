// SPDX-License-Identifier: Apache-2.0
// How is drift said: as JSON for programs, as a table for people?
#pragma once

#include <string>

#include "dossiers/drift.h"

namespace assay {

/// {entries: [{path, current, pinned, rel, tolerance, over}], missing, added, differences,
/// worst_rel, over_tol, rel_tol, compared, same_device, pass}.
std::string drift_json(const Drift& drift);
/// One line per fact, what was over first in words, the verdict last.
std::string drift_table(const Drift& drift);

}  // namespace assay
