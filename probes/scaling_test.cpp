// SPDX-License-Identifier: Apache-2.0
// Are trips scaled to the time that a call should take, and is the scaling what the samples say?
#include "probes/scaling.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Timing timing_of(double cycles) {
  Timing timing;
  timing.seconds = cycles / 2e9;
  timing.seconds_samples = {timing.seconds, timing.seconds, timing.seconds};
  timing.cycles = cycles;
  timing.cycles_samples = {cycles, cycles * 1.01, cycles * 0.99};
  timing.clock_ghz = timing.clock_min_ghz = timing.clock_max_ghz = 2.0;
  return timing;
}

TEST(ScaledTrips, KeepTheirRatioToTheTime) {
  EXPECT_EQ(scaled_trips(100, 1e-4, 1e-3), 1000);
  EXPECT_EQ(scaled_trips(100, 1e-2, 1e-3), 10);
}

TEST(ScaledTrips, AreAtLeastOneAndCannotOverflowWhenDoubled) {
  EXPECT_EQ(scaled_trips(1, 10.0, 1e-3), 1);
  EXPECT_EQ(scaled_trips(1, 0.0, 0.0), 1);  // not a number
  EXPECT_GT(2 * scaled_trips(1 << 30, 1e-9, 1.0), 0);
}

TEST(Scaling, IsTheRatioOfTheCycles) {
  const Fact fact = scaling(timing_of(1e6), timing_of(2.002e6), "test");
  EXPECT_DOUBLE_EQ(as_number(fact.value).value(), 2.002);
  EXPECT_EQ(fact.units, Unit::ratio);
  EXPECT_EQ(fact.raw.size(), 3U);
}

TEST(Scaling, IsAbsentWhenEitherTimingIsSpoiled) {
  const NullReason reason{NullKind::contended, "somebody else"};
  Timing spoiled = timing_of(2e6);
  spoiled.spoiled = reason;
  EXPECT_EQ(scaling(timing_of(1e6), spoiled, "test").reason, reason);
  EXPECT_EQ(scaling(spoiled, timing_of(1e6), "test").reason, reason);
}

TEST(Scaling, IsAbsentWithoutPositiveCycles) {
  EXPECT_EQ(scaling(timing_of(0.0), timing_of(1e6), "test").reason->kind, NullKind::clock_lost);
}

}  // namespace
}  // namespace assay
