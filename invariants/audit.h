// SPDX-License-Identifier: Apache-2.0
// Did everything that had to run really run, and does the certificate say what the steps said?
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "invariants/certificate.h"

namespace assay {

struct Audit {
  int planned_probes = 0;
  int probes_accounted = 0;    ///< with evidence or an exit record of this run
  int wanted_verdicts = 0;     ///< mustpass invariants
  int verdicts_confirmed = 0;  ///< with a file of this run that equals the certificate's verdict
  std::vector<std::string> problems;
  /// No problem, and something was executed: an empty audit is a failure.
  bool pass() const { return problems.empty() && probes_accounted > 0 && verdicts_confirmed > 0; }
};

/// Compares the mustpass list, the certificate and the files in the run's folder (run.json,
/// evidence/, verdicts/). Unreadable files are problems, not exceptions.
Audit audit_run(const std::filesystem::path& folder, const MustPass& mustpass,
                const Certificate& certificate);

}  // namespace assay
