// SPDX-License-Identifier: Apache-2.0
// Whose dossier is this, and from when? The first lines say it; the facts are not read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dossiers/dossier.h"

namespace assay {

struct DossierHead {
  std::string run_id, created_utc;
  std::string level;          ///< "quick" or "full"
  std::string suite_version;  ///< of the assay that measured
  std::string device, uuid, driver;
};

/// Reads `file` until it knows the head. Of the rest it looks at the last character only: a file
/// cut just behind a bracket passes here, and not where its facts are read. Throws DataError for
/// what is no dossier, lacks a part of the head, is of a newer schema, or is cut off.
DossierHead read_dossier_head(const std::filesystem::path& file);

/// dossier.json at any depth, and other .json files that begin as a dossier does; sorted. Links to
/// folders are not followed. Throws std::runtime_error when the folder cannot be walked.
std::vector<std::filesystem::path> dossiers_under(const std::filesystem::path& folder);

/// A dossier is named by its file or by its folder: the file itself, or dossier.json in the folder.
/// Throws DataError when there is none.
std::filesystem::path dossier_file(const std::filesystem::path& file_or_folder);

}  // namespace assay
