// SPDX-License-Identifier: Apache-2.0
// Which element of a matrix does a lane hold in which register of an MMA fragment? After the PTX
// ISA's figures for mma.sync and wgmma. Compiled for host and device: the host tests prove it.
#pragma once

#include <cstdint>

#include "probes/mma_shape.h"

namespace assay {

struct Position {
  int row = 0, col = 0;
  constexpr bool operator==(const Position&) const = default;
};

/// Element `e` of a lane's A fragment of mma.sync. Rows run along m, columns along k; of a sparse A
/// along its stored elements. One register holds 4 bytes of a row: 4, 2 or 1 elements; f64 takes
/// one element to a register pair and lies as tf32 does, m8n8k4 included.
ASSAY_HOST_DEVICE constexpr Position mma_a_position(MmaKind kind, int lane, int e) {
  const int group = lane / 4, thread = lane % 4;
  switch (operand_bytes(kind)) {
    case 1:
      return {group + 8 * ((e >> 2) & 1), 4 * thread + (e & 3) + 16 * (e >> 3)};
    case 2:
      return {group + 8 * ((e >> 1) & 1), 2 * thread + (e & 1) + 8 * (e >> 2)};
    default:
      return {group + 8 * (e & 1), thread + 4 * (e >> 1)};
  }
}

/// Element `e` of a lane's B fragment. Rows run along k, columns along n.
ASSAY_HOST_DEVICE constexpr Position mma_b_position(MmaKind kind, int lane, int e) {
  const int group = lane / 4, thread = lane % 4;
  switch (operand_bytes(kind)) {
    case 1:
      return {4 * thread + (e & 3) + 16 * (e >> 2), group};
    case 2:
      return {2 * thread + (e & 1) + 8 * (e >> 1), group};
    default:
      return {thread + 4 * e, group};
  }
}

/// Element `e` (0 to 3; of m8n8k4 0 and 1) of a lane's accumulator.
ASSAY_HOST_DEVICE constexpr Position mma_d_position(int lane, int e) {
  return {lane / 4 + 8 * (e >> 1), 2 * (lane % 4) + (e & 1)};
}

/// Element `e` (0 to 127) of a thread's accumulator of wgmma m64n256, thread 0 to 127 of the
/// warpgroup.
ASSAY_HOST_DEVICE constexpr Position wgmma_d_position(int thread, int e) {
  const int warp = thread / 32, lane = thread % 32;
  return {16 * warp + lane / 4 + 8 * ((e >> 1) & 1), 8 * (e >> 2) + 2 * (lane % 4) + (e & 1)};
}

/// Element `e` (0 to 7) of a thread's A operand of wgmma in registers, 16 two-byte elements of 64
/// rows, thread 0 to 127 of the warpgroup.
ASSAY_HOST_DEVICE constexpr Position wgmma_a_position(int thread, int e) {
  const Position at = mma_a_position(MmaKind::f16_f32, thread % 32, e);
  return {16 * (thread / 32) + at.row, at.col};
}

/// Byte offset of (row, byte along k) in a tile of 128-byte rows with the 128-byte swizzle: the
/// 16-byte chunk's number is XOR-ed with the row's number modulo 8. Tiles start on 1024 bytes.
ASSAY_HOST_DEVICE constexpr int swizzled_offset(int row, int byte) {
  return row * kWgmmaRowBytes + ((((byte >> 4) ^ (row & 7)) << 4) | (byte & 15));
}

/// Which two of every four elements along k a sparse A stores, as metadata: 4 bits a group, the
/// same in every group, so that the metadata's own layout does not matter. `first` < `second`.
ASSAY_HOST_DEVICE constexpr std::uint32_t sparse_metadata(int first, int second) {
  return static_cast<std::uint32_t>(first | (second << 2)) * 0x11111111U;
}
/// The pattern of the rates and of the tiles: the odd elements.
inline constexpr std::uint32_t kOddElements = sparse_metadata(1, 3);
/// The element along k that the stored element `col` of a sparse A is, under kOddElements.
ASSAY_HOST_DEVICE constexpr int odd_element(int col) {
  return 2 * col + 1;
}

/// The largest integer in a kind's tiles. Every one is exact in the input type, and every sum on
/// the way is exact in the accumulator: f16 holds integers to 2^11, e4m3 to 16 (its accumulator may
/// keep 14 bits only), f64 to 2^53.
ASSAY_HOST_DEVICE constexpr int tile_largest(MmaKind kind) {
  switch (kind) {
    case MmaKind::f16_f16:
      return 2;
    case MmaKind::e4m3_f32:
      return 4;
    case MmaKind::s8_s32:
      return 127;
    case MmaKind::f64_f64:
      return 1 << 20;
    default:
      return 8;
  }
}

/// Which random product a block of work computes: D (m x n) = repeats * A (m x k) * B (k x n).
struct TileGeometry {
  int m = 0, n = 0, k = 0;
  int repeats = 1;
  int largest = 8;          ///< of the integers, in size
  bool odd_k_only = false;  ///< A is 0 where k is even
  constexpr int elements() const { return m * n; }
};

/// The integer at (row, col) of operand `matrix` (0: A, 1: B) of a tile, uniform in
/// [-largest, largest].
ASSAY_HOST_DEVICE constexpr int tile_value(int largest, std::uint32_t seed, std::uint32_t tile,
                                           int matrix, int row, int col) {
  std::uint32_t h = seed ^ (tile * 0x9E3779B9U);
  h ^= (static_cast<std::uint32_t>(row) << 17) | (static_cast<std::uint32_t>(col) << 1) |
       static_cast<std::uint32_t>(matrix);
  h = (h ^ (h >> 16)) * 0x85EBCA6BU;
  h = (h ^ (h >> 13)) * 0xC2B2AE35U;
  h ^= h >> 16;
  const std::uint64_t values = 2 * static_cast<std::uint64_t>(largest) + 1;
  return static_cast<int>((static_cast<std::uint64_t>(h) * values) >> 32) - largest;
}

/// Element (row, col) of the product, in integers.
ASSAY_HOST_DEVICE constexpr std::int64_t tile_reference(const TileGeometry& tile,
                                                        std::uint32_t seed, std::uint32_t index,
                                                        int row, int col) {
  std::int64_t sum = 0;
  for (int k = tile.odd_k_only ? 1 : 0; k < tile.k; k += tile.odd_k_only ? 2 : 1) {
    sum += std::int64_t{tile_value(tile.largest, seed, index, 0, row, k)} *
           tile_value(tile.largest, seed, index, 1, k, col);
  }
  return tile.repeats * sum;
}

}  // namespace assay
