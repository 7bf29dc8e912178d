// SPDX-License-Identifier: Apache-2.0
// Do the tensor cores of every SM compute exactly, through wgmma?
#include <string>

#include <cuda_fp16.h>

#include "probes/harness/device_clock.cuh"
#include "probes/harness/probe.h"
#include "probes/mma_shape.h"
#include "probes/tile_check.h"
#include "probes/wgmma_tile.cuh"

namespace assay {

namespace {

constexpr int kBlocksPerSm = 2;
constexpr int kTrips = 3;  // over the same operands: D = 3 A B, still exact

/// Writes `value(row, k)` for `rows` rows: one tile of 128-byte rows behind another along k.
template <MmaInput kInput, typename Value>
__device__ void fill_tiles(char* tiles, int rows, const Value& value) {
  constexpr int kBytes = kInput == MmaInput::f16 ? 2 : 4;
  constexpr int kDepth = kWgmmaDepth<kInput>;
  constexpr int kPerRow = kWgmmaRowBytes / kBytes;
  for (int i = static_cast<int>(threadIdx.x); i < rows * kDepth; i += kWgmmaThreads) {
    const int row = i / kDepth, k = i % kDepth;
    char* at = tiles + (k / kPerRow) * rows * kWgmmaRowBytes +
               swizzled_offset(row, (k % kPerRow) * kBytes);
    if constexpr (kInput == MmaInput::f16) {
      *reinterpret_cast<__half*>(at) = __int2half_rn(value(row, k));
    } else {
      *reinterpret_cast<float*>(at) = static_cast<float>(value(row, k));
    }
  }
}

/// Every block multiplies its own 128 x k by k x 256 integers; each warpgroup has 64 of the rows.
template <MmaInput kInput>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    wgmma_tile(float* products, std::uint32_t* sm_of_tile, std::uint32_t seed) {
  extern __shared__ char shared[];
  char* tiles = wgmma_tiles(shared);
  const std::uint32_t tile = blockIdx.x;
  for (int group = 0; group < kWgmmaGroups; ++group) {
    fill_tiles<kInput>(tiles + group * kWgmmaTiles * kWgmmaTileBytesA, 64, [=](int row, int k) {
      return tile_value(seed, tile, 0, 64 * group + row, k);
    });
  }
  fill_tiles<kInput>(tiles + kWgmmaOffsetB, kWgmmaRowsB,
                     [=](int col, int k) { return tile_value(seed, tile, 1, k, col); });
  wgmma_publish();

  float d[128];
  clear_accumulators(d);
  wgmma_run<kInput>(d, tiles, kTrips);

  const int thread = static_cast<int>(threadIdx.x);
  float* out = products + static_cast<std::size_t>(tile) * kWgmmaRowsA * kWgmmaRowsB;
#pragma unroll
  for (int e = 0; e < 128; ++e) {
    const Position at = wgmma_d_position(thread % 128, e);
    out[(64 * (thread / 128) + at.row) * kWgmmaRowsB + at.col] = d[e];
  }
  if (thread == 0) {
    sm_of_tile[tile] = read_smid();
  }
}

template <MmaInput kInput>
std::string measure(const Device& device, const std::string& key, Measurements& measurements) {
  ASSAY_CUDA(cudaFuncSetAttribute(wgmma_tile<kInput>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  kWgmmaSharedBytes));
  const int blocks = kBlocksPerSm * device.sm_count();
  TileRun run;
  run.geometry = {kWgmmaRowsA, kWgmmaRowsB, kWgmmaDepth<kInput>, kTrips};
  run.tiles = blocks;
  run.launch = [blocks](cudaStream_t stream, float* products, std::uint32_t* sm_of_tile,
                        std::uint32_t seed) {
    wgmma_tile<kInput>
        <<<blocks, kWgmmaThreads, kWgmmaSharedBytes, stream>>>(products, sm_of_tile, seed);
    ASSAY_CUDA(cudaGetLastError());
  };
  return measure_tiles(device, run, key,
                       "wgmma m64n256k" + std::to_string(wgmma_shape(kInput).k) +
                           ", 128x256 tiles of random integers in [-8, 8]",
                       measurements);
}

}  // namespace

Measurements run_probe(const Device& device) {
  if (device.cc() != 90) {
    throw NotApplicable("wgmma exists on compute capability 9.0 only");
  }
  Measurements measurements;
  std::string note = measure<MmaInput::f16>(device, "wgmma_f16_f32", measurements);
  note += "; " + measure<MmaInput::tf32>(device, "wgmma_tf32_f32", measurements);
  measurements.note("mma_tile", note);
  return measurements;
}

}  // namespace assay
