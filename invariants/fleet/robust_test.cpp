// SPDX-License-Identifier: Apache-2.0
// Do medians, tails and the false discovery rate say what the books say?
#include "invariants/fleet/robust.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace {

using assay::spread_of;
using assay::upper_tail;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(Spread, IsTheMedianAndTheMadOfTheNormal) {
  const assay::Spread spread = spread_of({1.0, 2.0, 3.0, 4.0, 100.0}, 0.0, 0);
  EXPECT_DOUBLE_EQ(spread.median, 3.0);
  EXPECT_DOUBLE_EQ(spread.scale, 1.4826);
  EXPECT_DOUBLE_EQ(spread_of({1.0, 2.0, 3.0, 5.0}, 0.0, 0).median, 2.5);
  EXPECT_THROW(spread_of({}, 0.0, 0), std::invalid_argument);
}

TEST(Spread, NeverFallsBelowTheCertifiedRepeatability) {
  const assay::Spread same = spread_of({5.0, 5.0, 5.0}, 0.01, 0);
  EXPECT_DOUBLE_EQ(same.scale, 0.01);
  EXPECT_EQ(same.degrees, kInfinite);
  EXPECT_LT(spread_of({1.0, 2.0, 3.0}, 0.01, 0).degrees, 1.0);
}

TEST(Spread, OfTheBetterSideKeepsItsWidthWhenTwoInFiveAreBad) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0.0, 0.005);
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(normal(random) - (i % 5 < 2 ? 0.05 : 0.0));
  EXPECT_LT(spread_of(values, 0.0, 1).scale, 0.0105);
  EXPECT_GT(spread_of(values, 0.0, 0).scale, 0.0125);
}

TEST(UpperTail, AgreesWithTheTables) {
  EXPECT_NEAR(upper_tail(3.0, kInfinite), 1.3499e-3, 1e-7);
  EXPECT_NEAR(upper_tail(5.0, kInfinite), 2.8665e-7, 1e-11);
  EXPECT_NEAR(upper_tail(2.015, 5.0), 0.05, 1e-4);
  EXPECT_NEAR(upper_tail(4.144, 10.0), 0.001, 1e-6);
  EXPECT_NEAR(upper_tail(6.314, 1.0), 0.05, 1e-4);
  EXPECT_NEAR(upper_tail(-2.015, 5.0), 0.95, 1e-4);
  EXPECT_NEAR(upper_tail(5.0, 1e7), upper_tail(5.0, kInfinite), 1e-11);
}

TEST(UpperTail, OfWhatIsNoNumberIsNoAlarm) {
  EXPECT_EQ(upper_tail(std::nan(""), 5.0), 1.0);
  EXPECT_EQ(upper_tail(5.0, std::nan("")), 1.0);
}

TEST(RejectedUpTo, IsTheStepUpOfBenjaminiAndHochberg) {
  // Their own example: 15 tests at q = 0.05 reject four.
  const std::vector<double> p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                              0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  EXPECT_DOUBLE_EQ(assay::rejected_up_to(p, p.size(), 0.05), 0.0095);
  EXPECT_EQ(assay::rejected_up_to({0.2, 0.9}, 2, 0.05), 0.0);
  EXPECT_EQ(assay::rejected_up_to({}, 100, 0.05), 0.0);
}

}  // namespace
