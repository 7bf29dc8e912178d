// SPDX-License-Identifier: Apache-2.0
// What does a run certify, on what evidence, and is a certificate still what was sealed?
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dossiers/dossier.h"
#include "dossiers/drift.h"
#include "invariants/mustpass.h"
#include "invariants/pinned.h"
#include "invariants/share.h"
#include "invariants/verdict.h"
#include "invariants/waivers.h"

namespace assay {

/// How a dossier is judged.
struct JudgeOptions {
  bool replay = false;     ///< not this machine's run: kind "replay", certifies no machine
  bool bootstrap = false;  ///< without a pinned dossier: provisional, drift left out
};

/// What bounds a fact: the ceiling of an invariant or the nominal rate of the device's band.
struct FactCeiling {
  double ceiling = 0.0;
  std::string from;  ///< the path or invariant it comes from
  double percent = 0.0;
};

struct CertifiedFact {
  std::string path;
  Fact fact;
  std::optional<FactCeiling> ceiling;
};

/// What the whole catalogue says of a dossier.
struct Judgement {
  bool provisional = false;
  Outcome verdict = Outcome::no_evidence;
  std::vector<Verdict> verdicts;  ///< the whole catalogue, in its order
  std::vector<WaiverUse> waivers;
  Completeness completeness;
  std::optional<Drift> drift;  ///< nullopt without a pinned dossier
};

/// A judgement with all that it stands on.
struct Certificate : Judgement {
  std::string run_id;
  SuiteIdentity suite;      ///< of the evidence, not of this program
  std::string created_utc;  ///< of the run
  bool replay = false;
  Level level = Level::quick;
  std::string headline;  ///< one line: verdict, device, waived count, replay and provisional said
  std::string catalog_version, catalog_sha256, judging_sha256;
  std::string mustpass_id, mustpass_version, mustpass_sha256;
  std::string dossier_sha256;  ///< of dossier_text()
  DeviceIdentity device;
  std::map<std::string, ProbeRecord> probes;
  std::vector<CertifiedFact> facts;          ///< by path
  std::string pinned_run_id, pinned_sha256;  ///< empty without a pinned dossier
  CertifiedRates rates;                      ///< false alarms and power, as recorded
};

/// One invariant's verdict as the certificate has it: evaluated, then waivers applied. `used`
/// receives the waiver that matched, when it is not null.
Verdict judge_invariant(const Rules& rules, const Invariant& invariant, const Dossier& dossier,
                        const PinnedDossier* pinned, std::optional<WaiverUse>* used = nullptr);

/// Judges the whole catalogue; pure. For thousands of dossiers: most of a certificate's cost is in
/// its digests and facts. Throws std::invalid_argument when the must-pass list is of another level
/// than the dossier.
Judgement judge_dossier(const Rules& rules, const Dossier& dossier, const PinnedDossier* pinned,
                        const JudgeOptions& options);
/// The same with what a certificate states beside it: the same input gives the same certificate.
Certificate make_certificate(const Rules& rules, const Dossier& dossier,
                             const PinnedDossier* pinned, const JudgeOptions& options);

/// The sealed document: canonical, the same bytes for the same certificate.
std::string certificate_text(const Certificate& certificate);

/// The verdict for one invariant, or nullptr.
const Verdict* find_verdict(const Judgement& judgement, std::string_view invariant);

/// What is wrong with a certificate; empty when nothing is. Checks the seal, judges the dossier
/// again and compares every byte. `pinned` is what the certificate's digest names, or null.
std::vector<std::string> verify_certificate_text(const std::string& text, const std::string& name,
                                                 const Rules& rules, const Dossier& dossier,
                                                 const PinnedDossier* pinned);

/// The same for a file: reads dossier.json beside it (checks the raw samples and the run's evidence
/// where they lie there too), the rules in `share`, and the pinned dossier by its digest, in the
/// file's folder or in the folder `pinned`. Throws DataError when a file cannot be
/// read at all.
std::vector<std::string> verify_certificate(const std::filesystem::path& file,
                                            const std::filesystem::path& share,
                                            const std::filesystem::path& pinned);

}  // namespace assay
