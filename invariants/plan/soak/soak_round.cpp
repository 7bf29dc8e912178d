// SPDX-License-Identifier: Apache-2.0
// One round of a soak.
#include "invariants/plan/soak/soak_round.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <unistd.h>

#include "dossiers/dossier.h"
#include "invariants/evaluate.h"
#include "invariants/plan/gpu_lock.h"
#include "invariants/plan/measure.h"
#include "invariants/plan/run_folder.h"
#include "invariants/plausible.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::array kSoaked = {"device", "mma_tile", "mma_tile_wgmma", "memory_health"};

Run new_run(const RoundOrder& order) {
  Run run;
  run.run_id = new_run_id();
  run.suite = this_suite();
  run.created_utc = utc_now();
  run.level = Level::full;
  run.device = order.device;
  for (const PlannedProbe& probe : order.probes) run.probes.push_back(probe.name);
  run.parent_pid = ::getpid();
  if (const auto self = process_stamp(run.parent_pid)) run.parent_start = self->start;
  return run;
}

/// A probe that finds the GPU held, or cannot start, leaves that as its evidence; the round goes
/// on.
void measure_probe(const RoundOrder& order, const Run& run, const PlannedProbe& probe,
                   const fs::path& folder) {
  ProbeOrder one;
  one.layout = order.layout;
  one.probe = probe;
  one.run_id = run.run_id;
  one.device = order.device;
  one.level = run.level;
  one.folder = folder / "evidence";
  one.echo_stderr = false;
  try {
    measure(one);
  } catch (const GpuBusy&) {
    return;
  } catch (const CannotStart&) {
    return;
  }
}

bool is_of_round(const RoundOrder& order, const Invariant& invariant) {
  return invariant.check.kind != CheckKind::drift &&
         std::all_of(invariant.probes.begin(), invariant.probes.end(), [&](const auto& name) {
           return std::any_of(order.probes.begin(), order.probes.end(),
                              [&](const PlannedProbe& probe) { return probe.name == name; });
         });
}

/// What the probe itself says of the fact that decided: the SM, the address, the bits.
std::string note_of(const Dossier& dossier, const Verdict& verdict) {
  for (const Input& input : verdict.inputs) {
    const auto entry = dossier.entries.find(input.path.substr(0, input.path.find('.')));
    if (entry != dossier.entries.end() && !entry->second.note.empty()) {
      return " (" + entry->second.note + ")";
    }
  }
  return "";
}

RoundResult judge_round(const RoundOrder& order, const Dossier& dossier) {
  std::vector<Outcome> outcomes;
  std::vector<std::string> reasons;
  const auto add = [&](Outcome outcome, const std::string& reason) {
    if (outcome == Outcome::not_applicable) return;
    outcomes.push_back(outcome);
    reasons.push_back(reason);
  };
  for (const Gap& gap : impossible_facts(order.catalog, dossier)) add(gap.outcome, gap.reason);
  for (const Invariant& invariant : order.catalog.invariants) {
    if (!is_of_round(order, invariant)) continue;
    const Verdict verdict = evaluate(order.catalog, invariant, dossier, nullptr);
    add(verdict.outcome, verdict.id + ": " + verdict.reason + note_of(dossier, verdict));
  }
  if (outcomes.empty()) return {Outcome::not_applicable, "nothing of a soak applies here"};
  RoundResult result{combine(outcomes), ""};
  if (result.outcome == Outcome::pass) return result;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i] == result.outcome) return {result.outcome, reasons[i]};
  }
  return result;
}

}  // namespace

std::vector<PlannedProbe> soak_probes(const std::vector<PlannedProbe>& planned) {
  std::vector<PlannedProbe> probes;
  for (const PlannedProbe& probe : planned) {
    if (std::find(kSoaked.begin(), kSoaked.end(), probe.name) != kSoaked.end()) {
      probes.push_back(probe);
    }
  }
  if (probes.size() < 2) {
    throw DataError("probes.json: has none of mma_tile, mma_tile_wgmma, memory_health to soak");
  }
  return probes;
}

RoundResult run_round(const RoundOrder& order, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder / "evidence", error);
  if (error) {
    throw std::runtime_error(folder.string() + ": cannot make the folder: " + error.message());
  }
  const Run run = new_run(order);
  write_run(run, folder / "run.json");
  for (const PlannedProbe& probe : order.probes) measure_probe(order, run, probe, folder);
  try {
    return judge_round(order, merge_run(folder));
  } catch (const DataError& refused) {
    return {Outcome::no_evidence, refused.what()};
  }
}

}  // namespace assay
