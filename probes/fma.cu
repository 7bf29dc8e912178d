// SPDX-License-Identifier: Apache-2.0
// How many fused multiply-adds does the device do per second, and per clock and SM?
#include <string>

#include <cuda_fp16.h>

#include "probes/fma_shape.h"
#include "probes/harness/probe.h"
#include "probes/looped_work.h"

namespace assay {

namespace {

/// a = a * b + a with a small b of either sign: a drifts by a factor near 1 per step, so that it
/// neither settles nor overflows within a call and every step has new operands. Two register
/// sources, not three: on an H200 DFMA with a third one reads 118 of 128 FLOP per clock and SM,
/// with two 128; the register file's ports would set the pace, not the pipe.
template <typename Real>
__global__ void __launch_bounds__(kFmaShape<Real>.threads)
    fma_loop(const float* operands, float* results, int trips) {
  constexpr FmaShape kShape = kFmaShape<Real>;
  const int threads = static_cast<int>(gridDim.x) * kShape.threads;
  const int thread = static_cast<int>(blockIdx.x) * kShape.threads + static_cast<int>(threadIdx.x);
  Real a[kShape.chains];
#pragma unroll
  for (int chain = 0; chain < kShape.chains; ++chain) {
    a[chain] = operands[chain * threads + thread];
  }
  const Real b = Real(operands[kShape.chains * threads + thread]) * Real(0x1p-16);
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int step = 0; step < kShape.steps; ++step) {
#pragma unroll
      for (int chain = 0; chain < kShape.chains; ++chain) {
        a[chain] = fma(a[chain], b, a[chain]);
      }
    }
  }
  // Every chain is consumed, unconditionally; one store a thread keeps a call's memory traffic out
  // of its time.
  Real sum = 0;
#pragma unroll
  for (int chain = 0; chain < kShape.chains; ++chain) {
    sum += a[chain];
  }
  results[thread] = static_cast<float>(sum);
}

/// x = x * x + c in both halves, each with its own c in [-1.875, -1.5]: bounded by 2 and chaotic,
/// so that nothing settles, overflows or fades, and the multiplier is another in every step. (A
/// small b as above would be lost in a half's 11 bits.)
template <>
__global__ void __launch_bounds__(kFmaShape<HalfPair>.threads) fma_loop<HalfPair>(
    const float* operands, float* results, int trips) {
  constexpr FmaShape kShape = kFmaShape<HalfPair>;
  const int threads = static_cast<int>(gridDim.x) * kShape.threads;
  const int thread = static_cast<int>(blockIdx.x) * kShape.threads + static_cast<int>(threadIdx.x);
  __half2 x[kShape.chains];
#pragma unroll
  for (int chain = 0; chain < kShape.chains; ++chain) {
    const float start = operands[chain * threads + thread];
    x[chain] = __floats2half2_rn(start, 0.75F * start + 0.125F);
  }
  const float shift = 0.1875F * operands[kShape.chains * threads + thread];
  const __half2 c = __floats2half2_rn(-1.6875F + shift, -1.6875F - shift);
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int step = 0; step < kShape.steps; ++step) {
#pragma unroll
      for (int chain = 0; chain < kShape.chains; ++chain) {
        x[chain] = __hfma2(x[chain], x[chain], c);
      }
    }
  }
  float sum = 0.0F;
#pragma unroll
  for (int chain = 0; chain < kShape.chains; ++chain) {
    sum += __low2float(x[chain]) + 0.5F * __high2float(x[chain]);
  }
  results[thread] = sum;
}

template <typename Real>
LoopedWork fma_work(int blocks, const DeviceBuffer<float>& operands,
                    const DeviceBuffer<float>& results) {
  const auto launch = [blocks, in = operands.data(), out = results.data()](cudaStream_t stream,
                                                                           int trips) {
    fma_loop<Real><<<blocks, kFmaShape<Real>.threads, 0, stream>>>(in, out, trips);
    ASSAY_CUDA(cudaGetLastError());
  };
  return {launch, [blocks](int trips) { return kFmaShape<Real>.flops_per_call(blocks, trips); }};
}

template <typename Real>
void measure_fma(const Device& device, const std::string& name, const std::string& kernel,
                 Measurements& measurements) {
  constexpr FmaShape kShape = kFmaShape<Real>;
  const int blocks = device.sm_count();
  const auto threads = static_cast<std::size_t>(blocks) * kShape.threads;
  const DeviceBuffer<float> operands((kShape.chains + 1) * threads);
  DeviceBuffer<float> results(threads);
  const Stream stream = make_stream();
  fill_random_floats(operands.data(), operands.size(), 0xf3a + sizeof(Real), stream.get());
  results.clear();
  // The timer's streams do not wait for the stream that clears.
  ASSAY_CUDA(cudaDeviceSynchronize());

  const LoopedWork work = fma_work<Real>(blocks, operands, results);
  const TwoTimings timings =
      time_twice(device, work, trips_for(work), {.target_span_s = 3e-3, .samples = 5});
  check_results(results, false, "fma " + name);
  measurements.add(name == "hfma2" ? name : "fma_" + name,
                   rate(timings.twice, work.flops(2 * timings.trips), Unit::tflop_per_s,
                        "wall slope; " + kernel));
  measurements.add("fma_per_clock." + name,
                   rate_per_clock(timings.twice, work.flops(2 * timings.trips), device.sm_count(),
                                  Unit::flop_per_clock_per_sm, "clock64 slope; " + kernel));
  measurements.add("fma_scaling." + name,
                   scaling(timings.once, timings.twice,
                           "clock64 slope of calls of 2N trips / of N trips; " + kernel));
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements measurements;
  const std::string kernel =
      "a = a * b + a in registers, 8 chains a thread, 32 warps an SM, random operands";
  measure_fma<float>(device, "f32", kernel, measurements);
  measure_fma<double>(device, "f64", kernel, measurements);
  measure_fma<HalfPair>(device, "hfma2",
                        "x = x * x + c in both halves of registers, 8 chains a thread, 32 warps an "
                        "SM, random operands",
                        measurements);
  return measurements;
}

}  // namespace assay
