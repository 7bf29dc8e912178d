// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/timing_facts.h"

#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace assay {
namespace {

Timing steady() {
  Timing timing;
  timing.seconds = 1e-3;
  timing.seconds_samples = {1e-3, 1e-3, 1.25e-3};
  timing.cycles = 2e6;
  timing.cycles_samples = {2e6, 2e6, 2.5e6};
  timing.clock_ghz = timing.clock_min_ghz = timing.clock_max_ghz = 2.0;
  timing.windows = 3;
  return timing;
}

double value_of(const Fact& fact) {
  return as_number(fact.value).value_or(-1.0);
}

TEST(Rate, IsWorkOverTimeInItsUnit) {
  const Fact fact = rate(steady(), 4e6, Unit::gb_per_s, "copy");
  EXPECT_NEAR(value_of(fact), 4.0, 1e-12);
  EXPECT_EQ(fact.clock_ghz, 2.0);
  EXPECT_EQ(fact.samples, 3);
  ASSERT_EQ(fact.raw.size(), 3U);
  EXPECT_NEAR(fact.raw[2], 3.2, 1e-12) << "samples have the fact's own unit";
  EXPECT_NEAR(value_of(rate(steady(), 4e9, Unit::tflop_per_s, "fma")), 4.0, 1e-12);
}

TEST(RatePerClock, IsWorkOverCyclesAndSms) {
  const Fact fact = rate_per_clock(steady(), 4e9, 10, Unit::flop_per_clock_per_sm, "fma");
  EXPECT_NEAR(value_of(fact), 200.0, 1e-9);
}

TEST(Duration, IsTimePerOperationInItsUnit) {
  EXPECT_NEAR(value_of(duration(steady(), 1000, Unit::ns, "chain")), 1000.0, 1e-9);
  EXPECT_NEAR(value_of(duration(steady(), 1, Unit::ms, "kernel")), 1.0, 1e-12);
}

TEST(Facts, OfASpoiledTimingAreAbsentAndKeepTheirSamples) {
  Timing timing = steady();
  timing.spoiled = NullReason{NullKind::contended, "2 of 3 windows disturbed"};
  for (const Fact& fact :
       {rate(timing, 4e6, Unit::gb_per_s, "copy"),
        rate_per_clock(timing, 4e9, 10, Unit::flop_per_clock_per_sm, "fma"),
        duration(timing, 1, Unit::us, "kernel"), sampled(timing, {1.0, 2.0}, Unit::us, "kernel")}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(fact.value));
    EXPECT_EQ(fact.reason, timing.spoiled);
    EXPECT_FALSE(fact.raw.empty());
    EXPECT_EQ(fact.raw.size(), static_cast<std::size_t>(fact.samples));
  }
}

TEST(Facts, WithoutCyclesHaveNoRatePerClock) {
  Timing timing = steady();
  timing.cycles = 0.0;
  timing.cycles_samples.clear();
  const Fact fact = rate_per_clock(timing, 4e9, 10, Unit::flop_per_clock_per_sm, "fma");
  ASSERT_TRUE(fact.reason.has_value());
  EXPECT_EQ(fact.reason->kind, NullKind::clock_lost);
}

TEST(Facts, WithoutAClockAreRefused) {
  Timing timing = steady();
  timing.clock_ghz = 0.0;
  EXPECT_THROW(rate(timing, 4e6, Unit::gb_per_s, "copy"), std::invalid_argument);
}

TEST(Facts, RefuseUnitsAndAmountsThatMakeNoSense) {
  EXPECT_THROW(rate(steady(), 1e6, Unit::us, "x"), std::invalid_argument);
  EXPECT_THROW(rate(steady(), 0.0, Unit::gb_per_s, "x"), std::invalid_argument);
  EXPECT_THROW(rate(steady(), std::numeric_limits<double>::quiet_NaN(), Unit::gb_per_s, "x"),
               std::invalid_argument);
  EXPECT_THROW(rate_per_clock(steady(), 1e6, 10, Unit::tflop_per_s, "x"), std::invalid_argument);
  EXPECT_THROW(rate_per_clock(steady(), 1e6, 0, Unit::bytes_per_clock_per_sm, "x"),
               std::invalid_argument);
  EXPECT_THROW(duration(steady(), 1, Unit::gb_per_s, "x"), std::invalid_argument);
}

TEST(Sampled, IsTheMedianUnderTheWatchedClock) {
  const Fact fact = sampled(steady(), {3.0, 1.0, 2.0}, Unit::us, "kernel");
  EXPECT_EQ(value_of(fact), 2.0);
  EXPECT_EQ(fact.clock_ghz, 2.0);
}

TEST(Sampled, DropsOneBadSampleAndNoMore) {
  EXPECT_EQ(value_of(sampled(steady(), {3.0, -1.0, 2.0, 4.0}, Unit::us, "kernel")), 3.0);
  const Fact fact = sampled(steady(), {3.0, -1.0, 0.0, 4.0}, Unit::us, "kernel");
  ASSERT_TRUE(fact.reason.has_value());
  EXPECT_EQ(fact.reason->kind, NullKind::unsteady);
  EXPECT_TRUE(sampled(steady(), {}, Unit::us, "kernel").reason.has_value());
}

TEST(Confidence, FallsWithManyRejectedWindowsOrASaggingClock) {
  Timing timing = steady();
  timing.windows = 10;
  timing.rejected = 2;
  EXPECT_EQ(confidence_of(timing), Confidence::high);
  timing.rejected = 3;
  EXPECT_EQ(confidence_of(timing), Confidence::medium);
  timing.rejected = 0;
  timing.clock_min_ghz = 1.95;
  EXPECT_EQ(confidence_of(timing), Confidence::high);
  timing.clock_min_ghz = 1.93;
  EXPECT_EQ(confidence_of(timing), Confidence::medium);
  timing.clock_min_ghz = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(confidence_of(timing), Confidence::medium);
}

}  // namespace
}  // namespace assay
