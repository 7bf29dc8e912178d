// SPDX-License-Identifier: Apache-2.0
// Which probes were built, in which order? share/assay/probes.json, written by CMake.
#pragma once

#include <filesystem>
#include <vector>

#include "invariants/plan/plan.h"

namespace assay {

/// Throws DataError: not such a list, a name twice or unfit for a file name, `device` not first.
std::vector<PlannedProbe> read_probes(const std::filesystem::path& file);

}  // namespace assay
