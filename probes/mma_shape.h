// SPDX-License-Identifier: Apache-2.0
// How much work does one call of the tensor loops claim? Shared by the kernels and by the SASS
// test, which counts the instructions that are really there.
#pragma once

namespace assay {

enum class MmaInput { f16, tf32 };

/// D (m x n) += A (m x k) * B (k x n).
struct MmaShape {
  int m = 0, n = 0, k = 0;
  constexpr double flops() const { return 2.0 * m * n * k; }
};

/// The mma.sync shape for a compute capability (75, 80, ...): sm_75 has only the shorter f16 form.
/// tf32 does not exist below 80.
constexpr MmaShape mma_sync_shape(MmaInput input, int cc) {
  return {16, 8, input == MmaInput::f16 && cc >= 80 ? 16 : 8};
}

/// A warp holds 2 fragments of A and 4 of B and multiplies each with each, as a GEMM's inner loop
/// does: 8 independent accumulators, no two of them with the same operands.
inline constexpr int kMmaBlocksM = 2;
inline constexpr int kMmaBlocksN = 4;
inline constexpr int kMmaStepsPerTrip = 8;
inline constexpr int kMmaThreads = 512;  ///< per block; one block per SM

constexpr int mma_sync_per_trip() {
  return kMmaBlocksM * kMmaBlocksN * kMmaStepsPerTrip;
}

constexpr double mma_sync_flops_per_call(MmaShape shape, int blocks, int trips) {
  return shape.flops() * mma_sync_per_trip() * trips * (kMmaThreads / 32) * blocks;
}

/// wgmma, operands in shared memory, rows of 128 bytes: 32 bytes along k are one instruction.
constexpr MmaShape wgmma_shape(MmaInput input) {
  return {64, 256, input == MmaInput::f16 ? 16 : 8};
}

inline constexpr int kWgmmaGroups = 2;  ///< warpgroups per block; one block per SM
inline constexpr int kWgmmaThreads = 128 * kWgmmaGroups;
inline constexpr int kWgmmaRowBytes = 128;  ///< one row of a tile along k
inline constexpr int kWgmmaTiles = 2;       ///< tiles along k
inline constexpr int kWgmmaStepsPerTile = 4;
constexpr int wgmma_per_trip() {
  return kWgmmaTiles * kWgmmaStepsPerTile;
}

constexpr double wgmma_flops_per_call(MmaShape shape, int blocks, int trips) {
  return shape.flops() * wgmma_per_trip() * trips * kWgmmaGroups * blocks;
}

/// Elements along k that a block holds in shared memory.
constexpr int wgmma_depth(MmaInput input) {
  return wgmma_shape(input).k * wgmma_per_trip();
}
template <MmaInput kInput>
inline constexpr int kWgmmaDepth = wgmma_depth(kInput);
/// Rows of A and of B that a block holds in shared memory.
inline constexpr int kWgmmaRowsA = 64 * kWgmmaGroups;
inline constexpr int kWgmmaRowsB = 256;
inline constexpr int kWgmmaBytes = (kWgmmaRowsA + kWgmmaRowsB) * kWgmmaRowBytes * kWgmmaTiles;

}  // namespace assay
