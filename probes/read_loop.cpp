// SPDX-License-Identifier: Apache-2.0
#include "probes/read_loop.h"

#include <algorithm>

namespace assay {
namespace {

std::uint32_t folded_half(const std::vector<std::uint32_t>& words, std::uint32_t start,
                          std::uint32_t width) {
  std::uint32_t folded = 0;
  for (std::uint32_t word = 0; word < kLoopWords; ++word) {
    folded ^= words.at(loop_word(start, word, width));
  }
  return folded;
}

}  // namespace

std::uint32_t expected_sum(const std::vector<std::uint32_t>& words, std::uint32_t first,
                           std::uint32_t second, std::uint32_t width, int trips) {
  const std::uint32_t first_half = folded_half(words, first, width);
  const std::uint32_t second_half = folded_half(words, second, width);
  std::uint32_t sum = 0;
  for (int trip = 0; trip < trips; ++trip) sum = next_sum(next_sum(sum, first_half), second_half);
  return sum;
}

int trips_of(double clocks, double bytes_per_clock) {
  return std::max(1, static_cast<int>(clocks * bytes_per_clock / kTripBytes));
}

}  // namespace assay
