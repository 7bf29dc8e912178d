// SPDX-License-Identifier: Apache-2.0
// A fleet whose faults are known, to count what a rule finds and what it makes up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "invariants/fleet/judge.h"

namespace assay {

enum class FleetPlant {
  none,
  single_5,  ///< one GPU of a hundred lost 5 % of one fact
  single_2,  ///< one GPU of a hundred lost 2 % of one fact: as much as the usual margin
  rack,      ///< one rack lost 3 % of six facts
  driver,    ///< every GPU lost 3 % of six facts
  many,      ///< 40 % of the GPUs lost 5 % of one fact
};
std::string_view to_string(FleetPlant plant);

struct SimulationOrder {
  std::size_t gpus = 10000;  ///< eight a host, eight hosts a rack
  std::size_t facts = 60;
  std::uint64_t seed = 1;
  FleetPlant plant = FleetPlant::none;
  /// Of the spread between devices, 0.1 to 0.5 % by fact at 1: the widest is a sixth of the 3 %
  /// that drift allows two devices of one SKU for a bandwidth. Runs of one device spread half so.
  double noise = 1.0;
  double margin = FleetOptions{}.margin;
};

struct SimulatedFleet {
  FleetEvidence evidence;  ///< two runs of each GPU
  std::map<std::string, ExpectedHost> hosts;
  FleetOptions options;       ///< with repeatability and reference; `expected` is the caller's
  std::vector<bool> planted;  ///< by GPU, then fact
  std::size_t facts = 0;
  std::string bad_rack;
  std::vector<std::string> bad_paths;  ///< of a rack or a driver
};
SimulatedFleet simulate_fleet(const SimulationOrder& order);

/// What a rule said of (GPU, fact) pairs.
struct RuleScore {
  std::string rule;
  std::size_t planted = 0, found = 0;
  std::size_t healthy = 0, false_alarms = 0;
  double recall() const {
    return planted == 0 ? 0.0 : static_cast<double>(found) / static_cast<double>(planted);
  }
};
/// Confirmed findings of the fleet judge.
RuleScore score_judgement(const SimulatedFleet& fleet, const FleetJudgement& judgement);
/// Three published rules over the newest runs: 5 % below an iteratively trimmed mean (SuperBench's
/// fixed threshold), 5 % below the mean of the host (DCGM's tolerance), 3 standard deviations below
/// the mean.
std::vector<RuleScore> score_published(const SimulatedFleet& fleet);

}  // namespace assay
