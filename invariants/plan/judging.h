// SPDX-License-Identifier: Apache-2.0
// With which rules and against which pinned dossier is a run judged?
#pragma once

#include <filesystem>
#include <optional>

#include "dossiers/dossier.h"
#include "invariants/audit.h"
#include "invariants/certificate.h"
#include "invariants/pinned.h"

namespace assay {

/// How the certificate of a dossier comes about.
struct Judging {
  std::filesystem::path share;
  std::filesystem::path pinned_file;  ///< empty: the fitting one in share, if any
  JudgeOptions options;
};

/// Throws DataError for rules or a pinned dossier that cannot be read.
Certificate judge(const Judging& how, const Dossier& dossier);

/// Judges the run's dossier.json once more and compares it, and what really ran, with its
/// certificate.json. Throws DataError when one of them cannot be read.
Audit audit_again(const Judging& how, const std::filesystem::path& folder);

}  // namespace assay
