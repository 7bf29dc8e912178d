// SPDX-License-Identifier: Apache-2.0
// Which dossier is meant?
#pragma once

#include <filesystem>
#include <string>

#include "dossiers/head.h"

namespace assay {

/// The newest recorded dossier that came with this program, by the time of its run.
/// Throws std::runtime_error when there is none.
std::filesystem::path newest_recorded_file();

}  // namespace assay
