// SPDX-License-Identifier: Apache-2.0
#include "probes/power_trace.h"

#include <cmath>

#include <gtest/gtest.h>

namespace assay {
namespace {

/// Readings every 5 ms of a counter that moves every 100 ms, under a load of `watts`.
std::vector<PowerReading> polled(double watts, double seconds, double offset = 0.033) {
  std::vector<PowerReading> readings;
  for (int i = 0; i * 0.005 <= seconds; ++i) {
    const double now = i * 0.005;
    const double counted = std::floor((now + offset) / 0.1 + 1e-9) * 0.1;
    readings.push_back({now, 5000.0 + watts * counted, watts});
  }
  return readings;
}

TEST(WattsByEnergy, AreExactWhateverTheCountersGrid) {
  for (const double offset : {0.0, 0.033, 0.099}) {
    const auto steps = energy_steps(polled(612.0, 1.5, offset));
    const auto watts = watts_by_energy(steps, 1.0);
    ASSERT_TRUE(watts) << offset;
    EXPECT_NEAR(*watts, 612.0, 3.5) << offset;
    for (const double step : watts_of_steps(steps)) EXPECT_NEAR(step, 612.0, 35.0);
  }
}

TEST(WattsByEnergy, AreUnknownForAShortWindow) {
  EXPECT_FALSE(watts_by_energy(energy_steps(polled(612.0, 0.5)), 1.0));
  EXPECT_FALSE(watts_by_energy(energy_steps(polled(612.0, 0.05)), 0.0));
  EXPECT_FALSE(watts_by_energy({}, 0.0));
}

TEST(WattsByEnergy, AreUnknownWithoutTheCounterAndNeverZero) {
  auto readings = polled(612.0, 1.5);
  readings[7].joules.reset();
  EXPECT_TRUE(energy_steps(readings).empty());
  readings = polled(612.0, 1.5);
  readings.back().joules = 1.0;  // reset meanwhile
  EXPECT_TRUE(energy_steps(readings).empty());
  EXPECT_FALSE(watts_by_energy(energy_steps(polled(0.0, 2.0)), 1.0)) << "a counter that stands";
}

TEST(SettledWatts, AreThoseOfTheLastThird) {
  std::vector<PowerReading> readings;
  for (int i = 0; i <= 30; ++i) {
    readings.push_back({0.1 * i, std::nullopt, i < 20 ? 100.0 : 500.0});
  }
  readings.back().watts.reset();
  const auto watts = settled_watts(readings);
  ASSERT_EQ(watts.size(), 10u);
  for (const double one : watts) EXPECT_EQ(one, 500.0);
  EXPECT_TRUE(settled_watts({}).empty());
}

}  // namespace
}  // namespace assay
