// SPDX-License-Identifier: Apache-2.0
// How much work does one call of the FMA loops claim? Shared by the kernels and by the SASS test,
// which counts the instructions that are really there.
#pragma once

namespace assay {

/// A loop of multiply-adds: every thread advances `chains` independent values by `steps` per trip.
struct FmaShape {
  int chains = 0;
  int steps = 0;
  int threads = 0;  ///< per block; one block per SM

  int lanes = 1;  ///< values that one instruction advances

  constexpr int fmas_per_trip() const { return chains * steps; }
  /// Floating-point operations of one call, an FMA counted as two.
  constexpr double flops_per_call(int blocks, int trips) const {
    return 2.0 * lanes * fmas_per_trip() * trips * threads * blocks;
  }
};

/// By element type: float, double, or a pair of halves.
template <typename Real>
inline constexpr FmaShape kFmaShape{};
/// 512 FFMA of straight code (8 KiB, inside the instruction cache) make the loop's own
/// instructions, which take issue slots from FFMA, less than 1 %.
template <>
inline constexpr FmaShape kFmaShape<float>{.chains = 8, .steps = 64, .threads = 1024};
/// At most one DFMA every second clock per scheduler: the loop's own instructions hide.
template <>
inline constexpr FmaShape kFmaShape<double>{.chains = 8, .steps = 16, .threads = 1024};

struct HalfPair {};
template <>
inline constexpr FmaShape kFmaShape<HalfPair>{
    .chains = 8, .steps = 64, .threads = 1024, .lanes = 2};

/// A loop of integer instructions: every thread advances 8 values by 32 rounds per trip.
inline constexpr FmaShape kIntegerShape{.chains = 8, .steps = 32, .threads = 1024};
/// Operations of one call: every instruction is one.
constexpr double integer_operations(int blocks, int trips) {
  return kIntegerShape.flops_per_call(blocks, trips) / 2;
}

}  // namespace assay
