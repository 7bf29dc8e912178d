// SPDX-License-Identifier: Apache-2.0
// How many planted faults does a fleet's judge find, how many does it make up, and what does it
// cost? Prints, asserts nothing:
//   fleet_benchmark [--gpus N] [--run FOLDER]
// judges simulated fleets of N GPUs (10,000) x 60 facts beside three published rules, and with
// --run reads that run's certificate N times, gives each copy its own device and noise, and judges
// them, on one core.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <random>
#include <string>
#include <sys/resource.h>

#include "dossiers/cli/table.h"
#include "invariants/fleet/fleet_document.h"
#include "invariants/fleet/simulation.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

double peak_mib() {
  rusage usage{};
  static_cast<void>(::getrusage(RUSAGE_SELF, &usage));
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

/// What the layers above single GPUs said.
std::string groups_of(const SimulatedFleet& fleet, const FleetJudgement& judgement) {
  std::size_t racks = 0, wrong = 0, shifted = 0;
  for (const FleetGroup& group : judgement.groups) {
    const bool right = group.kind == "rack" && group.name == fleet.bad_rack;
    racks += right;
    wrong += group.kind == "rack" && !right;
  }
  for (const FleetCohort& cohort : judgement.cohorts) {
    for (const FleetSpread& fact : cohort.facts) shifted += fact.shifted;
  }
  return "bad rack " + std::to_string(racks) + ", other racks " + std::to_string(wrong) +
         ", cohort " + std::to_string(shifted);
}

void print_scores(Table& table, const SimulationOrder& order) {
  const SimulatedFleet fleet = simulate_fleet(order);
  FleetOptions options = fleet.options;
  options.expected = &fleet.hosts;
  const Clock::time_point begun = Clock::now();
  const FleetJudgement judgement = judge_fleet(fleet.evidence, options);
  const double seconds = seconds_since(begun);
  std::vector<RuleScore> scores{score_judgement(fleet, judgement)};
  for (RuleScore& rule : score_published(fleet)) scores.push_back(std::move(rule));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const RuleScore& rule = scores[i];
    table.row({i == 0 ? std::string(to_string(order.plant)) : "", fixed(order.noise, 0),
               i == 0 ? fixed(100.0 * order.margin, 0) + " %" : "", rule.rule,
               std::to_string(rule.planted),
               rule.planted == 0 ? "-" : fixed(100.0 * rule.recall(), 2) + " %",
               std::to_string(rule.false_alarms), i == 0 ? groups_of(fleet, judgement) : "",
               i == 0 ? fixed(seconds, 1) : ""});
  }
}

void simulate_all(std::size_t gpus) {
  std::printf(
      "SIMULATION, not measured: %zu GPUs x 60 facts; spread between devices 0.1 to 0.5 %% "
      "by fact x noise, between runs half of it\n",
      gpus);
  Table table({"planted", "noise", "margin", "rule", "pairs", "recall", "false alarms",
               "facts by layer above", "s"},
              {3, 7});
  SimulationOrder order;
  order.gpus = gpus;
  for (const FleetPlant plant : {FleetPlant::none, FleetPlant::single_5, FleetPlant::single_2,
                                 FleetPlant::rack, FleetPlant::driver, FleetPlant::many}) {
    order.plant = plant;
    print_scores(table, order);
  }
  order.plant = FleetPlant::single_2;
  order.margin = 0.01;
  print_scores(table, order);
  order = {gpus};
  order.noise = 2.0;
  order.plant = FleetPlant::single_5;
  print_scores(table, order);
  std::cout << table.text();
}

void read_many(const std::string& folder, std::size_t count) {
  FleetEvidence evidence;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0.0, 0.003);
  const Clock::time_point begun = Clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    FleetRun run = read_fleet_run(folder, evidence.names);
    run.host = "n" + std::to_string(i / 8);
    run.device.uuid += "-" + std::to_string(i);
    run.folder = run.host + "/" + run.device.uuid + "/" + run.run_id;
    for (FleetFact& fact : run.facts) fact.value *= std::exp(normal(random));
    std::sort(run.facts.begin(), run.facts.end(),
              [](const FleetFact& a, const FleetFact& b) { return a.id < b.id; });
    evidence.runs.push_back(std::move(run));
  }
  evidence.files = 2 * count;
  const double read_s = seconds_since(begun);
  const Clock::time_point judged = Clock::now();
  const FleetJudgement judgement = judge_fleet(evidence, {});
  const std::string text = fleet_json(evidence, {}, judgement);
  std::printf(
      "%zu runs of %zu compared facts: read %.1f s, judged and written %.1f s, document "
      "%.1f MB\n",
      count, evidence.names.size(), read_s, seconds_since(judged),
      static_cast<double>(text.size()) / 1e6);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  std::size_t gpus = 10000;
  std::string run;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--gpus") == 0) gpus = std::strtoul(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--run") == 0) run = argv[i + 1];
  }
  if (argc % 2 == 0 || gpus < 64) {
    std::cerr << "usage: fleet_benchmark [--gpus N] [--run FOLDER], N of 64 or more\n";
    return 2;
  }
  try {
    assay::simulate_all(gpus);
    if (!run.empty()) assay::read_many(run, gpus);
    std::printf("peak memory %.0f MiB\n", assay::peak_mib());
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "fleet_benchmark: " << error.what() << '\n';
    return 2;
  }
}
