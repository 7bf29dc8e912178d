// SPDX-License-Identifier: Apache-2.0
// mma.sync as the rate probe and the tile check both use it: the same registers, the same
// instructions, so that the one proves that the other computes.
#pragma once

#include <cstdint>

#include <cuda_fp16.h>

#include "probes/mma_layout.h"

namespace assay {

#ifdef __CUDA_ARCH__
inline constexpr int kMmaArch = __CUDA_ARCH__ / 10;
#else
inline constexpr int kMmaArch = 80;
#endif

/// A warp's operands and accumulators, in registers: 2 x 4 products.
template <MmaInput kInput>
struct WarpBlock {
  static constexpr MmaShape kShape{16, 8, kInput == MmaInput::f16&& kMmaArch >= 80 ? 16 : 8};
  static constexpr int kPerRegister = kInput == MmaInput::f16 ? 2 : 1;
  static constexpr int kRegistersA = kShape.m * kShape.k / 32 / kPerRegister;
  static constexpr int kRegistersB = kShape.k * kShape.n / 32 / kPerRegister;

  std::uint32_t a[kMmaBlocksM][kRegistersA];
  std::uint32_t b[kMmaBlocksN][kRegistersB];
  float d[kMmaBlocksM][kMmaBlocksN][4];
};

/// The operands of one register, lower element first, rounded to the input type.
template <MmaInput kInput>
__device__ std::uint32_t pack_operands(float low, float high) {
  if constexpr (kInput == MmaInput::f16) {
    return static_cast<std::uint32_t>(__half_as_ushort(__float2half_rn(low))) |
           (static_cast<std::uint32_t>(__half_as_ushort(__float2half_rn(high))) << 16);
  } else {
    return __float_as_uint(low);  // the tensor core reads the upper 19 bits
  }
}

/// d += a * b. Volatile, so that no two of them are merged and none is moved.
template <MmaInput kInput>
__device__ void mma_sync(float (&d)[4], const std::uint32_t (&a)[WarpBlock<kInput>::kRegistersA],
                         const std::uint32_t (&b)[WarpBlock<kInput>::kRegistersB]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  if constexpr (kInput == MmaInput::f16) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  } else {
    __trap();  // never launched: the probe states that tf32 needs 8.0
  }
#else
  if constexpr (kInput == MmaInput::f16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
#endif
}

/// Every fragment of A with every fragment of B: one step along k.
template <MmaInput kInput>
__device__ void multiply(WarpBlock<kInput>& block) {
#pragma unroll
  for (int m = 0; m < kMmaBlocksM; ++m) {
#pragma unroll
    for (int n = 0; n < kMmaBlocksN; ++n) {
      mma_sync<kInput>(block.d[m][n], block.a[m], block.b[n]);
    }
  }
}

template <MmaInput kInput>
__device__ void clear_accumulators(WarpBlock<kInput>& block) {
#pragma unroll
  for (int m = 0; m < kMmaBlocksM; ++m) {
#pragma unroll
    for (int n = 0; n < kMmaBlocksN; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        block.d[m][n][e] = 0.0F;
      }
    }
  }
}

/// Fills both operands; `value_a(row, k)` and `value_b(k, col)` give the warp's elements of this
/// step: rows 0 to 31 of A, columns 0 to 31 of B.
template <MmaInput kInput, typename ValueA, typename ValueB>
__device__ void load_operands(WarpBlock<kInput>& block, const ValueA& value_a,
                              const ValueB& value_b) {
  using Block = WarpBlock<kInput>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto a_at = [&](int m, int e) {
    const Position at = mma_a_position(kInput, lane, e);
    return static_cast<float>(value_a(m * Block::kShape.m + at.row, at.col));
  };
  const auto b_at = [&](int n, int e) {
    const Position at = mma_b_position(kInput, lane, e);
    return static_cast<float>(value_b(at.row, n * Block::kShape.n + at.col));
  };
  constexpr int kLast = Block::kPerRegister - 1;
#pragma unroll
  for (int m = 0; m < kMmaBlocksM; ++m) {
#pragma unroll
    for (int r = 0; r < Block::kRegistersA; ++r) {
      const int e = r * Block::kPerRegister;
      block.a[m][r] = pack_operands<kInput>(a_at(m, e), a_at(m, e + kLast));
    }
  }
#pragma unroll
  for (int n = 0; n < kMmaBlocksN; ++n) {
#pragma unroll
    for (int r = 0; r < Block::kRegistersB; ++r) {
      const int e = r * Block::kPerRegister;
      block.b[n][r] = pack_operands<kInput>(b_at(n, e), b_at(n, e + kLast));
    }
  }
}

/// Hands every accumulator to `store(row, col, value)`: rows and columns 0 to 31 of the warp.
template <MmaInput kInput, typename Store>
__device__ void store_accumulators(const WarpBlock<kInput>& block, const Store& store) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int m = 0; m < kMmaBlocksM; ++m) {
#pragma unroll
    for (int n = 0; n < kMmaBlocksN; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const Position at = mma_d_position(lane, e);
        store(m * 16 + at.row, n * 8 + at.col, block.d[m][n][e]);
      }
    }
  }
}

}  // namespace assay
