// SPDX-License-Identifier: Apache-2.0
// What does a latency chase do in a run, and what does it write down?
#pragma once

#include <cstdint>

namespace assay {

inline constexpr int kChaseUnroll = 32;
inline constexpr std::uint32_t kLineBytes = 128;
inline constexpr std::uint32_t kMaxChaseRuns = 64;

/// What the lane read in one run, and the place where it ended.
struct ChaseRun {
  std::uint64_t cycles;
  std::uint64_t ns;
  std::uint64_t place;
  std::uint64_t smid;
};

/// The chase's memory, zero before the first run but for the place to start from. Each run goes on
/// from where the last one ended, so that a ring larger than the cache is not read twice.
struct ChaseLog {
  std::uint64_t place;
  std::uint32_t runs;
  ChaseRun run[kMaxChaseRuns];
};

/// Untimed and timed steps of a run, in rounds of kChaseUnroll.
struct ChaseSteps {
  int warm_rounds;
  int timed_rounds;
};

}  // namespace assay
