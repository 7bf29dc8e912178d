// SPDX-License-Identifier: Apache-2.0
// Which registers does each kind of mma.sync take, and what are its instructions? Registers without
// meaning: which element lies where is mma_layout.h's business.
#pragma once

#include <cstdint>
#include <type_traits>

#include "probes/mma_layout.h"

namespace assay {

#ifdef __CUDA_ARCH__
inline constexpr int kMmaArch = __CUDA_ARCH__ / 10;
#else
inline constexpr int kMmaArch = 80;
#endif

/// The registers of one instruction in one lane.
template <MmaKind kKind>
struct MmaRegisters {
  static constexpr MmaShape kShape = mma_sync_shape(kKind, kMmaArch);
  static constexpr bool kIsF64 = kKind == MmaKind::f64_f64;
  static constexpr int kPerRegister = kIsF64 ? 1 : 4 / operand_bytes(kKind);
  static constexpr int kA = kShape.m * stored_k(kKind, kShape.k) / 32 / kPerRegister;
  static constexpr int kB = kShape.k * kShape.n / 32 / kPerRegister;
  static constexpr int kElementsD = kShape.m * kShape.n / 32;
  static constexpr int kPerRegisterD = kKind == MmaKind::f16_f16 ? 2 : 1;
  static constexpr int kD = kElementsD / kPerRegisterD;
  using Operand = std::conditional_t<kIsF64, double, std::uint32_t>;
  using Accumulator =
      std::conditional_t<kIsF64, double,
                         std::conditional_t<kKind == MmaKind::f16_f16 || kKind == MmaKind::s8_s32,
                                            std::uint32_t, float>>;
  using A = Operand[kA];
  using B = Operand[kB];
  using D = Accumulator[kD];
};

// m16n8 with 4 accumulators and 4 + 2 operand registers.
#define ASSAY_MMA_4_4_2(instruction, type, d, a, b)                                     \
  asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"     \
               : "+" type((d)[0]), "+" type((d)[1]), "+" type((d)[2]), "+" type((d)[3]) \
               : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))

/// f64: the full-rate shape where it exists, else the one that every tensor core since 8.0 has.
__device__ inline void mma_f64(MmaRegisters<MmaKind::f64_f64>::D& d,
                               const MmaRegisters<MmaKind::f64_f64>::A& a,
                               const MmaRegisters<MmaKind::f64_f64>::B& b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
      "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
        "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(a[0]), "d"(b[0]));
#endif
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
/// sm_75: f16 only, and k = 8.
template <MmaKind kKind>
__device__ void mma_sync(typename MmaRegisters<kKind>::D& d,
                         const typename MmaRegisters<kKind>::A& a,
                         const typename MmaRegisters<kKind>::B& b,
                         [[maybe_unused]] std::uint32_t metadata = kOddElements) {
  if constexpr (kKind == MmaKind::f16_f32) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  } else if constexpr (kKind == MmaKind::f16_f16) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  } else {
    __trap();  // never launched: the probes state what needs 8.0
  }
}
#else
/// d += a * b. Volatile, so that no two of them are merged and none is moved. `metadata` is which
/// elements a sparse A stores; ordered, the form that newer chips run at full rate.
template <MmaKind kKind>
__device__ void mma_sync(typename MmaRegisters<kKind>::D& d,
                         const typename MmaRegisters<kKind>::A& a,
                         const typename MmaRegisters<kKind>::B& b,
                         [[maybe_unused]] std::uint32_t metadata = kOddElements) {
  if constexpr (kKind == MmaKind::f16_f32) {
    ASSAY_MMA_4_4_2("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "f", d, a, b);
  } else if constexpr (kKind == MmaKind::tf32_f32) {
    ASSAY_MMA_4_4_2("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "f", d, a, b);
  } else if constexpr (kKind == MmaKind::bf16_f32) {
    ASSAY_MMA_4_4_2("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "f", d, a, b);
  } else if constexpr (kKind == MmaKind::s8_s32) {
    ASSAY_MMA_4_4_2("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "r", d, a, b);
  } else if constexpr (kKind == MmaKind::f64_f64) {
    mma_f64(d, a, b);
  } else if constexpr (kKind == MmaKind::f16_f16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, "
        "{%0,%1};"
        : "+r"(d[0]), "+r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else if constexpr (kKind == MmaKind::sparse) {
    asm volatile(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
        "{%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),
          "r"(metadata));
  } else {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    ASSAY_MMA_4_4_2("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "f", d, a, b);
#else
    __trap();  // never launched: the probes state that e4m3 needs 8.9
#endif
  }
}
#endif

}  // namespace assay
