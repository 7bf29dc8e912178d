// SPDX-License-Identifier: Apache-2.0
// Devices, runs and faults drawn from a seed.
#include "invariants/fleet/simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>

namespace assay {
namespace {

constexpr std::size_t kGpusPerHost = 8, kHostsPerRack = 8, kFaultyFacts = 6;
constexpr double kLeastSpread = 0.001, kMostSpread = 0.005;  // between devices, relative
constexpr double kRunShare = 0.5;                            // of it, between runs of one device
constexpr double kCommon = 0.001;  // what all facts of a device share: its silicon

std::string numbered(const char* form, std::size_t number) {
  std::array<char, 64> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), form, number));
  return text.data();
}

bool is_time(std::size_t fact) {
  return fact % 6 == 5;  // ten of sixty
}
double spread_of_fact(const SimulationOrder& order, std::size_t fact) {
  const double place = static_cast<double>(fact % 10) / 9.0;
  return order.noise * (kLeastSpread + place * (kMostSpread - kLeastSpread));
}
double base_of(std::size_t fact) {
  return 100.0 * (1.0 + static_cast<double>(fact));
}

/// The share of a fact that this device lost.
double loss_at(const SimulationOrder& order, std::size_t gpu, std::size_t fact) {
  // A stride prime to 100 and to the number of facts spreads single faults over facts and hosts.
  const bool chosen_fact = fact == (gpu * 7) / 100 % order.facts;
  const std::size_t rack = gpu / (kGpusPerHost * kHostsPerRack);
  switch (order.plant) {
    case FleetPlant::none:
      return 0.0;
    case FleetPlant::single_5:
      return gpu % 100 == 37 && chosen_fact ? 0.05 : 0.0;
    case FleetPlant::single_2:
      return gpu % 100 == 37 && chosen_fact ? 0.02 : 0.0;
    case FleetPlant::rack:
      return rack == 3 && fact < kFaultyFacts ? 0.03 : 0.0;
    case FleetPlant::driver:
      return fact < kFaultyFacts ? 0.03 : 0.0;
    case FleetPlant::many:
      return gpu % 5 < 2 && fact == 1 ? 0.05 : 0.0;
  }
  return 0.0;
}

std::string path_of(std::size_t fact) {
  return numbered(is_time(fact) ? "simulated.latency_%02zu" : "simulated.rate_%02zu", fact);
}

FleetRun run_of(std::size_t gpu, std::size_t number) {
  FleetRun run;
  run.host = numbered("n%05zu", gpu / kGpusPerHost);
  run.device.uuid = numbered("GPU-%08zu", gpu);
  run.device.name = "simulated";
  run.device.driver = "1.0";
  run.run_id = numbered(number == 0 ? "first-%zu" : "second-%zu", gpu);
  run.created_utc = number == 0 ? "2026-01-01T00:00:00Z" : "2026-01-01T01:00:00Z";
  run.folder = run.host + "/" + run.device.uuid + "/" + run.run_id;
  run.level = "quick";
  run.topology = "unstated";
  run.certified = true;
  run.verdict = Outcome::pass;
  return run;
}

/// What the options of a real fleet would come from: repeat.json and an approved dossier.
void certify_kind(const SimulationOrder& order, SimulatedFleet& fleet) {
  fleet.options.margin = order.margin;
  FleetReference reference;
  reference.product = "simulated";
  reference.run_id = "approved";
  for (std::size_t fact = 0; fact < order.facts; ++fact) {
    const std::string path = path_of(fact);
    fleet.options.repeatability[path] = kRunShare * spread_of_fact(order, fact);
    reference.values[path] = base_of(fact);
    static_cast<void>(
        fleet.evidence.names.id_of(path, is_time(fact) ? Unit::cycles : Unit::gb_per_s));
  }
  fleet.options.references.push_back(std::move(reference));
}

using Flags = std::vector<bool>;

/// Counts what `flagged` says of every pair.
RuleScore score(std::string rule, const SimulatedFleet& fleet, const Flags& flagged) {
  RuleScore result;
  result.rule = std::move(rule);
  for (std::size_t pair = 0; pair < flagged.size(); ++pair) {
    if (fleet.planted[pair]) {
      ++result.planted;
      result.found += flagged[pair];
    } else {
      ++result.healthy;
      result.false_alarms += flagged[pair];
    }
  }
  return result;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// The mean of what no longer falls 5 % below it.
double trimmed_mean(std::vector<double> values) {
  for (;;) {
    const double mean = mean_of(values);
    if (std::erase_if(values, [mean](double value) { return value < 0.95 * mean; }) == 0) {
      return mean;
    }
  }
}

/// Speeds: a rate, or one over a time, so that less is worse for every rule.
std::vector<double> column_of(const SimulatedFleet& fleet, std::size_t fact) {
  std::vector<double> column;
  for (std::size_t run = 1; run < fleet.evidence.runs.size(); run += 2) {
    const double value = fleet.evidence.runs[run].facts[fact].value;
    column.push_back(is_time(fact) ? 1.0 / value : value);
  }
  return column;
}

/// The least speed that each rule lets pass, by GPU.
std::vector<double> host_bounds(const std::vector<double>& column) {
  std::vector<double> bounds;
  for (std::size_t first = 0; first < column.size(); first += kGpusPerHost) {
    const std::size_t end = std::min(first + kGpusPerHost, column.size());
    const double mean = mean_of({column.begin() + static_cast<std::ptrdiff_t>(first),
                                 column.begin() + static_cast<std::ptrdiff_t>(end)});
    bounds.insert(bounds.end(), end - first, 0.95 * mean);
  }
  return bounds;
}

double three_sigma_bound(const std::vector<double>& column) {
  const double mean = mean_of(column);
  double squares = 0.0;
  for (const double value : column) squares += (value - mean) * (value - mean);
  return mean - 3.0 * std::sqrt(squares / static_cast<double>(column.size() - 1));
}

}  // namespace

std::string_view to_string(FleetPlant plant) {
  switch (plant) {
    case FleetPlant::none:
      return "healthy fleet";
    case FleetPlant::single_5:
      return "5 % of one fact, 1 GPU in 100";
    case FleetPlant::single_2:
      return "2 % of one fact, 1 GPU in 100";
    case FleetPlant::rack:
      return "3 % of six facts, one rack";
    case FleetPlant::driver:
      return "3 % of six facts, every GPU";
    case FleetPlant::many:
      return "5 % of one fact, 40 % of the GPUs";
  }
  return "";
}

SimulatedFleet simulate_fleet(const SimulationOrder& order) {
  SimulatedFleet fleet;
  fleet.facts = order.facts;
  fleet.bad_rack = "r003";
  for (std::size_t fact = 0; fact < kFaultyFacts; ++fact) fleet.bad_paths.push_back(path_of(fact));
  certify_kind(order, fleet);
  std::mt19937_64 random(order.seed);
  std::normal_distribution<double> normal;
  for (std::size_t gpu = 0; gpu < order.gpus; ++gpu) {
    FleetRun runs[2] = {run_of(gpu, 0), run_of(gpu, 1)};
    const double common = order.noise * kCommon * normal(random);
    for (std::size_t fact = 0; fact < order.facts; ++fact) {
      const double spread = spread_of_fact(order, fact);
      const double loss = loss_at(order, gpu, fact);
      const double device = common + spread * normal(random) + std::log1p(-loss);
      for (FleetRun& run : runs) {
        const double speed = device + kRunShare * spread * normal(random);
        const double value = base_of(fact) * std::exp(is_time(fact) ? -speed : speed);
        run.facts.push_back({static_cast<std::uint32_t>(fact), value, 1.0});
      }
      fleet.planted.push_back(loss > 0.0);
    }
    const std::size_t host = gpu / kGpusPerHost;
    fleet.hosts[runs[0].host] = {numbered("r%03zu", host / kHostsPerRack), {}};
    for (FleetRun& run : runs) fleet.evidence.runs.push_back(std::move(run));
  }
  fleet.evidence.files = fleet.evidence.runs.size();
  return fleet;
}

RuleScore score_judgement(const SimulatedFleet& fleet, const FleetJudgement& judgement) {
  Flags flagged(fleet.planted.size());
  std::map<std::string, std::size_t> facts;
  for (std::size_t fact = 0; fact < fleet.facts; ++fact) facts[path_of(fact)] = fact;
  for (const FleetGpu& gpu : judgement.gpus) {
    for (const FleetFinding& finding : gpu.findings) {
      if (finding.confirmed) flagged[gpu.run / 2 * fleet.facts + facts.at(finding.path)] = true;
    }
  }
  return score("assay fleet, two runs", fleet, flagged);
}

std::vector<RuleScore> score_published(const SimulatedFleet& fleet) {
  Flags trimmed(fleet.planted.size()), host(trimmed), sigma(trimmed);
  for (std::size_t fact = 0; fact < fleet.facts; ++fact) {
    const std::vector<double> column = column_of(fleet, fact);
    const double trimmed_bound = 0.95 * trimmed_mean(column);
    const double sigma_bound = three_sigma_bound(column);
    const std::vector<double> bounds = host_bounds(column);
    for (std::size_t gpu = 0; gpu < column.size(); ++gpu) {
      const std::size_t pair = gpu * fleet.facts + fact;
      trimmed[pair] = column[gpu] < trimmed_bound;
      host[pair] = column[gpu] < bounds[gpu];
      sigma[pair] = column[gpu] < sigma_bound;
    }
  }
  return {score("5 % below trimmed mean", fleet, trimmed),
          score("5 % below host mean", fleet, host), score("3 sigma below mean", fleet, sigma)};
}

}  // namespace assay
