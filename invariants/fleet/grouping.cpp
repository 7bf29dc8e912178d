// SPDX-License-Identifier: Apache-2.0
// Whose evidence is it, of which cohort, and who is not there?
#include <algorithm>
#include <set>
#include <sstream>
#include <tuple>

#include "invariants/fleet/judge_detail.h"

namespace assay::detail {
namespace {

std::string flag_text(const std::optional<bool>& flag) {
  return !flag ? "unknown" : *flag ? "on" : "off";
}

FleetCohort cohort_of(const FleetRun& run) {
  FleetCohort cohort;
  std::ostringstream product, watts;
  product << run.device.name << " (" << run.device.cc_major << '.' << run.device.cc_minor << ')';
  if (run.device.power_limit_w) watts << *run.device.power_limit_w << " W";
  cohort.product = product.str();
  cohort.vbios = run.device.vbios.value_or("unknown");
  cohort.driver = run.device.driver.empty() ? "unknown" : run.device.driver;
  cohort.power_limit = run.device.power_limit_w ? watts.str() : "unknown";
  cohort.ecc = flag_text(run.device.ecc);
  cohort.mig = flag_text(run.device.mig);
  cohort.topology = run.topology;
  cohort.level = run.level;
  return cohort;
}

auto key_of(const FleetCohort& cohort) {
  return std::tie(cohort.product, cohort.vbios, cohort.driver, cohort.power_limit, cohort.ecc,
                  cohort.mig, cohort.topology, cohort.level);
}

using RunsByUuid = std::map<std::string, std::vector<std::size_t>>;

/// The runs of each device, the oldest first; the same run in two places counts once and is named.
RunsByUuid runs_by_uuid(Stage& stage) {
  RunsByUuid found;
  std::map<std::pair<std::string, std::string>, std::string> seen;
  const auto& runs = stage.evidence.runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto [before, fresh] =
        seen.emplace(std::pair(runs[i].device.uuid, runs[i].run_id), runs[i].folder);
    if (fresh) {
      found[runs[i].device.uuid].push_back(i);
    } else {
      stage.judgement.problems.push_back(
          {"duplicate", runs[i].folder, "is the same run as '" + before->second + "'"});
    }
  }
  for (auto& [uuid, list] : found) {
    std::sort(list.begin(), list.end(), [&runs](std::size_t a, std::size_t b) {
      return std::tie(runs[a].created_utc, runs[a].run_id) <
             std::tie(runs[b].created_utc, runs[b].run_id);
    });
    for (const std::size_t run : list) {
      if (runs[run].host == runs[list.back()].host) continue;
      stage.judgement.problems.push_back(
          {"GPU on two hosts", runs[run].folder,
           uuid + " lies on '" + runs[list.back()].host + "' as well"});
      break;
    }
  }
  return found;
}

void make_gpus(Stage& stage, const RunsByUuid& by_uuid) {
  const auto& runs = stage.evidence.runs;
  std::vector<std::pair<std::pair<std::string, std::string>, std::vector<std::size_t>>> order;
  for (const auto& [uuid, list] : by_uuid) {
    order.push_back({{runs[list.back()].host, uuid}, list});
  }
  std::sort(order.begin(), order.end());
  for (auto& [place, list] : order) {
    FleetGpu gpu;
    gpu.run = list.back();
    gpu.runs = list.size();
    const auto* expected = stage.options.expected;
    if (expected != nullptr) {
      const auto host = expected->find(place.first);
      if (host != expected->end()) gpu.rack = host->second.rack;
    }
    stage.judgement.gpus.push_back(std::move(gpu));
    stage.runs_of.push_back(std::move(list));
  }
}

void make_cohorts(Stage& stage) {
  FleetJudgement& judgement = stage.judgement;
  std::vector<FleetCohort> found;
  for (std::size_t i = 0; i < judgement.gpus.size(); ++i) {
    const FleetRun& run = stage.evidence.runs[judgement.gpus[i].run];
    if (!run.certified) continue;
    FleetCohort cohort = cohort_of(run);
    auto place = std::lower_bound(
        found.begin(), found.end(), cohort,
        [](const FleetCohort& a, const FleetCohort& b) { return key_of(a) < key_of(b); });
    if (place == found.end() || key_of(*place) != key_of(cohort)) {
      place = found.insert(place, std::move(cohort));
    }
    place->gpus.push_back(i);
  }
  judgement.cohorts = std::move(found);
  for (std::size_t c = 0; c < judgement.cohorts.size(); ++c) {
    judgement.cohorts[c].judged = judgement.cohorts[c].gpus.size() >= kLeastCohort;
    for (const std::size_t gpu : judgement.cohorts[c].gpus) judgement.gpus[gpu].cohort = c;
  }
}

void compare_with_expected(Stage& stage) {
  const auto* expected = stage.options.expected;
  if (expected == nullptr) return;
  std::map<std::string, int> found;
  for (const FleetGpu& gpu : stage.judgement.gpus) ++found[stage.evidence.runs[gpu.run].host];
  for (const auto& [name, host] : *expected) {
    const auto there = found.find(name);
    const int count = there == found.end() ? 0 : there->second;
    if (count < host.gpus.value_or(1)) {
      stage.judgement.missing.push_back({name, host.rack, host.gpus, count});
    } else if (host.gpus && count > *host.gpus) {
      stage.judgement.problems.push_back(
          {"more GPUs than expected", name,
           std::to_string(count) + " found, " + std::to_string(*host.gpus) + " expected"});
    }
  }
  for (const auto& [name, count] : found) {
    if (expected->contains(name)) continue;
    stage.judgement.problems.push_back(
        {"unexpected host", name,
         "is not in the list of hosts; " + std::to_string(count) + " GPUs"});
  }
}

}  // namespace

void group_evidence(Stage& stage) {
  stage.judgement.problems = stage.evidence.problems;
  for (const FleetRun& run : stage.evidence.runs) stage.judgement.rehearsal |= run.replay;
  make_gpus(stage, runs_by_uuid(stage));
  make_cohorts(stage);
  compare_with_expected(stage);
  std::sort(stage.judgement.problems.begin(), stage.judgement.problems.end(),
            [](const FleetProblem& a, const FleetProblem& b) {
              return std::tie(a.kind, a.where, a.what) < std::tie(b.kind, b.where, b.what);
            });
}

}  // namespace assay::detail
