// SPDX-License-Identifier: Apache-2.0
// Do the tensor cores of every SM compute exactly, through wgmma?
#include <string>

#include "probes/harness/device_clock.cuh"
#include "probes/harness/probe.h"
#include "probes/mma_fragments.cuh"
#include "probes/mma_keys.h"
#include "probes/tile_check.h"
#include "probes/wgmma_tile.cuh"

namespace assay {

namespace {

constexpr int kBlocksPerSm = 2;
constexpr int kTrips = 3;  // over the same operands: D = 3 A B, still exact

/// Writes the integers `value(row, k)` of `rows` rows: one tile of 128-byte rows behind another
/// along k.
template <MmaKind kKind, typename Value>
__device__ void fill_tiles(char* tiles, int rows, const Value& value) {
  constexpr int kPerWord = 4 / operand_bytes(kKind);
  constexpr int kPerRow = kWgmmaRowBytes / operand_bytes(kKind);
  constexpr int kWords = wgmma_depth(kKind) / kPerWord;  // of a row
  for (int i = static_cast<int>(threadIdx.x); i < rows * kWords; i += kWgmmaThreads) {
    const int row = i / kWords, k = i % kWords * kPerWord;
    char* at = tiles + (k / kPerRow) * rows * kWgmmaRowBytes +
               swizzled_offset(row, (k % kPerRow) * operand_bytes(kKind));
    *reinterpret_cast<std::uint32_t*>(at) =
        pack<kKind>([&](int e) { return encode<kKind>(static_cast<float>(value(row, k + e))); });
  }
}

/// This warpgroup's A, the odd elements along k of each of its rows, in registers.
template <typename Value>
__device__ void fill_sparse(WgmmaSparseA<MmaKind::sparse>& a, const Value& value) {
  constexpr MmaKind kKind = MmaKind::sparse;
#pragma unroll
  for (int i = 0; i < kWgmmaPerTrip; ++i) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      a.registers[i][r] = pack<kKind>([&](int e) {
        const Position at = wgmma_a_position(static_cast<int>(threadIdx.x) % 128, 2 * r + e);
        const int k = i * wgmma_shape(kKind).k + odd_element(at.col);
        return encode<kKind>(static_cast<float>(value(at.row, k)));
      });
    }
  }
}

/// Every block multiplies its own 128 x k by k x 256 integers; each warpgroup has 64 of the rows.
template <MmaKind kKind>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    wgmma_tile(double* products, std::uint32_t* sm_of_tile, std::uint32_t seed) {
  extern __shared__ char shared[];
  char* tiles = wgmma_tiles(shared);
  const std::uint32_t tile = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x);
  const auto value_a = [=](int row, int k) {
    return tile_value(tile_largest(kKind), seed, tile, 0, row, k);
  };
  WgmmaSparseA<kKind> sparse_a;
  if constexpr (kKind == MmaKind::sparse) {
    fill_sparse(sparse_a, [=](int row, int k) { return value_a(64 * (thread / 128) + row, k); });
  } else {
    for (int group = 0; group < kWgmmaGroups; ++group) {
      fill_tiles<kKind>(tiles + group * wgmma_tiles_a(kKind) * kWgmmaTileBytesA, 64,
                        [=](int row, int k) { return value_a(64 * group + row, k); });
    }
  }
  fill_tiles<kKind>(tiles + kWgmmaOffsetB<kKind>, kWgmmaRowsB, [=](int col, int k) {
    return tile_value(tile_largest(kKind), seed, tile, 1, k, col);
  });
  wgmma_publish();

  typename WgmmaRegisters<kKind>::D d;
  clear_wgmma<kKind>(d);
  wgmma_run<kKind>(d, tiles, sparse_a, kTrips);

  double* out = products + static_cast<std::size_t>(tile) * kWgmmaRowsA * kWgmmaRowsB;
#pragma unroll
  for (int e = 0; e < WgmmaRegisters<kKind>::kElementsD; ++e) {
    const Position at = wgmma_d_position(thread % 128, e);
    out[(64 * (thread / 128) + at.row) * kWgmmaRowsB + at.col] = accumulator<kKind>(d, e);
  }
  if (thread == 0) {
    sm_of_tile[tile] = read_smid();
  }
}

template <MmaKind kKind>
void measure(const Device& device, std::string& note, Measurements& measurements) {
  constexpr int kShared = kWgmmaSharedBytes<kKind>;
  ASSAY_CUDA(cudaFuncSetAttribute(wgmma_tile<kKind>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  kShared));
  const int blocks = kBlocksPerSm * device.sm_count();
  TileRun run;
  run.geometry = {.m = kWgmmaRowsA,
                  .n = kWgmmaRowsB,
                  .k = wgmma_depth(kKind),
                  .repeats = kTrips,
                  .largest = tile_largest(kKind),
                  .odd_k_only = kKind == MmaKind::sparse};
  run.tiles = blocks;
  run.launch = [blocks](cudaStream_t stream, double* products, std::uint32_t* sm_of_tile,
                        std::uint32_t seed) {
    wgmma_tile<kKind><<<blocks, kWgmmaThreads, kShared, stream>>>(products, sm_of_tile, seed);
    ASSAY_CUDA(cudaGetLastError());
  };
  note += (note.empty() ? "" : "; ") +
          measure_tiles(device, run, wgmma_key(kKind), wgmma_text(kKind), measurements);
}

}  // namespace

Measurements run_probe(const Device& device) {
  if (device.cc() != 90) {
    throw NotApplicable("wgmma exists on compute capability 9.0 only");
  }
  Measurements measurements;
  std::string note;
  measure<MmaKind::f16_f32>(device, note, measurements);
  measure<MmaKind::tf32_f32>(device, note, measurements);
  measure<MmaKind::bf16_f32>(device, note, measurements);
  measure<MmaKind::f16_f16>(device, note, measurements);
  measure<MmaKind::s8_s32>(device, note, measurements);
  measure<MmaKind::e4m3_f32>(device, note, measurements);
  measure<MmaKind::sparse>(device, note, measurements);
  measurements.note("mma_tile", note);
  return measurements;
}

}  // namespace assay
