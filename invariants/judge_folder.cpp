// SPDX-License-Identifier: Apache-2.0
#include "invariants/judge_folder.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "dossiers/exit_code.h"
#include "invariants/pinned.h"
#include "invariants/share.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Canonical documents say their kind in the second line; others need not be looked at further.
bool begins_as_dossier(const fs::path& file) {
  std::array<char, 256> begin{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(begin.data(), begin.size());
  const std::string_view text(begin.data(), static_cast<std::size_t>(stream.gcount()));
  const std::size_t kind = text.find("\"kind\"");
  if (kind == std::string_view::npos) return false;
  const std::string_view after = text.substr(kind + std::string_view("\"kind\"").size());
  const std::size_t value = after.find_first_not_of(" \t\r\n:");
  return value != std::string_view::npos && after.substr(value).starts_with("\"dossier\"");
}

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

std::vector<fs::path> dossiers_under(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json" || entry.is_directory()) continue;
    const bool named = entry.path().filename() == "dossier.json";
    if (named || begins_as_dossier(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

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
