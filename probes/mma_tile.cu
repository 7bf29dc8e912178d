// SPDX-License-Identifier: Apache-2.0
// Do the tensor cores of every SM compute exactly, through mma.sync?
#include <string>

#include "probes/harness/device_clock.cuh"
#include "probes/harness/probe.h"
#include "probes/mma_fragments.cuh"
#include "probes/mma_keys.h"
#include "probes/tile_check.h"

namespace assay {

namespace {

constexpr int kWarps = 4;  // per block
constexpr int kBlocksPerSm = 4;
constexpr int kSteps = 16;  // along k

/// Every warp multiplies its own integers, with the rate probe's own step.
template <MmaKind kKind>
__global__ void __launch_bounds__(32 * kWarps)
    mma_tile(double* products, std::uint32_t* sm_of_tile, std::uint32_t seed) {
  using Block = WarpBlock<kKind>;
  constexpr int kLargest = tile_largest(kKind);
  constexpr bool kSparse = kKind == MmaKind::sparse;
  const std::uint32_t tile = blockIdx.x * kWarps + threadIdx.x / 32;
  Block block;
  clear_accumulators(block);
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    const int k0 = step * Block::kShape.k;
    load_operands(
        block,
        [=](int row, int k) {
          return tile_value(kLargest, seed, tile, 0, row, k0 + (kSparse ? odd_element(k) : k));
        },
        [=](int k, int col) { return tile_value(kLargest, seed, tile, 1, k0 + k, col); });
    multiply(block);
  }
  double* out = products + static_cast<std::size_t>(tile) * Block::kRows * Block::kCols;
  store_accumulators(
      block, [out](int row, int col, double value) { out[row * Block::kCols + col] = value; });
  if (threadIdx.x % 32 == 0) {
    sm_of_tile[tile] = read_smid();
  }
}

template <MmaKind kKind>
void measure(const Device& device, std::string& note, Measurements& measurements) {
  const std::string key = mma_sync_key(kKind, device.cc());
  const std::string text = mma_sync_text(kKind, device.cc());
  if (device.cc() < mma_sync_least_cc(kKind)) {
    add_absent_tiles(key, text, mma_sync_absence(kKind), measurements);
    return;
  }
  const MmaShape shape = mma_sync_shape(kKind, device.cc());
  const int blocks = kBlocksPerSm * device.sm_count();
  TileRun run;
  run.geometry = {.m = kMmaBlocksM * shape.m,
                  .n = kMmaBlocksN * shape.n,
                  .k = shape.k * kSteps,
                  .repeats = 1,  // nvcc 13.0 makes a skipped member 0, not its default
                  .largest = tile_largest(kKind),
                  .odd_k_only = kKind == MmaKind::sparse};
  run.tiles = blocks * kWarps;
  run.launch = [blocks](cudaStream_t stream, double* products, std::uint32_t* sm_of_tile,
                        std::uint32_t seed) {
    mma_tile<kKind><<<blocks, 32 * kWarps, 0, stream>>>(products, sm_of_tile, seed);
    ASSAY_CUDA(cudaGetLastError());
  };
  note += (note.empty() ? "" : "; ") + measure_tiles(device, run, key, text, measurements);
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements measurements;
  std::string note;
  measure<MmaKind::f16_f32>(device, note, measurements);
  measure<MmaKind::tf32_f32>(device, note, measurements);
  measure<MmaKind::bf16_f32>(device, note, measurements);
  measure<MmaKind::f16_f16>(device, note, measurements);
  measure<MmaKind::s8_s32>(device, note, measurements);
  measure<MmaKind::f64_f64>(device, note, measurements);
  measure<MmaKind::e4m3_f32>(device, note, measurements);
  measure<MmaKind::sparse>(device, note, measurements);
  measurements.note("mma_tile", note);
  return measurements;
}

}  // namespace assay
