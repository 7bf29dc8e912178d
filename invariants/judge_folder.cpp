// SPDX-License-Identifier: Apache-2.0
#include "invariants/judge_folder.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "dossiers/exit_code.h"
#include "dossiers/head.h"
#include "invariants/pinned.h"
#include "invariants/share.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// fail, no_evidence, inconclusive, waived.
int severity(Outcome outcome) {
  constexpr std::array kWorstFirst{Outcome::fail, Outcome::no_evidence, Outcome::inconclusive};
  const auto* at = std::find(kWorstFirst.begin(), kWorstFirst.end(), outcome);
  return static_cast<int>(at - kWorstFirst.begin());
}

std::vector<Verdict> notable_of(const Judgement& judgement) {
  std::vector<Verdict> notable;
  for (const Verdict& verdict : judgement.verdicts) {
    const bool quiet =
        verdict.outcome == Outcome::pass || verdict.outcome == Outcome::not_applicable;
    if (!quiet) notable.push_back(verdict);
  }
  std::stable_sort(notable.begin(), notable.end(), [](const Verdict& a, const Verdict& b) {
    return severity(a.outcome) < severity(b.outcome);
  });
  return notable;
}

/// The rules and pins, read once.
class Judge {
 public:
  Judge(fs::path share, const fs::path& pinned, const JudgeOptions& options)
      : share_(std::move(share)), pins_(pinned), options_(options) {
    for (const Level level : {Level::quick, Level::full}) {
      rules_.emplace(level, load_rules(share_, level));
    }
  }

  void judge(const fs::path& file, JudgedFile& judged) {
    const Dossier dossier = read_dossier(file);
    judged.run_id = dossier.run_id;
    judged.device = dossier.device.name;
    judged.driver = dossier.device.driver;
    judged.level = dossier.level;
    const Judgement judgement =
        judge_dossier(rules_.at(dossier.level), dossier, pins_.best(dossier), options_);
    judged.verdict = judgement.verdict;
    judged.provisional = judgement.provisional;
    judged.notable = notable_of(judgement);
    for (const Gap& gap : judgement.completeness.missing) judged.missing.push_back(gap.what);
  }

 private:
  fs::path share_;
  std::map<Level, Rules> rules_;
  PinnedFolder pins_;
  JudgeOptions options_;
};

}  // namespace

FolderTotals judge_folder(const fs::path& folder, const fs::path& share, const fs::path& pinned,
                          const JudgeOptions& options,
                          const std::function<void(const JudgedFile&)>& say) {
  const std::vector<fs::path> files = dossiers_under(folder);
  if (files.empty()) throw std::runtime_error(folder.string() + ": holds no dossier");
  Judge judge(share, pinned, options);
  FolderTotals totals;
  for (const fs::path& file : files) {
    JudgedFile judged;
    judged.file = file.lexically_relative(folder);
    try {
      judge.judge(file, judged);
      ++totals.verdicts[judged.verdict];
    } catch (const std::exception& error) {
      judged.problem = error.what();
      ++totals.unreadable;
    }
    say(judged);
  }
  return totals;
}

int exit_code(const FolderTotals& totals) {
  constexpr int kUnreadable = 2;
  std::vector<Outcome> verdicts;
  for (const auto& [outcome, count] : totals.verdicts) verdicts.push_back(outcome);
  const int code = exit_code(combine(verdicts));
  const bool failed = !verdicts.empty() && code == kExitFail;
  return totals.unreadable > 0 && !failed ? kUnreadable : code;
}

}  // namespace assay
