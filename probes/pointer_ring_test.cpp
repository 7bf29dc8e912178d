// SPDX-License-Identifier: Apache-2.0
#include "probes/pointer_ring.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace assay {
namespace {

/// Steps until the walk from 0 is back at 0; more than `next.size()` when it never comes back.
std::size_t cycle_length(const std::vector<std::uint32_t>& next) {
  std::size_t length = 0;
  std::uint32_t at = 0;
  do {
    at = next.at(at);
    ++length;
  } while (at != 0 && length <= next.size());
  return length;
}

TEST(PointerRing, IsOneCycleThroughEveryPlace) {
  for (const std::uint32_t count : {1u, 2u, 3u, 7u, 128u, 1024u, 16384u, 100003u}) {
    for (const std::uint64_t seed : {0u, 1u, 7u, 42u}) {
      const auto next = single_cycle(count, seed);
      ASSERT_EQ(next.size(), count);
      // A walk that is back after exactly `count` steps, and not before, met each place once.
      EXPECT_EQ(cycle_length(next), count) << "seed " << seed;
    }
  }
}

TEST(PointerRing, WouldShowTwoCyclesAsShort) {
  EXPECT_EQ(cycle_length({1, 0, 3, 2}), 2u);  // the check above can fail
}

TEST(PointerRing, IsReproducibleAndVariesWithTheSeed) {
  EXPECT_EQ(single_cycle(4096, 5), single_cycle(4096, 5));
  EXPECT_NE(single_cycle(4096, 5), single_cycle(4096, 6));
}

TEST(PointerRing, JumpsFarMostOfTheTime) {
  const auto next = single_cycle(16384, 1);
  int near = 0;
  for (std::uint32_t i = 0; i < next.size(); ++i) {
    const std::uint32_t jump = next[i] > i ? next[i] - i : i - next[i];
    near += jump <= 32 ? 1 : 0;
  }
  EXPECT_LT(near, 200) << "a prefetcher would follow; about 64 are expected";
}

TEST(PointerRing, VisitingOrderSaysWhereAWalkIs) {
  const auto next = single_cycle(16384, 9);
  const auto order = visiting_order(next);
  ASSERT_EQ(order.size(), next.size());
  for (const std::uint64_t start : {0u, 124u, 16000u}) {
    for (const std::uint64_t steps : {0u, 1u, 49184u}) {
      EXPECT_EQ(order[(start + steps) % order.size()], follow(next, order[start], steps));
    }
  }
}

TEST(PointerRing, SeveralCyclesHaveNoVisitingOrder) {
  EXPECT_THROW(visiting_order({1, 0, 3, 2}), std::invalid_argument);
  EXPECT_THROW(visiting_order({1, 2, 1}), std::invalid_argument) << "never back at 0";
  EXPECT_THROW(visiting_order({7}), std::invalid_argument);
  EXPECT_THROW(visiting_order({}), std::invalid_argument);
}

TEST(PointerRing, APlaceIsItsOwnLineUnlessTheRouteSaysOtherwise) {
  const Route plain{{2, 0, 1}};
  EXPECT_EQ(plain.line_of(2), 2u);
  const Route spread{{2, 0, 1}, {10, 70, 30}};
  EXPECT_EQ(spread.line_of(2), 30u);
}

TEST(PointerRing, RefusesZeroPlaces) {
  EXPECT_THROW(single_cycle(0, 1), std::invalid_argument);
}

TEST(PointerRing, FollowWalksTheSuccessors) {
  const std::vector<std::uint32_t> next{2, 0, 1};
  EXPECT_EQ(follow(next, 0, 0), 0u);
  EXPECT_EQ(follow(next, 0, 1), 2u);
  EXPECT_EQ(follow(next, 0, 2), 1u);
  EXPECT_EQ(follow(next, 0, 3), 0u);
  EXPECT_EQ(follow(next, 1, 4), 0u);
}

}  // namespace
}  // namespace assay
