// SPDX-License-Identifier: Apache-2.0
// How fast are the tensor cores through mma.sync, the instruction that every generation has?
#include <string>

#include "probes/harness/probe.h"
#include "probes/looped_work.h"
#include "probes/mma_fragments.cuh"
#include "probes/mma_rates.h"
#include "probes/mma_shape.h"

namespace assay {

namespace {

constexpr int kWarpTile = 32;      // rows of A, columns of B and side of D in a warp
constexpr int kOperandDepth = 16;  // the longest k of one instruction
constexpr int kOperandsPerWarp = 2 * kWarpTile * kOperandDepth;
constexpr int kWarpsPerBlock = kMmaThreads / 32;

template <MmaInput kInput>
__global__ void __launch_bounds__(kMmaThreads)
    mma_loop(const float* operands, float* results, int trips) {
  const int warp =
      static_cast<int>(blockIdx.x) * kWarpsPerBlock + static_cast<int>(threadIdx.x) / 32;
  const float* a = operands + warp * kOperandsPerWarp;
  const float* b = a + kWarpTile * kOperandDepth;
  WarpBlock<kInput> block;
  load_operands(
      block, [a](int row, int k) { return a[row * kOperandDepth + k]; },
      [b](int k, int col) { return b[k * kWarpTile + col]; });
  clear_accumulators(block);
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int step = 0; step < kMmaStepsPerTrip; ++step) {
      multiply(block);
    }
  }
  // Every accumulator is consumed, unconditionally; one store a thread keeps a call's memory
  // traffic out of its time.
  float sum = 0.0F;
  store_accumulators(block, [&sum](int, int, float value) { sum += value; });
  results[blockIdx.x * kMmaThreads + threadIdx.x] = sum;
}

template <MmaInput kInput>
LoopedWork mma_work(const Device& device, const DeviceBuffer<float>& operands,
                    const DeviceBuffer<float>& results) {
  const int blocks = device.sm_count();
  const MmaShape shape = mma_sync_shape(kInput, device.cc());
  const auto launch = [blocks, in = operands.data(), out = results.data()](cudaStream_t stream,
                                                                           int trips) {
    mma_loop<kInput><<<blocks, kMmaThreads, 0, stream>>>(in, out, trips);
    ASSAY_CUDA(cudaGetLastError());
  };
  return {launch,
          [shape, blocks](int trips) { return mma_sync_flops_per_call(shape, blocks, trips); }};
}

template <MmaInput kInput>
void measure(const Device& device, const std::string& key, Measurements& measurements) {
  const auto warps = static_cast<std::size_t>(device.sm_count()) * kWarpsPerBlock;
  DeviceBuffer<float> operands(warps * kOperandsPerWarp);
  DeviceBuffer<float> results(warps * 32);
  const MmaShape shape = mma_sync_shape(kInput, device.cc());
  const std::string kernel = "mma.sync m16n8k" + std::to_string(shape.k) +
                             ", operands in registers, 8 accumulators a warp, 16 warps an SM";
  const MmaPath path{key, kernel, mma_work<kInput>(device, operands, results),
                     [&operands] { randomize(operands); }, [&operands] { operands.clear(); }};
  measure_mma_rates(device, path, results, measurements);
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements measurements;
  measure<MmaInput::f16>(device, "mma_sync_f16_f32", measurements);
  if (device.cc() >= 80) {
    measure<MmaInput::tf32>(device, "mma_sync_tf32_f32", measurements);
  } else {
    add_absent_mma_rates("mma_sync_tf32_f32", "mma.sync m16n8k8",
                         {NullKind::not_supported, "tf32 needs compute capability 8.0"},
                         measurements);
  }
  if (device.cc() == 75) {
    measurements.note("mma",
                      "TU11x (GTX 16xx) is 7.5 too and has no tensor cores: there the "
                      "instruction runs on other units");
  }
  return measurements;
}

}  // namespace assay
