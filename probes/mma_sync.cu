// SPDX-License-Identifier: Apache-2.0
// How fast are the tensor cores through mma.sync, the instruction that every generation has?
#include <string>

#include "probes/harness/probe.h"
#include "probes/looped_work.h"
#include "probes/mma_fragments.cuh"
#include "probes/mma_keys.h"
#include "probes/mma_rates.h"

namespace assay {

namespace {

/// Room for any kind's operands of a warp: 32 rows of A and 32 columns of B, 32 elements along k.
constexpr int kSide = 32;
constexpr int kOperandsPerWarp = 2 * kSide * kSide;

/// Operands are random in [-1, 1), int8 over its whole range.
template <MmaKind kKind>
inline constexpr float kScale = kKind == MmaKind::s8_s32 ? 127.0F : 1.0F;

/// The emulated e4m3 is conversions and two HMMA from a zero accumulator, then an addition: with
/// operands that do not change, ptxas moves all but the addition out of the loop, and the loop
/// reads twice the rate of the HMMA that it claims. So there A's signs change at random with every
/// step.
template <MmaKind kKind>
__device__ void vary([[maybe_unused]] WarpBlock<kKind>& block,
                     [[maybe_unused]] std::uint32_t& random) {
  if constexpr (mma_sync_is_emulated(kKind, kMmaArch)) {
    random = random * 1664525U + 1013904223U;
#pragma unroll
    for (auto& fragment : block.a) {
#pragma unroll
      for (auto& word : fragment) {
        word ^= random & 0x80808080U;
      }
    }
  }
}

template <MmaKind kKind>
__global__ void __launch_bounds__(mma_threads(kKind))
    mma_loop(const float* operands, float* results, int trips, std::uint32_t random) {
  constexpr int kThreads = mma_threads(kKind);
  const int warp =
      static_cast<int>(blockIdx.x) * (kThreads / 32) + static_cast<int>(threadIdx.x) / 32;
  const float* a = operands + warp * kOperandsPerWarp;
  const float* b = a + kSide * kSide;
  WarpBlock<kKind> block;
  load_operands(
      block, [a](int row, int k) { return kScale<kKind> * a[row * kSide + k]; },
      [b](int k, int col) { return kScale<kKind> * b[k * kSide + col]; });
  clear_accumulators(block);
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int step = 0; step < kMmaStepsPerTrip; ++step) {
      multiply(block);
      vary(block, random);
    }
  }
  // Every accumulator is consumed, unconditionally; one store a thread keeps a call's memory
  // traffic out of its time.
  float sum = 0.0F;
  store_accumulators(block, [&sum](int, int, double value) { sum += static_cast<float>(value); });
  results[blockIdx.x * kThreads + threadIdx.x] = sum;
}

template <MmaKind kKind>
LoopedWork mma_work(const Device& device, const DeviceBuffer<float>& operands,
                    const DeviceBuffer<float>& results) {
  const int blocks = device.sm_count();
  const auto launch = [blocks, in = operands.data(), out = results.data()](cudaStream_t stream,
                                                                           int trips) {
    mma_loop<kKind><<<blocks, mma_threads(kKind), 0, stream>>>(in, out, trips, 0x51605);
    ASSAY_CUDA(cudaGetLastError());
  };
  return {launch, [blocks, cc = device.cc()](int trips) {
            return mma_sync_flops_per_call(kKind, cc, blocks, trips);
          }};
}

template <MmaKind kKind>
void measure(const Device& device, Thoroughness thoroughness, Measurements& measurements) {
  const std::string key = mma_sync_key(kKind, device.cc());
  const std::string kernel = mma_sync_text(kKind, device.cc()) +
                             ", operands in registers, 8 accumulators a warp, " +
                             std::to_string(mma_threads(kKind) / 32) + " warps an SM";
  if (device.cc() < mma_sync_least_cc(kKind)) {
    add_absent_mma_rates(key, kernel, mma_sync_absence(kKind), measurements);
    return;
  }
  const auto threads = static_cast<std::size_t>(device.sm_count()) * mma_threads(kKind);
  DeviceBuffer<float> operands(threads / 32 * kOperandsPerWarp);
  DeviceBuffer<float> results(threads);
  const MmaPath path{key, kernel, mma_work<kKind>(device, operands, results),
                     [&operands] { randomize(operands); }, [&operands] { operands.clear(); }};
  measure_mma_rates(device, path, thoroughness, results, measurements);
}

void add_tcgen05(Measurements& measurements) {
  const NullReason reason{NullKind::not_supported, "the tcgen05 path is not written"};
  measurements.add("mma.tcgen05_f16_f32", absent(Unit::tflop_per_s, "tcgen05.mma", reason));
  measurements.add("mma_per_clock.tcgen05_f16_f32",
                   absent(Unit::flop_per_clock_per_sm, "tcgen05.mma", reason));
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements measurements;
  measure<MmaKind::f16_f32>(device, Thoroughness::main, measurements);
  measure<MmaKind::tf32_f32>(device, Thoroughness::main, measurements);
  measure<MmaKind::bf16_f32>(device, Thoroughness::further, measurements);
  measure<MmaKind::f16_f16>(device, Thoroughness::further, measurements);
  measure<MmaKind::s8_s32>(device, Thoroughness::further, measurements);
  measure<MmaKind::f64_f64>(device, Thoroughness::further, measurements);
  measure<MmaKind::e4m3_f32>(device, Thoroughness::further, measurements);
  measure<MmaKind::sparse>(device, Thoroughness::further, measurements);
  if (device.cc() / 10 == 10) {
    add_tcgen05(measurements);
  }
  if (device.cc() == 75) {
    measurements.note("mma",
                      "TU11x (GTX 16xx) is 7.5 too and has no tensor cores: there the "
                      "instruction runs on other units");
  }
  return measurements;
}

}  // namespace assay
