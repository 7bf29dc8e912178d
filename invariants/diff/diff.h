// SPDX-License-Identifier: Apache-2.0
// What changed between two certified runs: of one device under two drivers, of two devices, of two
// days?
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "dossiers/dossier.h"
#include "dossiers/drift.h"
#include "invariants/verdict.h"

namespace assay {

/// A certificate as it stands, with the dossier that it was made of. Nothing is judged again.
struct CertifiedRun {
  std::string file;  ///< the certificate's
  bool replay = false;
  Outcome verdict = Outcome::no_evidence;
  std::string catalog_sha256;
  std::map<std::string, Outcome> invariants;
  Dossier dossier;
};
/// Reads a certificate, or certificate.json of a run's folder, and dossier.json beside it. Throws
/// DataError, also when that dossier is not the certified one.
CertifiedRun read_certified_run(const std::filesystem::path& file_or_folder);

struct VerdictChange {
  std::string invariant;
  std::string before, after;  ///< outcomes; "absent" where one catalogue has no such invariant
  bool worse = false;         ///< a fail or lost evidence that was not there before
};

/// Something else that differs: identity, settings, software, or the window of one probe.
struct ConditionChange {
  std::string what;  ///< "driver", "latency: throttled by"
  std::string before, after;
};

struct CertificateDiff {
  Outcome before = Outcome::no_evidence, after = Outcome::no_evidence;
  std::vector<VerdictChange> verdicts;  ///< by invariant
  Drift drift;                          ///< of the facts; `pinned` is the first run
  std::vector<ConditionChange> conditions;
  bool worse = false;  ///< a verdict got worse, a fact moved for the worse or is gone, or nothing
                       ///< could be compared
};

/// Pure. A move is judged as drift is (dossiers/drift.h).
CertificateDiff diff_certificates(const CertifiedRun& before, const CertifiedRun& after);

/// The document `diff` (dossiers/schema/diff.schema.json).
std::string diff_json(const CertifiedRun& before, const CertifiedRun& after,
                      const CertificateDiff& diff);
/// Tables for a terminal, the conclusion first.
std::string diff_table(const CertifiedRun& before, const CertifiedRun& after,
                       const CertificateDiff& diff);

}  // namespace assay
