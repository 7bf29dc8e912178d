// SPDX-License-Identifier: Apache-2.0
#include "probes/read_loop.h"

#include <numeric>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(ReadLoop, EveryWidthReadsEachWordOfAHalfOnce) {
  for (const std::uint32_t width : {1u, 2u, 4u}) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t thread = 0; thread < kLoopThreads; ++thread) {
      for (std::uint32_t word = 0; word < kLoopWords; ++word) {
        seen.insert(loop_word(thread * width, word, width));
      }
    }
    EXPECT_EQ(seen.size(), kHalfWords) << width;
    EXPECT_EQ(*seen.rbegin(), kHalfWords - 1) << width;
  }
}

TEST(ReadLoop, NeighbouringLanesReadNeighbouringBytes) {
  for (const std::uint32_t width : {1u, 2u, 4u}) {
    for (std::uint32_t word = 0; word < kLoopWords; ++word) {
      EXPECT_EQ(loop_word(width, word, width), loop_word(0, word, width) + width);
    }
  }
}

std::vector<std::uint32_t> numbered_words() {
  std::vector<std::uint32_t> words(2 * kHalfWords);
  std::iota(words.begin(), words.end(), 1u);
  for (std::uint32_t& word : words) word *= 0x9e3779b1u;
  return words;
}

TEST(ExpectedSum, HangsOnEveryWordOfEitherHalf) {
  const auto words = numbered_words();
  const std::uint32_t right = expected_sum(words, 8, 8 + kHalfWords, 4, 3);
  for (const std::uint32_t start : {8u, 8u + kHalfWords}) {
    for (std::uint32_t word = 0; word < kLoopWords; ++word) {
      auto damaged = words;
      damaged[loop_word(start, word, 4)] ^= 1;
      EXPECT_NE(expected_sum(damaged, 8, 8 + kHalfWords, 4, 3), right) << start << " " << word;
    }
  }
}

TEST(ExpectedSum, HangsOnTheNumberOfTripsEvenOfEqualHalves) {
  const auto words = numbered_words();
  std::set<std::uint32_t> sums;
  for (int trips = 0; trips < 100; ++trips) sums.insert(expected_sum(words, 3, 3, 1, trips));
  EXPECT_EQ(sums.size(), 100u);
}

TEST(ExpectedSum, RefusesWordsThatAreNotThere) {
  EXPECT_THROW(expected_sum(std::vector<std::uint32_t>(kHalfWords), kHalfWords, 0, 1, 1),
               std::out_of_range);
}

TEST(TripsOf, AreWhatFitsIntoTheClocks) {
  EXPECT_EQ(trips_of(512 * 100, 128), 100);
  EXPECT_EQ(trips_of(1, 1), 1) << "never none";
}

}  // namespace
}  // namespace assay
