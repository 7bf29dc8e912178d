// SPDX-License-Identifier: Apache-2.0
// Which probes were built, in which order? share/assay/probes.json, written by CMake.
#pragma once

#include <filesystem>
#include <vector>

#include "dossiers/identity.h"
#include "invariants/plan/plan.h"

namespace assay {

/// Throws DataError: not such a list, a name twice or unfit for a file name, `device` not first.
std::vector<PlannedProbe> read_probes(const std::filesystem::path& file);

/// Throws std::runtime_error when the device's driver is of an older major version of CUDA than the
/// programs were built with: none of them would start. A driver that does not say passes.
void require_driver(const std::vector<PlannedProbe>& probes, const DeviceIdentity& device);

}  // namespace assay
