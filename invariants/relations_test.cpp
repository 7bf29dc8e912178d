// SPDX-License-Identifier: Apache-2.0
// Does each relation hold inside its limits, fail outside, and never pass on what is no number?
#include "invariants/relations.h"

#include <limits>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace {

using assay::agree;
using assay::all_in_limits;
using assay::below_ceiling;
using assay::curve;
using assay::descending;
using assay::in_limits;
using assay::Limits;
using assay::Relation;

constexpr double kInf = std::numeric_limits<double>::infinity();
const std::vector<double> kNoRates = {
    std::numeric_limits<double>::quiet_NaN(), kInf, -kInf, 0.0, -0.0, -1.0};

void expect_refused(const Relation& relation, std::size_t index) {
  EXPECT_FALSE(relation.holds);
  EXPECT_FALSE(relation.measured.has_value());
  EXPECT_FALSE(relation.margin.has_value());
  EXPECT_EQ(relation.index, index);
}

TEST(Relations, InLimitsIncludesBothEnds) {
  EXPECT_TRUE(in_limits(2.0, {2.0, 3.0}).holds);
  EXPECT_TRUE(in_limits(3.0, {2.0, 3.0}).holds);
  EXPECT_FALSE(in_limits(1.99, {2.0, 3.0}).holds);
  EXPECT_FALSE(in_limits(3.01, {2.0, 3.0}).holds);
}

TEST(Relations, MarginIsTheDistanceToTheNearestLimitOverIt) {
  EXPECT_NEAR(*in_limits(2.2, {2.0, 4.0}).margin, 0.1, 1e-12);
  EXPECT_NEAR(*in_limits(3.8, {2.0, 4.0}).margin, 0.05, 1e-12);
  EXPECT_NEAR(*in_limits(1.0, {2.0, 4.0}).margin, -0.5, 1e-12);
  EXPECT_NEAR(*in_limits(5.0, {2.0, 4.0}).margin, -0.25, 1e-12);
}

TEST(Relations, WhatIsNoPositiveNumberNeverHolds) {
  for (const double bad : kNoRates) {
    expect_refused(in_limits(bad, {std::nullopt, 3.0}), 0);
    expect_refused(in_limits(bad, {1.0, std::nullopt}), 0);
    expect_refused(all_in_limits({2.0, bad}, {1.0, 3.0}), 1);
    expect_refused(descending({bad, 1.0}, {1.0}), 0);
    expect_refused(descending({3.0, bad}, {1.0}), 1);
    expect_refused(below_ceiling({1.0, bad}, 2.0, 1.0), 1);
    expect_refused(below_ceiling({1.0}, bad, 1.0), 1);
    expect_refused(curve({1.0, bad, 5.0}, 0.15, 4.0), 1);
    expect_refused(agree({1.0, 1.0, bad}, 0.02), 2);
  }
}

TEST(Relations, LimitsThatBindNothingAreRefused) {
  EXPECT_THROW(in_limits(1.0, {}), std::invalid_argument);
  for (const double bad : kNoRates) {
    EXPECT_THROW(in_limits(1.0, Limits{bad, std::nullopt}), std::invalid_argument);
    EXPECT_THROW(in_limits(1.0, Limits{std::nullopt, bad}), std::invalid_argument);
    EXPECT_THROW(below_ceiling({1.0}, 1.0, bad), std::invalid_argument);
    EXPECT_THROW(curve({1.0, 2.0}, 0.1, bad), std::invalid_argument);
    EXPECT_THROW(agree({1.0, 1.0}, bad), std::invalid_argument);
  }
}

TEST(Relations, NoValuesNeverHold) {
  EXPECT_FALSE(all_in_limits({}, {1.0, 2.0}).holds);
  EXPECT_FALSE(below_ceiling({}, 1.0, 1.0).holds);
  EXPECT_THROW(descending({}, {}), std::invalid_argument);
  EXPECT_THROW(descending({1.0, 2.0}, {}), std::invalid_argument);
  EXPECT_THROW(curve({1.0}, 0.1, 1.0), std::invalid_argument);
  EXPECT_THROW(agree({1.0}, 0.1), std::invalid_argument);
}

TEST(Relations, AllInLimitsReportsTheWorst) {
  const Relation relation = all_in_limits({1.5, 2.5, 1.9}, {1.0, 2.0});
  EXPECT_FALSE(relation.holds);
  EXPECT_EQ(relation.index, 1U);
  EXPECT_DOUBLE_EQ(*relation.margin, -0.25);
}

TEST(Relations, DescendingNeedsEveryStep) {
  const std::vector<double> margins = {1.5, 2.0, 1.1};
  EXPECT_TRUE(descending({600, 300, 33, 23}, margins).holds);
  const Relation swapped = descending({300, 600, 33, 23}, margins);
  EXPECT_FALSE(swapped.holds);
  EXPECT_EQ(swapped.index, 0U);
  const Relation close = descending({600, 300, 33, 32}, margins);
  EXPECT_FALSE(close.holds);
  EXPECT_EQ(close.index, 2U);
  EXPECT_DOUBLE_EQ(*close.limits.low, 1.1);
}

TEST(Relations, EqualValuesAreNotDescendingWithAMargin) {
  EXPECT_FALSE(descending({1.0, 1.0}, {1.01}).holds);
  EXPECT_TRUE(descending({1.0, 1.0}, {1.0}).holds);
}

TEST(Relations, CeilingHoldsUpToItsTolerance) {
  EXPECT_TRUE(below_ceiling({100.0, 99.0}, 100.0, 1.0).holds);
  EXPECT_TRUE(below_ceiling({101.0}, 100.0, 1.01).holds);
  const Relation over = below_ceiling({90.0, 102.0, 95.0}, 100.0, 1.01);
  EXPECT_FALSE(over.holds);
  EXPECT_EQ(over.index, 1U);
  EXPECT_DOUBLE_EQ(*over.measured, 1.02);
}

TEST(Relations, EqualsIsExactAndKnowsZero) {
  EXPECT_TRUE(assay::equals(0, 0).holds);
  EXPECT_FALSE(assay::equals(1, 0).holds);
  EXPECT_FALSE(assay::equals(-1, 0).holds);
  constexpr std::int64_t kBig = 9007199254740993;  // 2^53 + 1: lost in a double
  EXPECT_FALSE(assay::equals(kBig, kBig - 1).holds);
}

TEST(Relations, CurveAllowsSlackAndAsksForTheGain) {
  EXPECT_TRUE(curve({1.0, 2.0, 1.8, 4.0}, 0.15, 4.0).holds);
  const Relation dip = curve({1.0, 2.0, 1.6, 4.0}, 0.15, 4.0);
  EXPECT_FALSE(dip.holds);
  EXPECT_EQ(dip.index, 1U);
  const Relation flat = curve({1.0, 2.0, 3.0, 3.9}, 0.15, 4.0);
  EXPECT_FALSE(flat.holds);
  EXPECT_EQ(flat.index, 3U);
  EXPECT_THROW(curve({1.0, 2.0}, 1.0, 1.0), std::invalid_argument);
  EXPECT_THROW(curve({1.0, 2.0}, std::numeric_limits<double>::quiet_NaN(), 1.0),
               std::invalid_argument);
}

TEST(Relations, AgreeMeasuresFromTheMedian) {
  EXPECT_TRUE(agree({1.98, 1.98, 1.98}, 0.02).holds);
  EXPECT_TRUE(agree({1.98, 1.97, 1.99}, 0.02).holds);
  const Relation off = agree({1.98, 1.98, 1.80}, 0.02);
  EXPECT_FALSE(off.holds);
  EXPECT_EQ(off.index, 2U);
  EXPECT_NEAR(*off.measured, 0.0909, 1e-4);
  EXPECT_FALSE(agree({1.0, 1.1}, 0.02).holds) << "two values: the median is their mean";
}

}  // namespace
