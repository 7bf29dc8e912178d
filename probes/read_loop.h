// SPDX-License-Identifier: Apache-2.0
// Which bytes does one trip of the on-chip read loops cover, and at which sum must a thread arrive?
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#ifdef __CUDACC__
#define ASSAY_HOST_DEVICE __host__ __device__
#else
#define ASSAY_HOST_DEVICE
#endif

namespace assay {

/// A block; the words that one of its threads reads in half a trip; and the bytes that a trip of
/// the block moves: two halves.
inline constexpr std::uint32_t kLoopThreads = 1024;
inline constexpr std::uint32_t kLoopWords = 8;
inline constexpr std::uint32_t kHalfWords = kLoopThreads * kLoopWords;
inline constexpr std::uint32_t kHalfBytes = kHalfWords * 4;
inline constexpr std::uint32_t kTripBytes = 2 * kHalfBytes;

/// Word number `word` (below kLoopWords) of a thread's half whose first one is `start`, when it
/// takes `width` words at a time.
ASSAY_HOST_DEVICE constexpr std::uint32_t loop_word(std::uint32_t start, std::uint32_t word,
                                                    std::uint32_t width) {
  return start + word / width * kLoopThreads * width + word % width;
}

/// A sum in which each half counts, and in its place: equal halves do not cancel.
ASSAY_HOST_DEVICE constexpr std::uint32_t next_sum(std::uint32_t sum, std::uint32_t half) {
  return sum * 5 + half;
}

/// The sum of a thread whose halves start at the words `first` and `second` of `words`.
/// Throws std::out_of_range when they lead outside.
std::uint32_t expected_sum(const std::vector<std::uint32_t>& words, std::uint32_t first,
                           std::uint32_t second, std::uint32_t width, int trips);

/// Trips after which a block at `bytes_per_clock` has run for about `clocks`; at least one.
int trips_of(double clocks, double bytes_per_clock);

}  // namespace assay

#undef ASSAY_HOST_DEVICE
