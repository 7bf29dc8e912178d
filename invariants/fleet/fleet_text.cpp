// SPDX-License-Identifier: Apache-2.0
// The tables of a fleet.
#include <algorithm>
#include <map>

#include "dossiers/cli/table.h"
#include "invariants/fleet/fleet_document.h"

namespace assay {
namespace {

constexpr std::size_t kMostRows = 50;  // of one table; all are in the document

std::string percent(double share) {
  return fixed(100.0 * share, 2) + " %";
}

/// A title, the table, and how many rows it leaves out. Empty without rows.
std::string section(const std::string& title, const Table& table, std::size_t rows) {
  if (rows == 0) return "";
  std::string text = "\n" + title + "\n" + table.text();
  if (rows > kMostRows) {
    text += "and " + std::to_string(rows - kMostRows) + " more: --json has all\n";
  }
  return text;
}

std::string problems_text(const FleetJudgement& judgement) {
  Table table({"problem", "where", "what"}, {1, 2});
  for (std::size_t i = 0; i < std::min(kMostRows, judgement.problems.size()); ++i) {
    const FleetProblem& problem = judgement.problems[i];
    table.row({problem.kind, problem.where, problem.what});
  }
  return section("What is no evidence", table, judgement.problems.size());
}

std::string missing_text(const FleetJudgement& judgement) {
  Table table({"host", "rack", "GPUs expected", "found"}, {1});
  for (std::size_t i = 0; i < std::min(kMostRows, judgement.missing.size()); ++i) {
    const MissingHost& host = judgement.missing[i];
    table.row({host.host, host.rack, host.expected ? std::to_string(*host.expected) : "some",
               std::to_string(host.found)});
  }
  return section("Missing", table, judgement.missing.size());
}

std::string outliers_text(const FleetEvidence& evidence, const FleetJudgement& judgement) {
  std::vector<const FleetGpu*> bad;
  for (const FleetGpu& gpu : judgement.gpus) {
    if (gpu.outcome != Outcome::pass) bad.push_back(&gpu);
  }
  const auto rank = [](const FleetGpu* gpu) {
    return gpu->outcome == Outcome::fail ? 0 : gpu->outcome == Outcome::no_evidence ? 1 : 2;
  };
  std::stable_sort(bad.begin(), bad.end(),
                   [&](const FleetGpu* a, const FleetGpu* b) { return rank(a) < rank(b); });
  Table table({"verdict", "host", "GPU", "layer", "worst fact", "effect", "before", "reason"},
              {1, 2, 3, 4, 7});
  for (std::size_t i = 0; i < std::min(kMostRows, bad.size()); ++i) {
    const FleetRun& run = evidence.runs[bad[i]->run];
    std::string path, effect, before;
    if (!bad[i]->findings.empty()) {
      const FleetFinding& worst = bad[i]->findings.front();
      path = worst.path;
      effect = percent(worst.effect);
      before = worst.before ? percent(*worst.before) : "no run";
    }
    table.row({std::string(to_string(bad[i]->outcome)), run.host, run.device.uuid, bad[i]->layer,
               path, effect, before, bad[i]->reason});
  }
  return section("GPUs that do not pass", table, bad.size());
}

std::string groups_text(const FleetJudgement& judgement) {
  Table table({"group", "name", "fact", "effect", "GPUs", "z"}, {1, 2});
  for (std::size_t i = 0; i < std::min(kMostRows, judgement.groups.size()); ++i) {
    const FleetGroup& group = judgement.groups[i];
    table.row({group.kind, group.name, group.path, percent(group.effect),
               std::to_string(group.devices), fixed(group.z, 1)});
  }
  return section("Racks and hosts worse than their cohort", table, judgement.groups.size());
}

std::string shifts_text(const FleetEvidence& evidence, const FleetJudgement& judgement) {
  Table table({"cohort", "fact", "median", "approved", "shift"}, {1});
  std::size_t rows = 0;
  for (const FleetCohort& cohort : judgement.cohorts) {
    for (const FleetSpread& fact : cohort.facts) {
      if (!fact.shifted || ++rows > kMostRows) continue;
      table.row({cohort.product + ", driver " + cohort.driver, evidence.names.name(fact.id).path,
                 shortest(fact.median), shortest(fact.reference), percent(fact.shift)});
    }
  }
  return section("Cohorts worse than their approved dossier", table, rows);
}

std::string cohorts_text(const FleetJudgement& judgement) {
  Table table({"cohort", "driver", "VBIOS", "power", "ECC", "MIG", "topology", "level", "GPUs",
               "judged by"},
              {1, 2, 3, 4, 5, 6, 7, 9});
  for (std::size_t i = 0; i < std::min(kMostRows, judgement.cohorts.size()); ++i) {
    const FleetCohort& cohort = judgement.cohorts[i];
    std::string by = cohort.judged ? "its own spread" : "dossiers only: fewer than 8 GPUs";
    if (cohort.judged) {
      by += cohort.reference_run.empty() ? "; no approved dossier" : " and the approved dossier";
    }
    table.row({cohort.product, cohort.driver, cohort.vbios, cohort.power_limit, cohort.ecc,
               cohort.mig, cohort.topology, cohort.level, std::to_string(cohort.gpus.size()), by});
  }
  return section("Cohorts", table, judgement.cohorts.size());
}

std::string confirm_text(const FleetEvidence& evidence, const FleetJudgement& judgement) {
  std::map<std::string, std::size_t> hosts;
  for (const FleetGpu& gpu : judgement.gpus) {
    if (gpu.outcome == Outcome::inconclusive) ++hosts[evidence.runs[gpu.run].host];
  }
  if (hosts.empty()) return "";
  std::string text = "\nRun again, in another order, into the same folder:";
  std::size_t named = 0;
  for (const auto& [host, count] : hosts) {
    if (++named > kMostRows) break;
    text += ' ' + host;
  }
  if (named > kMostRows) text += " and " + std::to_string(hosts.size() - kMostRows) + " more";
  return text + '\n';
}

}  // namespace

std::string fleet_table(const FleetEvidence& evidence, const FleetJudgement& judgement) {
  return "verdict  " + judgement.headline + "\n" + problems_text(judgement) +
         missing_text(judgement) + outliers_text(evidence, judgement) + groups_text(judgement) +
         shifts_text(evidence, judgement) + cohorts_text(judgement) +
         confirm_text(evidence, judgement);
}

}  // namespace assay
