// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/slope.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr CallPlan kPlan{2, 102};
constexpr double kOverhead = 12e-6;

/// A pair of replays whose calls take `seconds` each at `ghz`.
SlopePair pair_of(double seconds, double ghz = 1.98) {
  const auto replay = [&](int calls) {
    const double wall = kOverhead + calls * seconds;
    return Replay{wall, calls * seconds + 3e-6, {1e9 * ghz * calls * seconds + 5000.0, ghz}};
  };
  return {replay(kPlan.short_calls), replay(kPlan.long_calls), false};
}

std::vector<SlopePair> pairs_of(const std::vector<double>& seconds) {
  std::vector<SlopePair> pairs;
  for (const double one : seconds) {
    pairs.push_back(pair_of(one));
  }
  return pairs;
}

NullKind spoiled_kind(const Timing& timing) {
  return timing.spoiled ? timing.spoiled->kind : NullKind::unstated;
}

TEST(Slope, OfSteadyPairsIsTheTimePerCallWithoutOverhead) {
  const Timing timing = judge_slope(pairs_of({9e-6, 10e-6, 10e-6, 10e-6, 11e-6}), kPlan, {});
  EXPECT_FALSE(timing.spoiled.has_value());
  EXPECT_NEAR(timing.seconds, 10e-6, 1e-15);
  EXPECT_NEAR(timing.cycles, 19800.0, 1e-6);
  EXPECT_NEAR(timing.event_seconds, 10e-6, 1e-15);
  EXPECT_NEAR(timing.overhead_seconds, kOverhead, 3e-6);
  EXPECT_EQ(timing.clock_ghz, 1.98);
  EXPECT_EQ(timing.seconds_samples.size(), 5U);
  EXPECT_EQ(timing.cycles_samples.size(), 5U);
  EXPECT_EQ(timing.short_calls, 2);
  EXPECT_EQ(timing.long_calls, 102);
  EXPECT_EQ(timing.rejected, 0);
  EXPECT_EQ(timing.windows, 5);
}

TEST(Slope, LeavesOutDisturbedPairs) {
  auto pairs = pairs_of({10e-6, 10e-6, 10e-6, 30e-6, 30e-6});
  pairs[3].disturbed = pairs[4].disturbed = true;
  const Timing timing = judge_slope(pairs, kPlan, {});
  EXPECT_FALSE(timing.spoiled.has_value());
  EXPECT_NEAR(timing.seconds, 10e-6, 1e-15);
  EXPECT_EQ(timing.rejected, 2);
}

TEST(Slope, IsContendedWhenMoreThanHalfOfThePairsAreDisturbed) {
  auto pairs = pairs_of(std::vector<double>(11, 10e-6));
  for (std::size_t i = 0; i < 6; ++i) {
    pairs[i].disturbed = true;
  }
  const Timing timing = judge_slope(pairs, kPlan, {});
  EXPECT_EQ(spoiled_kind(timing), NullKind::contended);
  EXPECT_EQ(timing.spoiled->detail, "6 of 11 windows disturbed");
  EXPECT_EQ(timing.seconds_samples.size(), 5U) << "raw samples travel all the same";
  pairs[0].disturbed = false;
  EXPECT_FALSE(judge_slope(pairs, kPlan, {}).spoiled.has_value());
}

TEST(Slope, IsContendedWhenFewerThanThreePairsAreLeft) {
  auto pairs = pairs_of(std::vector<double>(4, 10e-6));
  pairs[0].disturbed = pairs[1].disturbed = true;
  EXPECT_EQ(spoiled_kind(judge_slope(pairs, kPlan, {})), NullKind::contended);
}

TEST(Slope, IsContendedWhenAListenerHeardOtherWork) {
  const auto pairs = pairs_of(std::vector<double>(5, 10e-6));
  EXPECT_FALSE(judge_slope(pairs, kPlan, {}, 0.009).spoiled.has_value());
  EXPECT_EQ(spoiled_kind(judge_slope(pairs, kPlan, {}, 0.12)), NullKind::contended);
  EXPECT_EQ(spoiled_kind(judge_slope(pairs, kPlan, {}, kNan)), NullKind::contended);
}

TEST(Slope, NeverTurnsANegativeDifferenceIntoANumber) {
  auto pairs = pairs_of(std::vector<double>(11, 10e-6));
  std::swap(pairs[0].short_graph, pairs[0].long_graph);
  Timing timing = judge_slope(pairs, kPlan, {});
  EXPECT_FALSE(timing.spoiled.has_value()) << "one hiccup is dropped";
  EXPECT_EQ(timing.seconds_samples.size(), 10U);
  std::swap(pairs[1].short_graph, pairs[1].long_graph);
  timing = judge_slope(pairs, kPlan, {});
  EXPECT_EQ(spoiled_kind(timing), NullKind::unsteady);
}

TEST(Slope, IsUnsteadyWhenTimesAreNotNumbers) {
  const Timing timing = judge_slope(pairs_of({10e-6, 10e-6, 10e-6, kNan, kNan}), kPlan, {});
  EXPECT_EQ(spoiled_kind(timing), NullKind::unsteady);
  EXPECT_EQ(timing.seconds_samples.size(), 3U);
}

TEST(Slope, IsUnsteadyAboveTheAllowedSpread) {
  const auto pairs = pairs_of({9e-6, 9.5e-6, 10e-6, 10.5e-6, 11e-6});  // spread 7.4 %
  SlopeOptions options;
  EXPECT_EQ(spoiled_kind(judge_slope(pairs, kPlan, options)), NullKind::unsteady);
  options.max_rel_spread = 0.08;
  EXPECT_FALSE(judge_slope(pairs, kPlan, options).spoiled.has_value());
}

TEST(Slope, LosesItsClockWithItsStamps) {
  auto pairs = pairs_of(std::vector<double>(5, 10e-6));
  for (std::size_t i = 0; i < 3; ++i) {
    pairs[i].long_graph.window = {};
  }
  const Timing timing = judge_slope(pairs, kPlan, {});
  EXPECT_EQ(spoiled_kind(timing), NullKind::clock_lost);
  EXPECT_EQ(timing.cycles_samples.size(), 2U);
}

TEST(Slope, ReportsAClockThatJumped) {
  auto pairs = pairs_of(std::vector<double>(5, 10e-6));
  pairs[2] = pair_of(10e-6, 1.4);
  const Timing timing = judge_slope(pairs, kPlan, {});
  EXPECT_EQ(timing.clock_min_ghz, 1.4);
  EXPECT_EQ(timing.clock_ghz, 1.98);
  EXPECT_EQ(timing.clock_max_ghz, 1.98);
}

TEST(Slope, OfNoPairsIsNoNumber) {
  const Timing timing = judge_slope({}, kPlan, {});
  EXPECT_TRUE(timing.spoiled.has_value());
  EXPECT_EQ(timing.seconds, 0.0);
}

TEST(Watch, LabelsTheClockOfQuietRuns) {
  std::vector<WatchedRun> runs(3, {{1e6, 1.98}, false});
  runs[0] = {{1e6, 0.5}, true};
  const Timing timing = judge_watch(runs);
  EXPECT_FALSE(timing.spoiled.has_value());
  EXPECT_EQ(timing.clock_min_ghz, 1.98);
  EXPECT_EQ(timing.rejected, 1);
  EXPECT_EQ(timing.windows, 3);
}

TEST(Watch, IsSpoiledByContentionOrLostStamps) {
  const WatchedRun quiet{{1e6, 1.98}, false};
  const WatchedRun busy{{1e6, 1.98}, true};
  EXPECT_EQ(spoiled_kind(judge_watch({quiet, busy, busy})), NullKind::contended);
  EXPECT_EQ(spoiled_kind(judge_watch({{{}, false}, {{}, false}})), NullKind::clock_lost);
  EXPECT_EQ(spoiled_kind(judge_watch({})), NullKind::clock_lost);
}

TEST(Stamps, GiveTheMedianOverTheSmsThatHaveBoth) {
  const std::vector<Stamp> before = {{1000, 100}, {5000, 100}, {0, 0}, {10, 100}};
  const std::vector<Stamp> after = {{3000, 1100}, {7010, 1100}, {9000, 1100}, {0, 0}};
  const StampWindow window = read_window(before, after);
  EXPECT_EQ(window.cycles, 2005.0);
  ASSERT_TRUE(window.clock_ghz.has_value());
  EXPECT_NEAR(*window.clock_ghz, 2.005, 1e-12);
}

TEST(Stamps, ThatCannotBeTrueGiveNoClock) {
  const auto clock = [](Stamp before, Stamp after) { return read_window({before}, {after}); };
  EXPECT_FALSE(clock({1000, 100}, {3000, 100}).clock_ghz) << "no time passed";
  EXPECT_TRUE(clock({1000, 100}, {3000, 100}).cycles) << "the cycles did";
  EXPECT_FALSE(clock({1000, 200}, {3000, 100}).clock_ghz) << "time ran backwards";
  EXPECT_FALSE(clock({3000, 100}, {1000, 200}).cycles) << "the clock ran backwards";
  EXPECT_FALSE(clock({1000, 100}, {1000000, 200}).clock_ghz) << "10 GHz";
  EXPECT_FALSE(clock({1000, 100}, {1001, 200}).clock_ghz) << "10 MHz";
  EXPECT_FALSE(read_window({}, {}).cycles);
}

TEST(Calls, SpanTheTargetWithoutExceedingTheCap) {
  const CallPlan middle = choose_calls(100e-6, 5e-3, 1024);
  EXPECT_EQ(middle.short_calls, 2);
  EXPECT_EQ(middle.long_calls, 52);
  EXPECT_EQ(choose_calls(1e-6, 5e-3, 1024).long_calls, 1024);
  EXPECT_EQ(choose_calls(1e-6, 5e-3, 10).long_calls, 10);
}

TEST(Calls, OfLongWorkAreOneAndTwo) {
  for (const double seconds : {5e-3, 6e-3, 1.0}) {
    const CallPlan plan = choose_calls(seconds, 5e-3, 1024);
    EXPECT_EQ(plan.short_calls, 1);
    EXPECT_EQ(plan.long_calls, 2);
  }
}

TEST(Calls, AlwaysDifferEvenOnNonsense) {
  for (const double seconds : {kNan, -1.0, 0.0, 1e-300, 4.9e-3}) {
    for (const int cap : {0, 1, 2, 3, 4, 1024}) {
      const CallPlan plan = choose_calls(seconds, 5e-3, cap);
      EXPECT_GE(plan.short_calls, 1);
      EXPECT_GT(plan.long_calls, plan.short_calls) << seconds << " " << cap;
      EXPECT_LE(plan.long_calls, std::max(cap, 2));
    }
  }
}

CanaryRun canary(double wall_us, double inside_us, double stolen_us = 0.0) {
  return {1e-6 * wall_us, 1e-6 * inside_us, 1e-6 * stolen_us};
}

TEST(Join, IsTheMedianOverThePlaces) {
  const Timing slow = judge_slope(pairs_of({12e-6, 12e-6, 12e-6}), kPlan, {});
  const Timing fast = judge_slope(pairs_of({9e-6, 9e-6, 9e-6}), kPlan, {});
  const Timing usual = judge_slope(pairs_of({10e-6, 10e-6, 10e-6}), kPlan, {});
  const Timing joined = join({slow, fast, usual});
  EXPECT_FALSE(joined.spoiled.has_value());
  EXPECT_NEAR(joined.seconds, 10e-6, 1e-15);
  EXPECT_NEAR(joined.cycles, 19800.0, 1e-6);
  EXPECT_EQ(joined.seconds_samples.size(), 9U);
  EXPECT_EQ(joined.cycles_samples.size(), 9U);
  EXPECT_EQ(joined.windows, 9);
  EXPECT_EQ(joined.clock_ghz, 1.98);
}

TEST(Join, IsSpoiledByAnyPart) {
  Timing quiet = judge_slope(pairs_of({10e-6, 10e-6, 10e-6}), kPlan, {});
  Timing busy = quiet;
  busy.spoiled = NullReason{NullKind::contended, "2 of 3 windows disturbed"};
  busy.rejected = 2;
  const Timing joined = join({quiet, busy, quiet});
  EXPECT_EQ(spoiled_kind(joined), NullKind::contended);
  EXPECT_EQ(joined.rejected, 2);
}

TEST(Canary, IsQuietWithinTheLaunchFloor) {
  const double floor = launch_floor({canary(60, 50), canary(57, 50), canary(400, 50)});
  EXPECT_NEAR(floor, 7e-6, 1e-12);
  EXPECT_FALSE(is_disturbed(canary(57, 50), floor));
  EXPECT_FALSE(is_disturbed(canary(150, 50), floor));
}

TEST(Canary, IsDisturbedWhenKeptWaiting) {
  EXPECT_TRUE(is_disturbed(canary(2410, 50), 7e-6));
  EXPECT_TRUE(is_disturbed(canary(kNan, 50), 7e-6));
}

TEST(Canary, IsDisturbedWhenPausedInside) {
  EXPECT_TRUE(is_disturbed(canary(2410, 2400, 2350), 7e-6));
  EXPECT_TRUE(is_disturbed(canary(160, 150, kNan), 7e-6));
}

TEST(Canary, TakesNoBusyDeviceForTheNorm) {
  const std::vector<CanaryRun> busy(16, canary(2430, 50));
  EXPECT_EQ(launch_floor(busy), kMaxLaunchFloorSeconds);
  EXPECT_TRUE(is_disturbed(busy.front(), launch_floor(busy)));
}

TEST(Canary, SharesOutStolenTime) {
  EXPECT_EQ(stolen_share({}), 0.0);
  EXPECT_NEAR(stolen_share({canary(5100, 5000, 400), canary(5100, 5000, 0)}), 0.04, 1e-12);
}

}  // namespace
}  // namespace assay
