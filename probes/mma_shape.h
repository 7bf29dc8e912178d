// SPDX-License-Identifier: Apache-2.0
// How much work does one call of the tensor loops claim? Shared by the kernels and by the SASS
// test, which counts the instructions that are really there.
#pragma once

#ifdef __CUDACC__
#define ASSAY_HOST_DEVICE __host__ __device__
#else
#define ASSAY_HOST_DEVICE
#endif

namespace assay {

/// Types of the operands and of the accumulator; `sparse` is 2:4 along k, in f16 and f32.
enum class MmaKind { f16_f32, tf32_f32, bf16_f32, f16_f16, s8_s32, f64_f64, e4m3_f32, sparse };

/// As the facts' keys name it: "f16_f32", "f16_f32_sparse".
constexpr const char* name_of(MmaKind kind) {
  switch (kind) {
    case MmaKind::f16_f32:
      return "f16_f32";
    case MmaKind::tf32_f32:
      return "tf32_f32";
    case MmaKind::bf16_f32:
      return "bf16_f32";
    case MmaKind::f16_f16:
      return "f16_f16";
    case MmaKind::s8_s32:
      return "s8_s32";
    case MmaKind::f64_f64:
      return "f64_f64";
    case MmaKind::e4m3_f32:
      return "e4m3_f32";
    case MmaKind::sparse:
      return "f16_f32_sparse";
  }
  return "";
}

/// Bytes of one operand element.
ASSAY_HOST_DEVICE constexpr int operand_bytes(MmaKind kind) {
  switch (kind) {
    case MmaKind::f64_f64:
      return 8;
    case MmaKind::tf32_f32:
      return 4;
    case MmaKind::s8_s32:
    case MmaKind::e4m3_f32:
      return 1;
    default:
      return 2;
  }
}

/// D (m x n) += A (m x k) * B (k x n). Of a sparse A, k / 2 elements of a row are stored; its work
/// is counted as that of the dense product.
struct MmaShape {
  int m = 0, n = 0, k = 0;
  ASSAY_HOST_DEVICE constexpr double flops() const { return 2.0 * m * n * k; }
  bool operator==(const MmaShape&) const = default;
};

/// Elements of A that a row stores.
ASSAY_HOST_DEVICE constexpr int stored_k(MmaKind kind, int k) {
  return kind == MmaKind::sparse ? k / 2 : k;
}

/// The least compute capability that has the kind's mma.sync shape below.
ASSAY_HOST_DEVICE constexpr int mma_sync_least_cc(MmaKind kind) {
  switch (kind) {
    case MmaKind::f16_f32:
    case MmaKind::f16_f16:
      return 75;
    case MmaKind::e4m3_f32:
      return 89;
    default:
      return 80;
  }
}

/// True where the instruction is not the tensor core's own: ptxas takes e4m3 apart into conversions
/// and f16 instructions except on 8.9 and 12.x.
ASSAY_HOST_DEVICE constexpr bool mma_sync_is_emulated(MmaKind kind, int cc) {
  return kind == MmaKind::e4m3_f32 && cc != 89 && cc / 10 != 12;
}

/// The mma.sync shape for a compute capability (75, 80, ...): sm_75 has only the shorter f16 form,
/// and f64's full-rate shape exists on 9.0 alone.
ASSAY_HOST_DEVICE constexpr MmaShape mma_sync_shape(MmaKind kind, int cc) {
  switch (kind) {
    case MmaKind::tf32_f32:
      return {16, 8, 8};
    case MmaKind::s8_s32:
    case MmaKind::e4m3_f32:
    case MmaKind::sparse:
      return {16, 8, 32};
    case MmaKind::f64_f64:
      return cc == 90 ? MmaShape{16, 8, 16} : MmaShape{8, 8, 4};
    default:
      return {16, 8, cc >= 80 ? 16 : 8};
  }
}

/// A warp holds 2 fragments of A and 4 of B and multiplies each with each, as a GEMM's inner loop
/// does: 8 independent accumulators, no two of them with the same operands.
inline constexpr int kMmaBlocksM = 2;
inline constexpr int kMmaBlocksN = 4;
inline constexpr int kMmaStepsPerTrip = 8;

/// Per block; one block per SM. f64 needs more registers a thread than 16 warps leave it.
ASSAY_HOST_DEVICE constexpr int mma_threads(MmaKind kind) {
  return kind == MmaKind::f64_f64 ? 256 : 512;
}

ASSAY_HOST_DEVICE constexpr int mma_sync_per_trip() {
  return kMmaBlocksM * kMmaBlocksN * kMmaStepsPerTrip;
}

ASSAY_HOST_DEVICE constexpr double mma_sync_flops_per_call(MmaKind kind, int cc, int blocks,
                                                           int trips) {
  const int warps = mma_threads(kind) / 32;
  return mma_sync_shape(kind, cc).flops() * mma_sync_per_trip() * trips * warps * blocks;
}

/// wgmma, rows of 128 bytes: 32 bytes along k of a row of A are one instruction.
ASSAY_HOST_DEVICE constexpr MmaShape wgmma_shape(MmaKind kind) {
  return {64, 256, (kind == MmaKind::sparse ? 64 : 32) / operand_bytes(kind)};
}

inline constexpr int kWgmmaGroups = 2;  ///< warpgroups per block; one block per SM
inline constexpr int kWgmmaThreads = 128 * kWgmmaGroups;
inline constexpr int kWgmmaRowBytes = 128;  ///< one row of a tile along k
inline constexpr int kWgmmaPerTrip = 8;     ///< instructions of one commit group

ASSAY_HOST_DEVICE constexpr double wgmma_flops_per_call(MmaShape shape, int blocks, int trips) {
  return shape.flops() * kWgmmaPerTrip * trips * kWgmmaGroups * blocks;
}

/// Elements along k that a commit group runs over.
ASSAY_HOST_DEVICE constexpr int wgmma_depth(MmaKind kind) {
  return wgmma_shape(kind).k * kWgmmaPerTrip;
}

/// Rows of A and of B that a block multiplies.
inline constexpr int kWgmmaRowsA = 64 * kWgmmaGroups;
inline constexpr int kWgmmaRowsB = 256;

/// Bytes along k of a row of B in one instruction.
ASSAY_HOST_DEVICE constexpr int wgmma_step_bytes_b(MmaKind kind) {
  return wgmma_shape(kind).k * operand_bytes(kind);
}
/// Tiles along k in shared memory. A sparse A lies in registers: its B takes the room.
ASSAY_HOST_DEVICE constexpr int wgmma_tiles_a(MmaKind kind) {
  return kind == MmaKind::sparse ? 0 : 32 * kWgmmaPerTrip / kWgmmaRowBytes;
}
ASSAY_HOST_DEVICE constexpr int wgmma_tiles_b(MmaKind kind) {
  return wgmma_step_bytes_b(kind) * kWgmmaPerTrip / kWgmmaRowBytes;
}
/// Bytes of shared memory that a block's operands take.
ASSAY_HOST_DEVICE constexpr int wgmma_bytes(MmaKind kind) {
  return (kWgmmaRowsA * wgmma_tiles_a(kind) + kWgmmaRowsB * wgmma_tiles_b(kind)) * kWgmmaRowBytes;
}

}  // namespace assay
