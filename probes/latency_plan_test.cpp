// SPDX-License-Identifier: Apache-2.0
#include "probes/latency_plan.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kGiB = 1024 * kMiB;
constexpr std::uint64_t kH200L2 = 62'914'560;

TEST(L2Map, IsEightMebibytesOrAnEighth) {
  EXPECT_EQ(l2_map_bytes(128 * kMiB), 8 * kMiB);
  EXPECT_EQ(l2_map_bytes(kH200L2), kH200L2 / 8 / 4096 * 4096);
  EXPECT_FALSE(l2_map_bytes(0));
}

TEST(LaneStart, SpreadsTheLanesOverTheWholeRing) {
  EXPECT_EQ(lane_start(0, 132, 16384), 0u);
  EXPECT_EQ(lane_start(131, 132, 16384), 16384u - 125u);
  for (std::uint32_t lane = 1; lane < 132; ++lane) {
    const std::uint32_t apart = lane_start(lane, 132, 16384) - lane_start(lane - 1, 132, 16384);
    EXPECT_GE(apart, 16384u / 132) << lane;
    EXPECT_LE(apart, 16384u / 132 + 1) << lane;
  }
  EXPECT_EQ(lane_start(500, 512, 1u << 31), 500u << 22) << "no overflow";
}

TEST(SpreadOverSms, TheMiddleDoesNotHangOnOneSm) {
  const auto spread = spread_over_sms({281.0, 270.0, 278.0, 286.0, 277.0});
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->middle, 278.0);
  EXPECT_EQ(spread->least, 270.0);
  EXPECT_EQ(spread->most, 286.0);
  EXPECT_EQ(spread_over_sms({281.0, 270.0, 278.0, 900.0, 277.0})->middle, 278.0);
  EXPECT_EQ(spread_over_sms({270.0, 280.0})->middle, 275.0);
}

TEST(SpreadOverSms, OneSmWithoutAClockSpoilsAll) {
  EXPECT_FALSE(spread_over_sms({}));
  EXPECT_FALSE(spread_over_sms({280.0, 0.0}));
  EXPECT_FALSE(spread_over_sms({280.0, -1.0}));
  EXPECT_FALSE(spread_over_sms({std::nan(""), 280.0}));
}

TEST(TlbSet, NeedsRoomForWhatEmptiesTheL2) {
  EXPECT_TRUE(tlb_fits(140 * kGiB, kH200L2, 32));
  EXPECT_FALSE(tlb_fits(32 * kGiB, kH200L2, 32));
  EXPECT_TRUE(tlb_fits(32 * kGiB, kH200L2, 16));
  EXPECT_FALSE(tlb_fits(0, kH200L2, 2));
}

TEST(TlbLines, TouchEveryPageEquallyAndNoLineTwice) {
  constexpr std::uint32_t kLines = kTlbPageBytes / 128;
  for (const std::uint32_t gib : {2u, 32u}) {
    const auto pages = static_cast<std::uint32_t>(tlb_set_bytes(gib) / kTlbPageBytes);
    std::vector<bool> seen(std::size_t{pages} * kLines, false);
    std::vector<std::uint32_t> on_page(pages, 0);
    for (std::uint32_t place = 0; place < kTlbPlaces; ++place) {
      const std::uint32_t line = tlb_line(place, pages);
      ASSERT_LT(line, seen.size());
      ASSERT_NE(line % kLines, 0u) << "a page's first line is read to warm the TLBs";
      ASSERT_FALSE(seen[line]) << "place " << place << " of " << gib << " GiB";
      seen[line] = true;
      ++on_page[line / kLines];
    }
    for (const std::uint32_t lines : on_page) ASSERT_EQ(lines, kTlbPlaces / pages);
  }
}

TEST(TlbLines, AreMoreThanTheLargestL2Holds) {
  EXPECT_GE(std::uint64_t{kTlbPlaces} * 128, kH200L2) << "and none is read twice";
}

}  // namespace
}  // namespace assay
