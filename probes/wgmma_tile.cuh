// SPDX-License-Identifier: Apache-2.0
// wgmma m64n256 from shared memory, as the rate probe and the tile check both use it. sm_90a only.
#pragma once

#include <cstdint>

#include "probes/mma_layout.h"

// 128 accumulators as asm operands: "+f"(d[0]) ... "+f"(d[127]), and their names %0 ... %127.
#define ASSAY_D4(d, i) "+f"((d)[i]), "+f"((d)[(i) + 1]), "+f"((d)[(i) + 2]), "+f"((d)[(i) + 3])
#define ASSAY_D16(d, i) \
  ASSAY_D4(d, i), ASSAY_D4(d, (i) + 4), ASSAY_D4(d, (i) + 8), ASSAY_D4(d, (i) + 12)
#define ASSAY_D64(d, i) \
  ASSAY_D16(d, i), ASSAY_D16(d, (i) + 16), ASSAY_D16(d, (i) + 32), ASSAY_D16(d, (i) + 48)
#define ASSAY_D128(d) ASSAY_D64(d, 0), ASSAY_D64(d, 64)
// clang-format off
#define ASSAY_N10(t) \
  "%" t "0,%" t "1,%" t "2,%" t "3,%" t "4,%" t "5,%" t "6,%" t "7,%" t "8,%" t "9,"
#define ASSAY_N128 \
  ASSAY_N10("") ASSAY_N10("1") ASSAY_N10("2") ASSAY_N10("3") ASSAY_N10("4") ASSAY_N10("5") \
  ASSAY_N10("6") ASSAY_N10("7") ASSAY_N10("8") ASSAY_N10("9") ASSAY_N10("10") ASSAY_N10("11") \
  "%120,%121,%122,%123,%124,%125,%126,%127"
// clang-format on

namespace assay {

inline constexpr int kWgmmaTileBytesA = 64 * kWgmmaRowBytes;
inline constexpr int kWgmmaTileBytesB = kWgmmaRowsB * kWgmmaRowBytes;
/// A of every warpgroup, tile by tile, then B, tile by tile; all tiles start on 1024 bytes.
inline constexpr int kWgmmaOffsetB = kWgmmaGroups * kWgmmaTiles * kWgmmaTileBytesA;
/// Dynamic shared memory of a block: the tiles, and room to align them.
inline constexpr int kWgmmaSharedBytes = kWgmmaBytes + 1024;

/// The start of the tiles in a block's dynamic shared memory.
__device__ inline char* wgmma_tiles(char* shared) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  return shared + (1024 - address % 1024) % 1024;
}

/// Descriptor of a tile: K-major, rows of 128 bytes, groups of 8 rows 1024 bytes apart, 128-byte
/// swizzle. The leading offset (16 bytes) is not used with a swizzle.
__device__ inline std::uint64_t wgmma_descriptor(const char* tile) {
  constexpr std::uint64_t kLayout = (std::uint64_t{1} << 62) |          // 128-byte swizzle
                                    (std::uint64_t{1024 / 16} << 32) |  // stride offset
                                    (std::uint64_t{1} << 16);           // leading offset
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile));
  return kLayout | ((address & 0x3FFFF) >> 4);
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

/// d += a * b for one step along k, operands by descriptor.
template <MmaInput kInput>
__device__ inline void wgmma(float (&d)[128], std::uint64_t a, std::uint64_t b) {
  if constexpr (kInput == MmaInput::f16) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" ASSAY_N128
                 "}, %128, %129, 1, 1, 1, 0, 0;"
                 : ASSAY_D128(d)
                 : "l"(a), "l"(b));
  } else {
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {" ASSAY_N128
                 "}, %128, %129, 1, 1, 1;"
                 : ASSAY_D128(d)
                 : "l"(a), "l"(b));
  }
}

/// One commit group: this warpgroup's rows of A with all of B over everything that the block holds
/// along k. Instructions are 32 bytes apart along a row, inside the swizzle.
template <MmaInput kInput>
__device__ inline void wgmma_group(float (&d)[128], std::uint64_t a, std::uint64_t b) {
#pragma unroll
  for (int tile = 0; tile < kWgmmaTiles; ++tile) {
#pragma unroll
    for (int step = 0; step < kWgmmaStepsPerTile; ++step) {
      wgmma<kInput>(d, a + (tile * kWgmmaTileBytesA + step * 32) / 16,
                    b + (tile * kWgmmaTileBytesB + step * 32) / 16);
    }
  }
  wgmma_commit();
}

/// `trips` commit groups; on return the accumulators may be read. While this warpgroup waits for
/// its group, the other one's instructions keep the tensor cores busy. (With a group left in flight
/// across the loop's edge, ptxas serializes: a wait after every single wgmma.)
template <MmaInput kInput>
__device__ inline void wgmma_run(float (&d)[128], const char* tiles, int trips) {
  const int group = static_cast<int>(threadIdx.x) / 128;
  const std::uint64_t a = wgmma_descriptor(tiles + group * kWgmmaTiles * kWgmmaTileBytesA);
  const std::uint64_t b = wgmma_descriptor(tiles + kWgmmaOffsetB);
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    wgmma_fence();
    wgmma_group<kInput>(d, a, b);
    wgmma_wait<0>();
  }
  wgmma_wait<0>();
}

__device__ inline void clear_accumulators(float (&d)[128]) {
#pragma unroll
  for (int e = 0; e < 128; ++e) {
    d[e] = 0.0F;
  }
}

}  // namespace assay
