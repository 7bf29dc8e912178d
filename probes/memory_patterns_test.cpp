// SPDX-License-Identifier: Apache-2.0
#include "probes/memory_patterns.h"

#include <set>

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

TEST(MemoryPatterns, AddressWordsAreAllDifferentAndNameTheirPlace) {
  constexpr MemoryPattern kAddress{PatternKind::address, 0};
  EXPECT_EQ(pattern_word(kAddress, 0), 0u);
  EXPECT_EQ(pattern_word(kAddress, 5), 40u);
  EXPECT_EQ(pattern_word(kAddress, 20 * kGiB), 160 * kGiB) << "beyond 32 bits";
}

TEST(MemoryPatterns, RandomWordsDifferByPlaceAndBySeed) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    seen.insert(pattern_word({PatternKind::random, 7}, i));
  }
  EXPECT_EQ(seen.size(), 10000u);
  EXPECT_NE(pattern_word({PatternKind::random, 7}, 3), pattern_word({PatternKind::random, 8}, 3));
}

TEST(MemoryPatterns, EachSweepChecksWhatTheLastOneWrote) {
  const auto sweeps = pattern_sweeps(inversion_values(8), 42);
  ASSERT_GT(sweeps.size(), 3u);
  EXPECT_FALSE(sweeps.front().check.has_value());
  EXPECT_FALSE(sweeps.back().write.has_value());
  for (std::size_t i = 1; i < sweeps.size(); ++i) {
    ASSERT_TRUE(sweeps[i].check.has_value());
    EXPECT_EQ(sweeps[i].check, sweeps[i - 1].write) << i;
    EXPECT_NE(sweeps[i].check, sweeps[i].write) << "a word that is never written would pass";
  }
}

TEST(MemoryPatterns, EveryBitHoldsAZeroAndAOneInTheMovingInversions) {
  for (const int walking : {0, 8}) {
    std::uint64_t ones = 0, zeros = 0;
    for (const PatternSweep& sweep : pattern_sweeps(inversion_values(walking), 1)) {
      if (sweep.check && sweep.check->kind == PatternKind::constant) {
        ones |= sweep.check->value;
        zeros |= ~sweep.check->value;
      }
    }
    EXPECT_EQ(ones, ~std::uint64_t{0});
    EXPECT_EQ(zeros, ~std::uint64_t{0});
  }
}

TEST(MemoryPatterns, InversionsGoUpwardsAndDownwards) {
  const auto sweeps = pattern_sweeps({0x55}, 1);
  ASSERT_EQ(sweeps.size(), 6u);
  EXPECT_FALSE(sweeps[2].from_end);
  EXPECT_TRUE(sweeps[3].from_end);
  EXPECT_EQ(sweeps[2].write->value, ~std::uint64_t{0x55});
}

TEST(HealthBytes, AreTheShareWithinTheLimitInWholePages) {
  EXPECT_EQ(health_bytes(100 * kGiB, 0.8, 4 * kGiB, 60u << 20), 4 * kGiB);
  EXPECT_EQ(health_bytes(10 * kGiB, 0.5, 100 * kGiB, 60u << 20), 5 * kGiB);
  EXPECT_EQ(health_bytes(10 * kGiB + 12345, 0.5, 100 * kGiB, 0).value() % (2u << 20), 0u);
}

TEST(HealthBytes, AreNoneWhereTheCacheWouldAnswerForTheMemory) {
  EXPECT_FALSE(health_bytes(kGiB / 4, 0.8, 4 * kGiB, 60u << 20));
  EXPECT_FALSE(health_bytes(0, 0.8, 4 * kGiB, 0));
  EXPECT_FALSE(health_bytes(kGiB, 0.0, 4 * kGiB, 0));
  EXPECT_FALSE(health_bytes(kGiB, 1.5, 4 * kGiB, 0));
}

}  // namespace
}  // namespace assay
