// SPDX-License-Identifier: Apache-2.0
#include "probes/residency.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr SmLimits kHopper{2048, 228 * 1024, 227 * 1024, 1024};
constexpr SmLimits kTuring{1024, 64 * 1024, 64 * 1024, 0};
constexpr SmLimits kAmpereClient{1536, 100 * 1024, 99 * 1024, 1024};

int fitting_blocks(const Residency& residency, const SmLimits& limits) {
  const int each = residency.shared_bytes + limits.reserved_bytes_per_block;
  return std::min(limits.shared_bytes / each, limits.threads / residency.threads);
}

TEST(HoldTo, LeavesRoomForJustSoManyWarps) {
  for (const SmLimits& limits : {kHopper, kTuring, kAmpereClient}) {
    for (const int warps : {2, 4, 8, 16, 32}) {
      const auto residency = hold_to(warps, limits);
      ASSERT_TRUE(residency) << warps;
      EXPECT_EQ(residency->blocks * residency->threads, 32 * warps);
      EXPECT_EQ(limits.shared_bytes / (residency->shared_bytes + limits.reserved_bytes_per_block),
                residency->blocks)
          << "by shared memory alone";
      EXPECT_EQ(fitting_blocks(*residency, limits), residency->blocks);
      EXPECT_LE(residency->shared_bytes, limits.shared_bytes_per_block);
    }
  }
}

TEST(HoldTo, TakesTwoBlocksForMoreThanABlocksThreads) {
  const auto residency = hold_to(64, kHopper);
  ASSERT_TRUE(residency);
  EXPECT_EQ(residency->blocks, 2);
  EXPECT_EQ(residency->threads, 1024);
  EXPECT_EQ(fitting_blocks(*residency, kHopper), 2);
}

TEST(HoldTo, IsNoneWhereAnSmHasNoRoom) {
  EXPECT_FALSE(hold_to(64, kTuring));
  EXPECT_FALSE(hold_to(64, kAmpereClient));
  EXPECT_FALSE(hold_to(0, kHopper));
  EXPECT_FALSE(hold_to(4, {2048, 228 * 1024, 48 * 1024, 1024})) << "four blocks of 48 KiB fit";
}

std::vector<OccupancyPoint> curve(double knee, double slope) {
  std::vector<OccupancyPoint> points;
  for (const double warps : {2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
    points.push_back({warps, slope * std::min(warps, knee)});
  }
  return points;
}

TEST(FitKnee, FindsAKneeOnAPointAndBetweenPoints) {
  for (const double knee : {8.0, 16.0, 12.0, 20.0}) {
    const auto fit = fit_knee(curve(knee, 4.2));
    ASSERT_TRUE(fit) << knee;
    EXPECT_NEAR(fit->warps(), knee, 1e-9);
    EXPECT_NEAR(fit->rate_per_warp, 4.2, 1e-9);
  }
}

TEST(FitKnee, ToleratesNoiseOfAPercent) {
  auto points = curve(16.0, 4.2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].rate *= i % 2 == 0 ? 1.01 : 0.99;
  }
  EXPECT_NEAR(fit_knee(points).value().warps(), 16.0, 0.4);
}

TEST(FitKnee, IsNoneWithoutAPlateau) {
  EXPECT_FALSE(fit_knee(curve(64.0, 4.2)));
  EXPECT_FALSE(fit_knee(curve(1000.0, 4.2)));
}

TEST(FitKnee, IsNoneForTooFewOrUnusablePoints) {
  EXPECT_FALSE(fit_knee({{2.0, 1.0}, {4.0, 2.0}}));
  EXPECT_FALSE(fit_knee({{2.0, 1.0}, {4.0, 0.0}, {8.0, 2.0}}));
  EXPECT_FALSE(fit_knee({{2.0, 1.0}, {4.0, std::numeric_limits<double>::quiet_NaN()}, {8.0, 2.0}}));
  EXPECT_FALSE(fit_knee({{4.0, 2.0}, {2.0, 1.0}, {8.0, 2.0}})) << "out of order";
}

}  // namespace
}  // namespace assay
