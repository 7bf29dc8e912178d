// SPDX-License-Identifier: Apache-2.0
#include "probes/sweep.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(WorkingSms, AreAsManyAsAskedAndSpreadEvenly) {
  for (const std::uint32_t sms : {1u, 20u, 108u, 132u, 148u}) {
    for (std::uint32_t working = 1; working <= sms; ++working) {
      std::uint32_t found = 0, last = 0;
      for (std::uint32_t sm = 0; sm < sms; ++sm) {
        if (!is_working_sm(sm, working, sms)) continue;
        EXPECT_LE(sm - last, sms / working + 1);
        last = sm;
        ++found;
      }
      EXPECT_EQ(found, working) << sms;
    }
  }
}

TEST(LeastReaching, FindsEveryStepExactly) {
  for (int step = 1; step <= 132; ++step) {
    const auto rate = [step](int count) -> std::optional<double> {
      return count >= step ? 100.0 : 1.0;
    };
    EXPECT_EQ(least_reaching(132, 95.0, rate), step);
  }
}

TEST(LeastReaching, TakesFewTrials) {
  std::set<int> tried;
  const auto rate = [&tried](int count) -> std::optional<double> {
    tried.insert(count);
    return std::min(count, 70) * 1.0;
  };
  EXPECT_EQ(least_reaching(132, 66.5, rate), 67);
  EXPECT_LE(tried.size(), 13u);
}

TEST(LeastReaching, IsUnknownWhenARateIsOrNoneReaches) {
  EXPECT_FALSE(least_reaching(132, 2.0, [](int) { return std::optional<double>(1.0); }));
  EXPECT_FALSE(least_reaching(132, 2.0, [](int) { return std::optional<double>(); }));
  EXPECT_FALSE(least_reaching(132, 2.0, [](int) { return std::optional<double>(std::nan("")); }));
  EXPECT_EQ(least_reaching(3, 2.0, [](int count) { return std::optional<double>(count); }), 2);
}

TEST(CapacityKnee, LiesWhereTheRateCrossesHalfWay) {
  const auto knee = capacity_knee({{10, 100}, {20, 100}, {40, 20}, {80, 20}});
  ASSERT_TRUE(knee);
  EXPECT_NEAR(*knee, 20 * std::sqrt(2.0), 1e-9);
}

TEST(CapacityKnee, IsTheFirstCrossing) {
  const auto knee = capacity_knee({{1, 10}, {2, 4}, {4, 9}, {8, 2}});
  ASSERT_TRUE(knee);
  EXPECT_GT(*knee, 1.0);
  EXPECT_LT(*knee, 2.0);
}

TEST(CapacityKnee, IsUnknownWithoutAClearFall) {
  EXPECT_FALSE(capacity_knee({}));
  EXPECT_FALSE(capacity_knee({{1, 10}}));
  EXPECT_FALSE(capacity_knee({{1, 10}, {2, 9.5}}));
  EXPECT_FALSE(capacity_knee({{1, 10}, {2, 12}}));
  EXPECT_FALSE(capacity_knee({{1, 10}, {2, std::nan("")}}));
}

}  // namespace
}  // namespace assay
