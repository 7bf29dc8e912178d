// SPDX-License-Identifier: Apache-2.0
// How does a run become a dossier that lies in the repository: recorded for replay, or pinned?
#pragma once

#include <filesystem>
#include <string>

#include "dossiers/dossier.h"

namespace assay {

/// The dossier of a run folder (its dossier.json with samples, else its evidence merged), or of a
/// dossier file. Throws DataError.
Dossier load_recordable(const std::filesystem::path& source);

/// Writes `out`/dossier.json and its samples. Throws std::runtime_error when the dossier is there
/// already: a recording is never overwritten.
void record_dossier(const Dossier& dossier, const std::filesystem::path& out);

/// The dossier redacted, approved and without samples: one file. Throws std::invalid_argument when
/// `by` or `why` is empty, `utc` is no UTC time, or the dossier is pinned already.
Dossier pin_dossier(const Dossier& dossier, const Pinned& approval);

/// "2026-11-30" becomes "2026-11-30T00:00:00Z"; a whole UTC time stays. Throws
/// std::invalid_argument for anything else, also for a day that does not exist.
std::string utc_from_date(const std::string& date);
/// Today's date, UTC.
std::string today();

}  // namespace assay
