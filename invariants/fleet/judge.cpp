// SPDX-License-Identifier: Apache-2.0
// The order of judging, and what the stages' findings mean.
#include "invariants/fleet/judge.h"

#include <algorithm>
#include <cmath>

#include "invariants/fleet/judge_detail.h"

namespace assay {
namespace detail {
namespace {

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kNamed; ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

/// What the device's own certificate says; the fleet can only make it worse.
void start_from_certificate(FleetGpu& gpu, const FleetRun& run) {
  if (!run.certified) {
    gpu.outcome = Outcome::no_evidence;
    gpu.layer = "certificate";
    gpu.reason = "has no certificate";
    return;
  }
  gpu.outcome = run.verdict == Outcome::not_applicable ? Outcome::no_evidence : run.verdict;
  if (gpu.outcome == Outcome::pass || gpu.outcome == Outcome::waived) return;
  gpu.layer = !run.drifted.empty() && run.own_dossier ? "drift" : "certificate";
  gpu.reason = "certificate says " + std::string(to_string(run.verdict));
  if (!run.failed.empty()) gpu.reason += ": " + list_of(run.failed);
}

std::vector<std::string> paths_of(const FleetGpu& gpu, bool confirmed) {
  std::vector<std::string> paths;
  for (const FleetFinding& finding : gpu.findings) {
    if (finding.confirmed == confirmed) paths.push_back(finding.path);
  }
  return paths;
}

void conclude_gpu(FleetGpu& gpu, const FleetRun& run) {
  start_from_certificate(gpu, run);
  if (gpu.findings.empty()) return;
  const std::vector<std::string> twice = paths_of(gpu, true), once = paths_of(gpu, false);
  gpu.confirm = !once.empty() && twice.empty();
  const bool certificate_passes = gpu.outcome == Outcome::pass || gpu.outcome == Outcome::waived;
  if (certificate_passes) {
    gpu.layer = layer_of(gpu.findings.front());
    gpu.reason = twice.empty()
                     ? "worse than its cohort in one run, to be confirmed: " + list_of(once)
                     : "worse than its cohort in two runs: " + list_of(twice);
  }
  const Outcome seen = twice.empty() ? Outcome::inconclusive : Outcome::fail;
  gpu.outcome = combine({gpu.outcome, seen});
}

std::string count_text(std::size_t count, const char* what) {
  return count == 0 ? "" : ", " + std::to_string(count) + " " + what;
}

std::string headline_of(const FleetJudgement& judgement) {
  std::size_t shifted = 0;
  for (const FleetCohort& cohort : judgement.cohorts) {
    shifted += std::any_of(cohort.facts.begin(), cohort.facts.end(),
                           [](const FleetSpread& fact) { return fact.shifted; });
  }
  std::string text(to_string(judgement.verdict));
  text += ": " + std::to_string(judgement.count(Outcome::pass) + judgement.count(Outcome::waived)) +
          " of " + std::to_string(judgement.gpus.size()) + " GPUs pass";
  text += count_text(judgement.count(Outcome::fail), "fail");
  text += count_text(judgement.count(Outcome::no_evidence), "without evidence");
  text += count_text(judgement.count(Outcome::inconclusive), "to run again");
  text += count_text(judgement.missing.size(), "hosts missing or short");
  text += count_text(shifted, "cohorts below their approved dossier");
  text += count_text(judgement.groups.size(), "losses of a whole rack or host");
  text += count_text(judgement.problems.size(), "problems with the evidence");
  if (judgement.rehearsal) text += "; rehearsal with replays: certifies no machine";
  return text;
}

}  // namespace

void conclude(Stage& stage) {
  FleetJudgement& judgement = stage.judgement;
  std::vector<Outcome> all;
  for (FleetGpu& gpu : judgement.gpus) {
    conclude_gpu(gpu, stage.evidence.runs[gpu.run]);
    all.push_back(gpu.outcome);
  }
  for (const FleetCohort& cohort : judgement.cohorts) {
    for (const FleetSpread& fact : cohort.facts) {
      if (fact.shifted) all.push_back(Outcome::fail);
    }
  }
  if (!judgement.groups.empty()) all.push_back(Outcome::fail);
  if (!judgement.missing.empty() || !judgement.problems.empty())
    all.push_back(Outcome::no_evidence);
  judgement.verdict = combine(all);
  judgement.headline = headline_of(judgement);
}

std::optional<double> log_ratio(const FleetRun& run, std::uint32_t id) {
  const auto found = std::lower_bound(
      run.facts.begin(), run.facts.end(), id,
      [](const FleetFact& fact, std::uint32_t wanted) { return fact.id < wanted; });
  if (found == run.facts.end() || found->id != id) return std::nullopt;
  return std::log(found->value / found->ceiling);
}

}  // namespace detail

std::string_view layer_of(const FleetFinding& finding) {
  return finding.drift ? "drift" : finding.host_peers ? "host peers" : "cohort";
}

std::size_t FleetJudgement::count(Outcome outcome) const {
  return static_cast<std::size_t>(std::count_if(
      gpus.begin(), gpus.end(), [outcome](const FleetGpu& gpu) { return gpu.outcome == outcome; }));
}

FleetReference reference_of(const Dossier& pinned) {
  FleetReference reference{
      pinned.device.name,     pinned.run_id,     pinned.device.driver, pinned.device.cc_major,
      pinned.device.cc_minor, pinned.device.ecc, pinned.device.mig,    {}};
  for (const auto& [entry, measurement] : pinned.entries) {
    for (const auto& [key, fact] : measurement.facts) {
      const auto value = as_number(fact.value);
      if (fact.samples < 1 || !value || !(*value > 0.0)) continue;
      reference.values[fact_path(entry, key)] = *value;
    }
  }
  return reference;
}

FleetJudgement judge_fleet(const FleetEvidence& evidence, const FleetOptions& options) {
  FleetJudgement judgement;
  detail::Stage stage{evidence, options, judgement, {}, {}};
  detail::group_evidence(stage);
  detail::compare_cohorts(stage);
  detail::find_outliers(stage);
  detail::find_groups(stage);
  detail::conclude(stage);
  return judgement;
}

}  // namespace assay
