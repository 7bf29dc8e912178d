// SPDX-License-Identifier: Apache-2.0
// Do the tensor cores of every SM compute exactly, through mma.sync?
#include <string>

#include "probes/harness/device_clock.cuh"
#include "probes/harness/probe.h"
#include "probes/mma_fragments.cuh"
#include "probes/mma_shape.h"
#include "probes/tile_check.h"

namespace assay {

namespace {

constexpr int kWarps = 4;  // per block
constexpr int kBlocksPerSm = 4;
constexpr int kSide = 32;   // of a warp's tile
constexpr int kSteps = 16;  // along k

/// Every warp multiplies its own 32 x k by k x 32 integers, with the rate probe's own step.
template <MmaInput kInput>
__global__ void __launch_bounds__(32 * kWarps)
    mma_tile(float* products, std::uint32_t* sm_of_tile, std::uint32_t seed) {
  using Block = WarpBlock<kInput>;
  const std::uint32_t tile = blockIdx.x * kWarps + threadIdx.x / 32;
  Block block;
  clear_accumulators(block);
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    const int k0 = step * Block::kShape.k;
    load_operands(
        block, [=](int row, int k) { return tile_value(seed, tile, 0, row, k0 + k); },
        [=](int k, int col) { return tile_value(seed, tile, 1, k0 + k, col); });
    multiply(block);
  }
  float* out = products + static_cast<std::size_t>(tile) * kSide * kSide;
  store_accumulators(block,
                     [out](int row, int col, float value) { out[row * kSide + col] = value; });
  if (threadIdx.x % 32 == 0) {
    sm_of_tile[tile] = read_smid();
  }
}

template <MmaInput kInput>
std::string measure(const Device& device, const std::string& key, Measurements& measurements) {
  const MmaShape shape = mma_sync_shape(kInput, device.cc());
  const int blocks = kBlocksPerSm * device.sm_count();
  TileRun run;
  run.geometry = {kSide, kSide, shape.k * kSteps, 1};
  run.tiles = blocks * kWarps;
  run.launch = [blocks](cudaStream_t stream, float* products, std::uint32_t* sm_of_tile,
                        std::uint32_t seed) {
    mma_tile<kInput><<<blocks, 32 * kWarps, 0, stream>>>(products, sm_of_tile, seed);
    ASSAY_CUDA(cudaGetLastError());
  };
  return measure_tiles(
      device, run, key,
      "mma.sync m16n8k" + std::to_string(shape.k) + ", 32x32 tiles of random integers in [-8, 8]",
      measurements);
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements measurements;
  std::string note = measure<MmaInput::f16>(device, "mma_sync_f16_f32", measurements);
  if (device.cc() >= 80) {
    note += "; " + measure<MmaInput::tf32>(device, "mma_sync_tf32_f32", measurements);
  } else {
    add_absent_tiles("mma_sync_tf32_f32", "mma.sync m16n8k8",
                     {NullKind::not_supported, "tf32 needs compute capability 8.0"}, measurements);
  }
  measurements.note("mma_tile", note);
  return measurements;
}

}  // namespace assay
