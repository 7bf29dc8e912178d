// SPDX-License-Identifier: Apache-2.0
// Are drawn runs like the recorded one, do planted faults change what they say, and are both judged
// as they should be?
#include "invariants/rates/power.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "invariants/rates/resample.h"
#include "invariants/test_support.h"

namespace assay {
namespace {

constexpr std::uint64_t kSeed = 7;

const Dossier& recorded() {
  static const Dossier dossier = read_dossier(
      test::source_dir() / "dossiers/recorded/h200-quick-2026-11-30/dossier.json", true);
  return dossier;
}

double number_at(const Dossier& dossier, const char* path) {
  return as_number(dossier.find(path)->value).value();
}

/// Error rates of other rules say nothing about these: after a change of a rule they are made anew.
TEST(RecordedRates, AreOfTheShippedRules) {
  const Rules rules = test::rules();
  ASSERT_FALSE(rules.figures.repeats.empty());
  ASSERT_FALSE(rules.figures.models.empty());
  for (const auto& repeat : rules.figures.repeats) {
    EXPECT_EQ(repeat.document.judging_sha256, rules.catalog.judging_sha256);
  }
  for (const auto& model : rules.figures.models) {
    EXPECT_EQ(model.document.judging_sha256, rules.catalog.judging_sha256);
  }
}

TEST(Resampler, TheSameSeedDrawsTheSameRunsAndAnotherOthers) {
  const Rules rules = test::rules();
  Resampler first(rules.catalog, recorded(), nullptr, kSeed);
  Resampler again(rules.catalog, recorded(), nullptr, kSeed);
  Resampler other(rules.catalog, recorded(), nullptr, kSeed + 1);
  const std::string one = dossier_text(first.next());
  EXPECT_EQ(one, dossier_text(again.next()));
  EXPECT_NE(one, dossier_text(other.next()));
  EXPECT_NE(one, dossier_text(first.next()));
}

TEST(Resampler, ADrawnFactStaysAmongItsSamples) {
  const Rules rules = test::rules();
  Resampler resampler(rules.catalog, recorded(), nullptr, kSeed);
  const Fact& fact = *recorded().find("dram_bw.read");
  const auto [low, high] = std::minmax_element(fact.raw.begin(), fact.raw.end());
  const double middle = median(fact.raw).value();
  bool moved = false;
  for (int run = 0; run < 20; ++run) {
    const double value = number_at(resampler.next(), "dram_bw.read");
    const double relative = value / number_at(recorded(), "dram_bw.read");
    EXPECT_GE(relative, *low / middle - 1e-12);
    EXPECT_LE(relative, *high / middle + 1e-12);
    moved = moved || relative != 1.0;
  }
  EXPECT_TRUE(moved);
}

TEST(Resampler, CountsAndStatedFactsStay) {
  Resampler resampler(test::rules().catalog, recorded(), nullptr, kSeed);
  const Dossier run = resampler.next();
  for (const char* path : {"device.sm_count", "device.sm_count_alive", "clock.max_ghz",
                           "mma_tile.wgmma_f16_f32_sms", "memory_health.errors"}) {
    EXPECT_EQ(run.find(path)->value, recorded().find(path)->value) << path;
  }
}

TEST(Resampler, TwinsOfOneMeasurementMoveTogether) {
  Resampler resampler(test::rules().catalog, recorded(), nullptr, kSeed);
  const double ratio =
      number_at(recorded(), "latency.dram") / number_at(recorded(), "latency.dram_ns");
  for (int run = 0; run < 20; ++run) {
    const Dossier drawn = resampler.next();
    EXPECT_NEAR(number_at(drawn, "latency.dram") / number_at(drawn, "latency.dram_ns"), ratio,
                2e-4 * ratio);
  }
}

TEST(Resampler, AMeasuredDistanceBetweenRunsIsAdded) {
  RepeatSession session;
  session.facts["dram_bw.read"] = {Unit::gb_per_s, 100, 4600.0, 4500.0, 4700.0, 0.01};
  Repeat between;
  between.sessions = {session};
  Resampler resampler(test::rules().catalog, recorded(), &between, kSeed);
  EXPECT_EQ(resampler.moved(), 1u);
  std::vector<double> values;
  for (int run = 0; run < 200; ++run) {
    values.push_back(number_at(resampler.next(), "dram_bw.read"));
  }
  EXPECT_NEAR(relative_spread(values).value(), 0.01, 0.003);
}

TEST(Resampler, WithoutSamplesThereIsNothingToDraw) {
  const Dossier bare =
      read_dossier(test::source_dir() / "dossiers/recorded/h200-quick-2026-11-30/dossier.json");
  EXPECT_NE(test::refusal([&] { Resampler(test::rules().catalog, bare, nullptr, kSeed); }), "");
}

TEST(Plants, EachChangesWhatItNamesAndNothingElse) {
  const auto ratio = [](const char* plant, const char* path) {
    return number_at(planted(recorded(), plant), path) / number_at(recorded(), path);
  };
  EXPECT_DOUBLE_EQ(ratio("dram_loss_2", "dram_bw.read"), 0.98);
  EXPECT_DOUBLE_EQ(ratio("dram_loss_2", "dram_bw.working_set_bytes"), 1.0);
  EXPECT_DOUBLE_EQ(ratio("dram_loss_2", "l2_bw.read"), 1.0);
  EXPECT_DOUBLE_EQ(ratio("clock_loss_2", "clock.sm_ghz"), 0.98);
  EXPECT_DOUBLE_EQ(ratio("clock_loss_2", "clock.max_ghz"), 1.0);
  EXPECT_DOUBLE_EQ(ratio("clock_loss_2", "fma_f32"), 0.98);
  EXPECT_DOUBLE_EQ(ratio("clock_loss_2", "fma_per_clock.f32"), 1.0);
  EXPECT_DOUBLE_EQ(ratio("clock_loss_2", "latency.l1_ns"), 1.0 / 0.98);
  EXPECT_DOUBLE_EQ(ratio("latency_l2_5", "latency.l2"), 1.05);
  EXPECT_DOUBLE_EQ(ratio("latency_l2_5", "latency.dram"), 1.0);
  EXPECT_DOUBLE_EQ(ratio("latency_dram_5", "latency.dram"), 1.05);
  EXPECT_DOUBLE_EQ(ratio("sm_slow_5", "mma_per_clock.mma_sync_f16_f32"), 1.0 / 1.05);
  EXPECT_DOUBLE_EQ(ratio("sm_slow_5", "mma.wgmma_f16_f32"), 1.0 / 1.05);
  EXPECT_DOUBLE_EQ(ratio("sm_slow_5", "mma_per_clock.wgmma_f16_f32"), 1.0) << "the middle SM's own";
  EXPECT_EQ(number_at(planted(recorded(), "sm_missing"), "device.sm_count_alive"), 131.0);
  EXPECT_EQ(number_at(planted(recorded(), "sm_missing"), "mma_tile.wgmma_f16_f32_sms"), 131.0);
  EXPECT_EQ(number_at(planted(recorded(), "sm_missing"), "device.sm_count"), 132.0);
  EXPECT_THROW(planted(recorded(), "no_such"), std::invalid_argument);
}

/// The rows of one simulation: long enough to see, short enough for a unit test.
const PowerModel& small_model() {
  static const PowerModel model = [] {
    PowerOrder order;
    order.runs = 30;
    order.seed = kSeed;
    return simulate(test::rules(), recorded(), nullptr, order);
  }();
  return model;
}

TEST(PowerModel, DrawnHealthyRunsDoNotFail) {
  for (const PowerRow& row : small_model().rows) {
    if (!row.plant.empty()) continue;
    EXPECT_EQ(row.runs, 30);
    EXPECT_EQ(row.failed, 0) << to_string(row.tier);
  }
}

TEST(PowerModel, EveryPlantedFaultIsSeenAgainstTheDevicesOwnPin) {
  std::size_t rows = 0;
  for (const PowerRow& row : small_model().rows) {
    if (row.plant.empty() || row.tier != PinTier::same_device) continue;
    EXPECT_EQ(row.runs, 10);
    EXPECT_EQ(row.failed, row.runs) << row.plant;
    ++rows;
  }
  EXPECT_EQ(rows, plants().size());
}

TEST(PowerModel, IsReadAsItWasWrittenAndSaysThatItIsAModel) {
  const auto file = test::fresh_dir() / "power.json";
  const std::string text = power_text(small_model());
  test::write_text(file, text);
  EXPECT_EQ(power_text(read_power(file)), text);
  EXPECT_EQ(power_table(small_model()).rfind("MODEL, not measured", 0), 0u);
  test::write_text(file, test::replaced(text, "\"failed\": 0", "\"failed\": 1"));
  EXPECT_NE(test::refusal([&] { read_power(file); }), "");
}

TEST(PowerModel, ASickRecordIsNoHealthyOne) {
  Dossier sick = recorded();
  sick.entries.at("latency").facts.at("l1").value = 500.0;
  const std::string why =
      test::refusal([&] { simulate(test::rules(), sick, nullptr, PowerOrder{}); });
  EXPECT_NE(why.find("itself judged fail"), std::string::npos) << why;
}

}  // namespace
}  // namespace assay
