// SPDX-License-Identifier: Apache-2.0
// mma.sync as the rate probe, the tile check and the numerics all use it: the same registers, the
// same instructions, so that the one proves that the other computes.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "probes/mma_instructions.cuh"

namespace assay {

/// A number as an operand element's bits, rounded to the input type (s8: to an integer).
template <MmaKind kKind>
__device__ inline std::uint64_t encode(float value) {
  if constexpr (kKind == MmaKind::f64_f64) {
    return static_cast<std::uint64_t>(__double_as_longlong(static_cast<double>(value)));
  } else if constexpr (kKind == MmaKind::tf32_f32) {
    return __float_as_uint(value);  // the tensor core reads the upper 19 bits
  } else if constexpr (kKind == MmaKind::bf16_f32) {
    return __bfloat16_as_ushort(__float2bfloat16_rn(value));
  } else if constexpr (kKind == MmaKind::s8_s32) {
    return static_cast<std::uint32_t>(__float2int_rn(value)) & 0xFFU;
  } else if constexpr (kKind == MmaKind::e4m3_f32) {
    std::uint16_t pair = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0F), "f"(value));
#endif
    return pair & 0xFFU;
  } else {
    return __half_as_ushort(__float2half_rn(value));
  }
}

/// One operand register from its elements' bits; `bits(i)` gives them, the lowest first.
template <MmaKind kKind, typename Bits>
__device__ inline typename MmaRegisters<kKind>::Operand pack(const Bits& bits) {
  if constexpr (MmaRegisters<kKind>::kIsF64) {
    return __longlong_as_double(static_cast<long long>(bits(0)));
  } else {
    std::uint32_t word = 0;
#pragma unroll
    for (int i = 0; i < MmaRegisters<kKind>::kPerRegister; ++i) {
      word |= static_cast<std::uint32_t>(bits(i)) << (8 * operand_bytes(kKind) * i);
    }
    return word;
  }
}

/// Element `e` of accumulator registers, as a number: exact in every kind.
template <MmaKind kKind, typename Accumulators>
__device__ inline double accumulator(const Accumulators& d, int e) {
  if constexpr (kKind == MmaKind::f16_f16) {
    const auto half = static_cast<unsigned short>(d[e / 2] >> (16 * (e % 2)));
    return static_cast<double>(__half2float(__ushort_as_half(half)));
  } else if constexpr (kKind == MmaKind::s8_s32) {
    return static_cast<double>(static_cast<std::int32_t>(d[e]));
  } else {
    return static_cast<double>(d[e]);
  }
}

/// A warp's operands and accumulators, in registers: 2 x 4 products.
template <MmaKind kKind>
struct WarpBlock {
  using Registers = MmaRegisters<kKind>;
  static constexpr MmaShape kShape = Registers::kShape;
  static constexpr int kRows = kMmaBlocksM * kShape.m;
  static constexpr int kCols = kMmaBlocksN * kShape.n;

  typename Registers::A a[kMmaBlocksM];
  typename Registers::B b[kMmaBlocksN];
  typename Registers::D d[kMmaBlocksM][kMmaBlocksN];
};

/// Every fragment of A with every fragment of B: one step along k.
template <MmaKind kKind>
__device__ void multiply(WarpBlock<kKind>& block) {
#pragma unroll
  for (int m = 0; m < kMmaBlocksM; ++m) {
#pragma unroll
    for (int n = 0; n < kMmaBlocksN; ++n) {
      mma_sync<kKind>(block.d[m][n], block.a[m], block.b[n]);
    }
  }
}

template <MmaKind kKind>
__device__ void clear_accumulators(WarpBlock<kKind>& block) {
#pragma unroll
  for (int m = 0; m < kMmaBlocksM; ++m) {
#pragma unroll
    for (int n = 0; n < kMmaBlocksN; ++n) {
#pragma unroll
      for (auto& value : block.d[m][n]) {
        value = 0;
      }
    }
  }
}

/// Fills one fragment of A; `bits(row, col)` gives an element's bits, along k as stored.
template <MmaKind kKind, typename Bits>
__device__ void load_a(typename MmaRegisters<kKind>::A& a, const Bits& bits) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int r = 0; r < MmaRegisters<kKind>::kA; ++r) {
    a[r] = pack<kKind>([&](int i) {
      const Position at = mma_a_position(kKind, lane, r * MmaRegisters<kKind>::kPerRegister + i);
      return bits(at.row, at.col);
    });
  }
}

/// Fills one fragment of B; `bits(row, col)` gives an element's bits, rows along k.
template <MmaKind kKind, typename Bits>
__device__ void load_b(typename MmaRegisters<kKind>::B& b, const Bits& bits) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int r = 0; r < MmaRegisters<kKind>::kB; ++r) {
    b[r] = pack<kKind>([&](int i) {
      const Position at = mma_b_position(kKind, lane, r * MmaRegisters<kKind>::kPerRegister + i);
      return bits(at.row, at.col);
    });
  }
}

/// Fills both operands; `value_a(row, k)` and `value_b(k, col)` give the warp's elements of this
/// step, A's as stored: all rows of A, all columns of B that the warp has.
template <MmaKind kKind, typename ValueA, typename ValueB>
__device__ void load_operands(WarpBlock<kKind>& block, const ValueA& value_a,
                              const ValueB& value_b) {
  using Block = WarpBlock<kKind>;
#pragma unroll
  for (int m = 0; m < kMmaBlocksM; ++m) {
    load_a<kKind>(block.a[m], [&](int row, int k) {
      return encode<kKind>(static_cast<float>(value_a(m * Block::kShape.m + row, k)));
    });
  }
#pragma unroll
  for (int n = 0; n < kMmaBlocksN; ++n) {
    load_b<kKind>(block.b[n], [&](int k, int col) {
      return encode<kKind>(static_cast<float>(value_b(k, n * Block::kShape.n + col)));
    });
  }
}

/// Hands every accumulator to `store(row, col, value)`, the value as double.
template <MmaKind kKind, typename Store>
__device__ void store_accumulators(const WarpBlock<kKind>& block, const Store& store) {
  using Block = WarpBlock<kKind>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int m = 0; m < kMmaBlocksM; ++m) {
#pragma unroll
    for (int n = 0; n < kMmaBlocksN; ++n) {
#pragma unroll
      for (int e = 0; e < Block::Registers::kElementsD; ++e) {
        const Position at = mma_d_position(lane, e);
        store(m * Block::kShape.m + at.row, n * Block::kShape.n + at.col,
              accumulator<kKind>(block.d[m][n], e));
      }
    }
  }
}

}  // namespace assay
