// SPDX-License-Identifier: Apache-2.0
// What does the catalogue say of every dossier under a folder?
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "invariants/certificate.h"

namespace assay {

/// One file, judged or refused.
struct JudgedFile {
  std::filesystem::path file;  ///< relative to the folder
  std::string problem;         ///< why it could not be read or judged; else empty
  Outcome verdict = Outcome::no_evidence;
  std::string run_id, device, driver;
  Level level = Level::quick;
  bool provisional = false;
  std::vector<std::string> missing;  ///< what the must-pass list wants and the run lacks
  /// Invariants that neither passed nor do not apply, the worst first, as the catalogue has them.
  std::vector<Verdict> notable;
};

struct FolderTotals {
  std::map<Outcome, std::size_t> verdicts;
  std::size_t unreadable = 0;
};

/// Judges them one by one, each by its own level's list and against its pin in `pinned`, and hands
/// each to `say`: memory does not grow with their number. A file that cannot be read is said and
/// counted, and the rest goes on. Throws when there is no dossier at all, or the rules are bad.
FolderTotals judge_folder(const std::filesystem::path& folder, const std::filesystem::path& share,
                          const std::filesystem::path& pinned, const JudgeOptions& options,
                          const std::function<void(const JudgedFile&)>& say);

/// The worst decides: fail and no_evidence 1, then a file that could not be read 2, then
/// inconclusive 75, pass 0; 77 where nothing applied to any.
int exit_code(const FolderTotals& totals);

/// "fail           20261130T...  NVIDIA H200  quick  a/dossier.json  latency.order: ...; 2 more"
std::string judged_line(const JudgedFile& judged);
/// One JSON document without line breaks.
std::string judged_json(const JudgedFile& judged);
/// "3 dossiers: 2 pass, 1 fail; 1 cannot be read"
std::string totals_line(const FolderTotals& totals);
std::string totals_json(const FolderTotals& totals);

}  // namespace assay
