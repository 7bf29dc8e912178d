// SPDX-License-Identifier: Apache-2.0
// How long are the chains of dependent instructions? Shared by the kernels and by the SASS test,
// which counts the instructions that are really there.
#pragma once

namespace assay {

/// Two loops that differ in nothing but the length of the chain in them: what the loop itself costs
/// cancels in the difference. The longer one, 3 KiB of code, stays in the instruction cache.
inline constexpr int kShortChain = 64;
inline constexpr int kLongChain = 192;

/// Cycles of one instruction, from the cycles of `rounds` rounds of each loop.
constexpr double cycles_per_op(double short_cycles, double long_cycles, int rounds) {
  return (long_cycles - short_cycles) / (static_cast<double>(kLongChain - kShortChain) * rounds);
}

/// Instructions that a thread executes in one run.
constexpr int ops_per_run(int rounds) {
  return (kShortChain + kLongChain) * rounds;
}

}  // namespace assay
