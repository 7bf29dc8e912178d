// SPDX-License-Identifier: Apache-2.0
// What are wgmma's instructions of m64n256, by kind? sm_90a only.
#pragma once

#include <cstdint>
#include <type_traits>

#include "probes/mma_layout.h"

// Accumulators as asm operands: "+f"(d[0]) ... "+f"(d[127]), and their names %0 ... %127.
#define ASSAY_D4(t, d, i) \
  "+" t((d)[i]), "+" t((d)[(i) + 1]), "+" t((d)[(i) + 2]), "+" t((d)[(i) + 3])
#define ASSAY_D16(t, d, i) \
  ASSAY_D4(t, d, i), ASSAY_D4(t, d, (i) + 4), ASSAY_D4(t, d, (i) + 8), ASSAY_D4(t, d, (i) + 12)
#define ASSAY_D64(t, d, i)                                                  \
  ASSAY_D16(t, d, i), ASSAY_D16(t, d, (i) + 16), ASSAY_D16(t, d, (i) + 32), \
      ASSAY_D16(t, d, (i) + 48)
#define ASSAY_D128(t, d) ASSAY_D64(t, d, 0), ASSAY_D64(t, d, 64)
// clang-format off
#define ASSAY_N10(t) \
  "%" t "0,%" t "1,%" t "2,%" t "3,%" t "4,%" t "5,%" t "6,%" t "7,%" t "8,%" t "9,"
#define ASSAY_N60 \
  ASSAY_N10("") ASSAY_N10("1") ASSAY_N10("2") ASSAY_N10("3") ASSAY_N10("4") ASSAY_N10("5")
#define ASSAY_N64 ASSAY_N60 "%60,%61,%62,%63"
#define ASSAY_N128 \
  ASSAY_N60 ASSAY_N10("6") ASSAY_N10("7") ASSAY_N10("8") ASSAY_N10("9") ASSAY_N10("10") \
  ASSAY_N10("11") "%120,%121,%122,%123,%124,%125,%126,%127"
// clang-format on

// 128 accumulators, both operands by descriptor; `rest` are the scale and transpose immediates.
#define ASSAY_WGMMA(form, type, rest, d, a, b)                                                    \
  asm volatile("wgmma.mma_async.sync.aligned.m64n256" form " {" ASSAY_N128 "}, %128, %129, " rest \
               ";"                                                                                \
               : ASSAY_D128(type, d)                                                              \
               : "l"(a), "l"(b))

namespace assay {

/// A thread's accumulator registers.
template <MmaKind kKind>
struct WgmmaRegisters {
  static constexpr int kElementsD = 128;
  static constexpr int kD = kKind == MmaKind::f16_f16 ? 64 : 128;
  using Accumulator = std::conditional_t<kKind == MmaKind::f16_f16 || kKind == MmaKind::s8_s32,
                                         std::uint32_t, float>;
  using D = Accumulator[kD];
};

/// d += a * b for one step along k, operands by descriptor.
template <MmaKind kKind>
__device__ inline void wgmma(typename WgmmaRegisters<kKind>::D& d, std::uint64_t a,
                             std::uint64_t b) {
  if constexpr (kKind == MmaKind::f16_f32) {
    ASSAY_WGMMA("k16.f32.f16.f16", "f", "1, 1, 1, 0, 0", d, a, b);
  } else if constexpr (kKind == MmaKind::bf16_f32) {
    ASSAY_WGMMA("k16.f32.bf16.bf16", "f", "1, 1, 1, 0, 0", d, a, b);
  } else if constexpr (kKind == MmaKind::tf32_f32) {
    ASSAY_WGMMA("k8.f32.tf32.tf32", "f", "1, 1, 1", d, a, b);
  } else if constexpr (kKind == MmaKind::e4m3_f32) {
    ASSAY_WGMMA("k32.f32.e4m3.e4m3", "f", "1, 1, 1", d, a, b);
  } else if constexpr (kKind == MmaKind::s8_s32) {
    ASSAY_WGMMA("k32.s32.s8.s8", "r", "1", d, a, b);
  } else {
    static_assert(kKind == MmaKind::f16_f16);
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f16.f16.f16 {" ASSAY_N64
                 "}, %64, %65, 1, 1, 1, 0, 0;"
                 : ASSAY_D64("r", d, 0)
                 : "l"(a), "l"(b));
  }
}

/// The same for a sparse A in registers. From shared memory A and B together would need more than
/// an SM's shared memory delivers: at the sparse rate B alone takes all 128 bytes of a clock.
__device__ inline void wgmma_sparse(WgmmaRegisters<MmaKind::sparse>::D& d,
                                    const std::uint32_t (&a)[4], std::uint64_t b,
                                    std::uint32_t metadata = kOddElements) {
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.f16.f16 {" ASSAY_N128
               "}, {%128,%129,%130,%131}, %132, %133, 0, 1, 1, 1, 0;"
               : ASSAY_D128("f", d)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(metadata));
}

/// Orders the threads' earlier writes of accumulators before the next wgmma.
__device__ inline void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kPending>
__device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
/// Makes the block's ordinary writes to shared memory visible to wgmma.
__device__ inline void wgmma_publish() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

}  // namespace assay
