// SPDX-License-Identifier: Apache-2.0
// Where are the catalogue, the lists and the pinned dossiers that this program judges by?
#pragma once

#include <filesystem>

#include "invariants/catalog.h"
#include "invariants/mustpass.h"
#include "invariants/rates/figures.h"
#include "invariants/waivers.h"

namespace assay {

/// `override_dir` when not empty; else share/assay of the build or install tree around the running
/// program. Throws std::runtime_error that names the places tried when none holds catalog.json.
std::filesystem::path share_dir(const std::filesystem::path& override_dir = {});

/// What a judgement goes by, read from one share folder.
struct Rules {
  Catalog catalog;
  MustPass mustpass;
  std::vector<Waiver> waivers;
  RecordedFigures figures;  ///< the error rates that a certificate states; no verdict needs them
};
/// Reads catalog.json, mustpass/<level>.json, waivers.json and rates/. Throws DataError.
Rules load_rules(const std::filesystem::path& share, Level level);

/// share/pinned: where approved dossiers lie.
std::filesystem::path pinned_dir(const std::filesystem::path& share);

}  // namespace assay
