// SPDX-License-Identifier: Apache-2.0
// Which element of a matrix does a lane hold in which register of an MMA fragment? After the PTX
// ISA's figures for mma.sync and wgmma. Compiled for host and device: the host tests prove it.
#pragma once

#include <cstdint>

#include "probes/mma_shape.h"

#ifdef __CUDACC__
#define ASSAY_HOST_DEVICE __host__ __device__
#else
#define ASSAY_HOST_DEVICE
#endif

namespace assay {

struct Position {
  int row = 0, col = 0;
  constexpr bool operator==(const Position&) const = default;
};

/// Element `e` of a lane's A fragment of mma.sync (m16n8k16 or k8 in f16: two elements to a
/// register; m16n8k8 in tf32: one). Rows run along m, columns along k.
ASSAY_HOST_DEVICE constexpr Position mma_a_position(MmaInput input, int lane, int e) {
  const int group = lane / 4, thread = lane % 4;
  if (input == MmaInput::tf32) {
    return {group + 8 * (e & 1), thread + 4 * (e >> 1)};
  }
  return {group + 8 * ((e >> 1) & 1), 2 * thread + (e & 1) + 8 * (e >> 2)};
}

/// Element `e` of a lane's B fragment. Rows run along k, columns along n.
ASSAY_HOST_DEVICE constexpr Position mma_b_position(MmaInput input, int lane, int e) {
  const int group = lane / 4, thread = lane % 4;
  if (input == MmaInput::tf32) {
    return {thread + 4 * e, group};
  }
  return {2 * thread + (e & 1) + 8 * (e >> 1), group};
}

/// Element `e` (0 to 3) of a lane's accumulator.
ASSAY_HOST_DEVICE constexpr Position mma_d_position(int lane, int e) {
  return {lane / 4 + 8 * (e >> 1), 2 * (lane % 4) + (e & 1)};
}

/// Element `e` (0 to 127) of a thread's accumulator of wgmma m64n256, thread 0 to 127 of the
/// warpgroup.
ASSAY_HOST_DEVICE constexpr Position wgmma_d_position(int thread, int e) {
  const int warp = thread / 32, lane = thread % 32;
  return {16 * warp + lane / 4 + 8 * ((e >> 1) & 1), 8 * (e >> 2) + 2 * (lane % 4) + (e & 1)};
}

/// Byte offset of (row, byte along k) in a tile of 128-byte rows with the 128-byte swizzle: the
/// 16-byte chunk's number is XOR-ed with the row's number modulo 8. Tiles start on 1024 bytes.
ASSAY_HOST_DEVICE constexpr int swizzled_offset(int row, int byte) {
  return row * kWgmmaRowBytes + ((((byte >> 4) ^ (row & 7)) << 4) | (byte & 15));
}

/// The integer at (row, col) of operand `matrix` (0: A, 1: B) of a tile, uniform in [-8, 8]: exact
/// in every input type, and sums of 256 products of them are exact in every accumulator.
ASSAY_HOST_DEVICE constexpr int tile_value(std::uint32_t seed, std::uint32_t tile, int matrix,
                                           int row, int col) {
  std::uint32_t h = seed ^ (tile * 0x9E3779B9U);
  h ^= (static_cast<std::uint32_t>(row) << 17) | (static_cast<std::uint32_t>(col) << 1) |
       static_cast<std::uint32_t>(matrix);
  h = (h ^ (h >> 16)) * 0x85EBCA6BU;
  h = (h ^ (h >> 13)) * 0xC2B2AE35U;
  h ^= h >> 16;
  return static_cast<int>((static_cast<std::uint64_t>(h) * 17U) >> 32) - 8;
}

/// Which random product a block of work computes: D (m x n) = repeats * A (m x k) * B (k x n).
struct TileGeometry {
  int m = 0, n = 0, k = 0;
  int repeats = 1;
  constexpr int elements() const { return m * n; }
};

/// Element (row, col) of the product, in integers.
ASSAY_HOST_DEVICE constexpr int tile_reference(const TileGeometry& tile, std::uint32_t seed,
                                               std::uint32_t index, int row, int col) {
  int sum = 0;
  for (int k = 0; k < tile.k; ++k) {
    sum += tile_value(seed, index, 0, row, k) * tile_value(seed, index, 1, k, col);
  }
  return tile.repeats * sum;
}

}  // namespace assay
