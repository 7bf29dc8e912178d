// SPDX-License-Identifier: Apache-2.0
// On a fleet whose faults are known: what is found, what is made up, and which layer says it?
#include "invariants/fleet/simulation.h"

#include <cstdio>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "invariants/fleet/fleet_document.h"
#include "invariants/test_support.h"

namespace {

using assay::FleetPlant;

struct Judged {
  assay::SimulatedFleet fleet;
  assay::FleetJudgement judgement;
  assay::RuleScore score;
};

Judged judged(FleetPlant plant) {
  assay::SimulationOrder order;
  order.gpus = 1600;
  order.plant = plant;
  Judged result{assay::simulate_fleet(order), {}, {}};
  assay::FleetOptions options = result.fleet.options;
  options.expected = &result.fleet.hosts;
  result.judgement = assay::judge_fleet(result.fleet.evidence, options);
  result.score = assay::score_judgement(result.fleet, result.judgement);
  return result;
}

std::size_t shifted(const Judged& result) {
  std::size_t count = 0;
  for (const auto& cohort : result.judgement.cohorts) {
    for (const auto& fact : cohort.facts) count += fact.shifted;
  }
  return count;
}

TEST(SimulatedFleet, AHealthyOnePasses) {
  const Judged result = judged(FleetPlant::none);
  EXPECT_EQ(result.judgement.verdict, assay::Outcome::pass) << result.judgement.headline;
  EXPECT_EQ(result.judgement.tests, 96000u);
  EXPECT_EQ(result.score.false_alarms, 0u);
}

TEST(SimulatedFleet, SingleLossesOfFivePercentAreFoundAndNothingElse) {
  const Judged result = judged(FleetPlant::single_5);
  EXPECT_EQ(result.score.planted, 16u);
  EXPECT_EQ(result.score.found, 16u);
  EXPECT_EQ(result.score.false_alarms, 0u);
  EXPECT_EQ(result.judgement.count(assay::Outcome::fail), 16u);
  for (const auto& gpu : result.judgement.gpus) {
    if (gpu.outcome == assay::Outcome::fail) {
      EXPECT_EQ(gpu.layer, "host peers");
    }
  }
}

TEST(SimulatedFleet, ABadRackIsNamedAsARack) {
  const Judged result = judged(FleetPlant::rack);
  std::size_t rack = 0;
  for (const auto& group : result.judgement.groups) {
    if (group.kind == "rack") {
      EXPECT_EQ(group.name, result.fleet.bad_rack);
      ++rack;
    }
  }
  EXPECT_EQ(rack, result.fleet.bad_paths.size());
  EXPECT_EQ(result.judgement.verdict, assay::Outcome::fail);
}

TEST(SimulatedFleet, ADriverThatSlowsEverybodyIsSeenByTheCeilingAlone) {
  const Judged result = judged(FleetPlant::driver);
  EXPECT_EQ(shifted(result), result.fleet.bad_paths.size());
  EXPECT_EQ(result.score.found, 0u);
  EXPECT_TRUE(result.judgement.groups.empty());
  EXPECT_EQ(result.judgement.verdict, assay::Outcome::fail);
  for (const auto& rule : assay::score_published(result.fleet)) {
    EXPECT_LT(rule.recall(), 0.01) << rule.rule;
  }
}

TEST(SimulatedFleet, WithoutAnApprovedDossierThatDriverPassesSoItIsSaidWhoWasAsked) {
  assay::SimulationOrder order;
  order.gpus = 640;
  order.plant = FleetPlant::driver;
  assay::SimulatedFleet fleet = assay::simulate_fleet(order);
  fleet.options.references.clear();
  const auto judgement = assay::judge_fleet(fleet.evidence, fleet.options);
  EXPECT_TRUE(judgement.cohorts.front().reference_run.empty());
}

TEST(SimulatedFleet, TwoInFiveBadDevicesAreStillOutliers) {
  const Judged result = judged(FleetPlant::many);
  EXPECT_EQ(result.score.planted, 640u);
  EXPECT_GE(result.score.recall(), 0.99);
  EXPECT_EQ(result.score.false_alarms, 0u);
}

TEST(SimulatedFleet, WithoutASecondRunAnOutlierIsAskedForOneAndFailsNobody) {
  assay::SimulationOrder order;
  order.gpus = 640;
  order.plant = FleetPlant::single_5;
  assay::SimulatedFleet fleet = assay::simulate_fleet(order);
  std::erase_if(fleet.evidence.runs,
                [](const assay::FleetRun& run) { return run.run_id.starts_with("first"); });
  const auto judgement = assay::judge_fleet(fleet.evidence, fleet.options);
  EXPECT_EQ(judgement.verdict, assay::Outcome::inconclusive);
  EXPECT_EQ(judgement.count(assay::Outcome::inconclusive), 7u);
  EXPECT_EQ(judgement.count(assay::Outcome::fail), 0u);
}

TEST(SimulatedFleet, TheOrderOfTheEvidenceChangesNothing) {
  assay::SimulationOrder order;
  order.gpus = 640;
  order.plant = FleetPlant::single_5;
  assay::SimulatedFleet fleet = assay::simulate_fleet(order);
  const auto one = assay::judge_fleet(fleet.evidence, fleet.options);
  std::reverse(fleet.evidence.runs.begin(), fleet.evidence.runs.end());
  const auto other = assay::judge_fleet(fleet.evidence, fleet.options);
  EXPECT_EQ(one.headline, other.headline);
  ASSERT_EQ(one.gpus.size(), other.gpus.size());
  for (std::size_t i = 0; i < one.gpus.size(); ++i) {
    EXPECT_EQ(one.gpus[i].reason, other.gpus[i].reason);
  }
}

/// Numbers to nine digits, so that the last bit of a logarithm is no difference.
nlohmann::json rounded(const nlohmann::json& json) {
  if (json.is_number_float()) {
    char text[32];
    static_cast<void>(std::snprintf(text, sizeof text, "%.9g", json.get<double>()));
    return text;
  }
  nlohmann::json result = json;
  if (json.is_structured()) {
    for (auto& item : result) item = rounded(item);
  }
  return result;
}

/// Three hosts; a GPU that failed twice, one that was slow once, a host that is missing, half a
/// file.
std::string small_document() {
  assay::SimulationOrder order;
  order.gpus = 24;
  order.facts = 2;
  assay::SimulatedFleet fleet = assay::simulate_fleet(order);
  auto& runs = fleet.evidence.runs;
  for (const std::size_t run : {6u, 7u}) runs[run].facts[0].value *= 0.6;
  runs[21].facts[1].value *= 0.7;
  fleet.evidence.problems.push_back(
      {"half file", "n00001/GPU-x/run", "certificate.json: half file or no JSON: stops at byte 7"});
  fleet.hosts["n00003"] = {"r000", 8};
  fleet.options.expected = &fleet.hosts;
  return assay::fleet_json(fleet.evidence, fleet.options,
                           assay::judge_fleet(fleet.evidence, fleet.options));
}

TEST(SimulatedFleet, OfThreeHostsIsTheWorkedExample) {
  const std::string text = small_document();
  const auto file = assay::test::example_dir() / "fleet.json";
  nlohmann::json ours = nlohmann::json::parse(text);
  nlohmann::json example = nlohmann::json::parse(assay::read_file(file));
  ours["suite"] = example["suite"];
  if (rounded(ours) == rounded(example)) return;
  const auto left = assay::test::fresh_dir() / "fleet.json";
  assay::test::write_text(left, text);
  ADD_FAILURE() << file << " is not what the code writes; that is in " << left;
}

}  // namespace
