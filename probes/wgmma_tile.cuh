// SPDX-License-Identifier: Apache-2.0
// wgmma m64n256 from shared memory, as the rate probe, the tile check and the numerics all use it.
// sm_90a only.
#pragma once

#include <cstdint>

#include "probes/wgmma_instructions.cuh"

namespace assay {

inline constexpr int kWgmmaTileBytesA = 64 * kWgmmaRowBytes;
inline constexpr int kWgmmaTileBytesB = kWgmmaRowsB * kWgmmaRowBytes;
/// A of every warpgroup, tile by tile, then B, tile by tile; all tiles start on 1024 bytes.
template <MmaKind kKind>
inline constexpr int kWgmmaOffsetB = kWgmmaGroups* wgmma_tiles_a(kKind) * kWgmmaTileBytesA;
/// Dynamic shared memory of a block: the tiles, and room to align them.
template <MmaKind kKind>
inline constexpr int kWgmmaSharedBytes = wgmma_bytes(kKind) + 1024;

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

/// What a descriptor grows by to `bytes` further along k in tiles of `tile_bytes`: within a tile
/// along the row, inside the swizzle.
__host__ __device__ constexpr int wgmma_advance(int bytes, int tile_bytes) {
  return (bytes / kWgmmaRowBytes * tile_bytes + bytes % kWgmmaRowBytes) / 16;
}

/// A warpgroup's sparse A of one commit group, in registers; of the other kinds nothing.
template <MmaKind kKind>
struct WgmmaSparseA {};
template <>
struct WgmmaSparseA<MmaKind::sparse> {
  std::uint32_t registers[kWgmmaPerTrip][4];
};

/// One commit group: this warpgroup's rows of A with all of B over everything that the block holds
/// along k.
template <MmaKind kKind>
__device__ inline void wgmma_group(typename WgmmaRegisters<kKind>::D& d, std::uint64_t a,
                                   const WgmmaSparseA<kKind>& sparse_a, std::uint64_t b) {
#pragma unroll
  for (int i = 0; i < kWgmmaPerTrip; ++i) {
    const std::uint64_t b_step = b + wgmma_advance(i * wgmma_step_bytes_b(kKind), kWgmmaTileBytesB);
    if constexpr (kKind == MmaKind::sparse) {
      wgmma_sparse(d, sparse_a.registers[i], b_step);
    } else {
      wgmma<kKind>(d, a + wgmma_advance(i * 32, kWgmmaTileBytesA), b_step);
    }
  }
  wgmma_commit();
}

/// `trips` commit groups; on return the accumulators may be read. While this warpgroup waits for
/// its group, the other one's instructions keep the tensor cores busy. (With a group left in flight
/// across the loop's edge, ptxas serializes: a wait after every single wgmma.)
template <MmaKind kKind>
__device__ inline void wgmma_run(typename WgmmaRegisters<kKind>::D& d, const char* tiles,
                                 const WgmmaSparseA<kKind>& sparse_a, int trips) {
  const int group = static_cast<int>(threadIdx.x) / 128;
  const std::uint64_t a = wgmma_descriptor(tiles + group * wgmma_tiles_a(kKind) * kWgmmaTileBytesA);
  const std::uint64_t b = wgmma_descriptor(tiles + kWgmmaOffsetB<kKind>);
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    wgmma_fence();
    wgmma_group<kKind>(d, a, sparse_a, b);
    wgmma_wait<0>();
  }
  wgmma_wait<0>();
}

template <MmaKind kKind>
__device__ inline void clear_wgmma(typename WgmmaRegisters<kKind>::D& d) {
#pragma unroll
  for (auto& value : d) {
    value = 0;
  }
}

}  // namespace assay
