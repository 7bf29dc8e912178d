// SPDX-License-Identifier: Apache-2.0
#include "probes/scatter.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Gather, StaysInRangeForAnySize) {
  for (const std::uint32_t words : {1u, 3u, 1000u, 1u << 20, 1u << 30, 0xffffffffu}) {
    for (std::uint32_t gather = 0; gather < 20000; ++gather) {
      ASSERT_LT(gather_index(gather * 977, 0x5eed, words), words);
    }
  }
}

TEST(Gather, SpreadsOverTheWholeBuffer) {
  constexpr std::uint32_t kWords = 1u << 30;
  constexpr int kBins = 64, kPerBin = 1000;
  std::vector<int> bins(kBins, 0);
  for (std::uint32_t gather = 0; gather < kBins * kPerBin; ++gather) {
    ++bins[gather_index(gather, 0x5eed, kWords) / (kWords / kBins)];
  }
  const auto [least, most] = std::minmax_element(bins.begin(), bins.end());
  EXPECT_GT(*least, kPerBin * 8 / 10);
  EXPECT_LT(*most, kPerBin * 12 / 10);
}

TEST(Gather, DoesNotShareSectorsWithinAWarp) {
  std::set<std::uint32_t> sectors;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    sectors.insert(gather_index(lane * 16, 0x5eed, 1u << 30) / 8);
  }
  EXPECT_EQ(sectors.size(), 32u);
}

TEST(Adds, FallOnTheAddressesThatTheKernelComputes) {
  constexpr std::uint32_t kThreads = 777, kSalt = 99;
  for (const std::uint32_t addresses : {1u, 4u, 16u, 256u, 4096u}) {
    for (const std::uint32_t adds : {1u, 3u, 16u, 300u}) {
      std::vector<std::uint64_t> counted(addresses, 0);
      for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
        for (std::uint32_t add = 0; add < adds; ++add) {
          ++counted[add_address(thread, add, kSalt, addresses - 1)];
        }
      }
      EXPECT_EQ(adds_per_address(kThreads, adds, kSalt, addresses), counted)
          << addresses << " addresses, " << adds << " adds";
    }
  }
}

TEST(Adds, OfUnlikeValuesSumAsTheKernelSums) {
  constexpr std::uint32_t kThreads = 777, kSalt = 99;
  for (const std::uint32_t addresses : {1u, 4u, 256u, 4096u}) {
    for (const std::uint32_t adds : {1u, 3u, 300u}) {
      std::vector<std::uint64_t> counted(addresses, 0);
      std::vector<Adder> adders;
      for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
        const std::uint32_t value = add_value(thread, kSalt);
        adders.push_back({add_address(thread, 0, kSalt, addresses - 1), value});
        for (std::uint32_t add = 0; add < adds; ++add) {
          counted[add_address(thread, add, kSalt, addresses - 1)] += value;
        }
      }
      EXPECT_EQ(sums_per_address(adders, adds, addresses), counted)
          << addresses << " addresses, " << adds << " adds";
    }
  }
}

TEST(Adds, OfOneWarpHaveUnlikeValues) {
  std::set<std::uint32_t> values;
  for (std::uint32_t lane = 0; lane < 32; ++lane) values.insert(add_value(lane, 0x5eed1234u));
  EXPECT_GE(values.size(), 6u);
  EXPECT_GE(*values.begin(), 1u);
  EXPECT_LE(*values.rbegin(), 8u);
}

TEST(Adds, SumToEveryAddMade) {
  const auto totals = adds_per_address(270336, 37, 7, 65536);
  EXPECT_EQ(std::accumulate(totals.begin(), totals.end(), std::uint64_t{0}), 270336u * 37u);
}

TEST(Adds, OfOneWarpStartAtUnlikeAddresses) {
  std::set<std::uint32_t> first;
  for (std::uint32_t lane = 0; lane < 32; ++lane) first.insert(add_address(lane, 0, 7, 65535));
  EXPECT_EQ(first.size(), 32u);
}

TEST(Adds, StayCountableInAFloat) {
  constexpr std::uint32_t kThreads = 270336;
  for (const std::uint32_t addresses : {1u, 4u, 64u, 65536u}) {
    const std::uint32_t adds = countable_adds(kThreads, 4096, 7, addresses);
    ASSERT_GT(adds, 0u);
    const auto totals = adds_per_address(kThreads, adds, 7, addresses);
    const std::uint64_t most = *std::max_element(totals.begin(), totals.end());
    EXPECT_LE(most, std::uint64_t{1} << 24);
    float counted = static_cast<float>(most - 1);
    EXPECT_EQ(counted += 1.0f, static_cast<float>(most)) << "the last add still counts";
  }
  EXPECT_EQ(countable_adds(1u << 25, 8, 7, 1), 0u) << "one add each is too many";
  EXPECT_EQ(countable_adds(1u << 24, 8, 7, 1), 1u);
}

TEST(Phases, SpreadBlocksEvenlyOverTheSet) {
  constexpr std::uint32_t kVectors = 983040, kBlocks = 264;
  std::uint32_t previous = first_vector(0, kBlocks, kVectors);
  EXPECT_EQ(previous, 0u);
  for (std::uint32_t block = 1; block < kBlocks; ++block) {
    const std::uint32_t first = first_vector(block, kBlocks, kVectors);
    EXPECT_EQ(first % 32, 0u) << "a warp's vectors start a 512-byte row";
    EXPECT_LT(first, kVectors);
    EXPECT_GE(first - previous, kVectors / kBlocks - 32);
    previous = first;
  }
}

TEST(Phases, StayInTheLargestSetWithTheMostBlocks) {
  constexpr std::uint32_t kVectors = 1u << 26, kBlocks = 1u << 11;
  EXPECT_EQ(first_vector(kBlocks - 1, kBlocks, kVectors), kVectors - kVectors / kBlocks);
}

TEST(Phases, WrapFromTheEndToTheStart) {
  EXPECT_EQ(wrapped(0, 512, 1024), 512u);
  EXPECT_EQ(wrapped(512, 512, 1024), 0u);
  EXPECT_EQ(wrapped(1023, 512, 1024), 511u);
  EXPECT_EQ(wrapped(1023, 1024, 1024), 1023u);
}

}  // namespace
}  // namespace assay
