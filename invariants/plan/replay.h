// SPDX-License-Identifier: Apache-2.0
// What would a recorded dossier be judged as today? It certifies no machine.
#pragma once

#include <filesystem>
#include <optional>

#include "invariants/plan/judging.h"

namespace assay {

/// Says so before anything else that a replay prints.
inline constexpr const char* kReplayNotice =
    "REPLAY of a recorded dossier: certifies nothing about this machine";

/// The newest dossier in share/recorded by the time of its run, or nullopt when there is none.
/// Throws DataError on one that cannot be read.
std::optional<std::filesystem::path> newest_recorded(const std::filesystem::path& share);

/// Judges the dossier in `file` as a replay. Throws DataError.
Certificate replay(Judging how, const std::filesystem::path& file);

}  // namespace assay
