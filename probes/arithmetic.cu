// SPDX-License-Identifier: Apache-2.0
// How many 32-bit integer instructions does the device do per second, and per clock and SM?
#include <string>

#include "probes/fma_shape.h"
#include "probes/harness/probe.h"
#include "probes/looped_work.h"

namespace assay {

namespace {

enum class IntegerOp { imad, iadd, lop3 };

/// The next of a thread's values, from itself and its two neighbours. Each step can be undone, so
/// that the values never collapse, and each is used by three others, so that ptxas cannot make one
/// instruction of two. Three terms: a sum of two is turned into a multiply-add on some chips.
template <IntegerOp kOp>
__device__ inline std::uint32_t advance(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  if constexpr (kOp == IntegerOp::imad) {
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(y), "r"(z));
    return x;
  } else if constexpr (kOp == IntegerOp::iadd) {
    asm volatile("{ .reg .u32 t; add.u32 t, %1, %2; add.u32 %0, %0, t; }"
                 : "+r"(x)
                 : "r"(y), "r"(z));
    return x;
  } else {
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x1e;" : "+r"(x) : "r"(y), "r"(z));  // x ^ (y | z)
    return x;
  }
}

/// Of a multiply-add the factor stays: odd, so that the step can be undone.
template <IntegerOp kOp>
__global__ void __launch_bounds__(kIntegerShape.threads)
    integer_loop(const std::uint32_t* operands, float* results, int trips) {
  constexpr int kChains = kIntegerShape.chains;
  const int threads = static_cast<int>(gridDim.x) * kIntegerShape.threads;
  const int thread =
      static_cast<int>(blockIdx.x) * kIntegerShape.threads + static_cast<int>(threadIdx.x);
  std::uint32_t x[kChains];
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) {
    x[chain] = operands[chain * threads + thread];
  }
  const std::uint32_t factor = operands[kChains * threads + thread] | 1U;
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int step = 0; step < kIntegerShape.steps; ++step) {
#pragma unroll
      for (int chain = 0; chain < kChains; ++chain) {
        const std::uint32_t next = x[(chain + 1) % kChains];
        x[chain] = kOp == IntegerOp::imad ? advance<kOp>(x[chain], factor, next)
                                          : advance<kOp>(x[chain], next, x[(chain + 2) % kChains]);
      }
    }
  }
  std::uint32_t sum = 0;
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) {
    sum += x[chain];
  }
  results[thread] = static_cast<float>(sum);
}

template <IntegerOp kOp>
void measure(const Device& device, const std::string& name, const std::string& opcode,
             Measurements& measurements) {
  const int blocks = device.sm_count();
  const auto threads = static_cast<std::size_t>(blocks) * kIntegerShape.threads;
  const DeviceBuffer<std::uint32_t> operands((kIntegerShape.chains + 1) * threads);
  DeviceBuffer<float> results(threads);
  const Stream stream = make_stream();
  fill_random_words(operands.data(), operands.bytes(), 0x1a7, stream.get());
  results.clear();
  // The timer's streams do not wait for the stream that clears.
  ASSAY_CUDA(cudaDeviceSynchronize());

  const auto launch = [blocks, in = operands.data(), out = results.data()](cudaStream_t at,
                                                                           int trips) {
    integer_loop<kOp><<<blocks, kIntegerShape.threads, 0, at>>>(in, out, trips);
    ASSAY_CUDA(cudaGetLastError());
  };
  const LoopedWork work{launch, [blocks](int trips) { return integer_operations(blocks, trips); }};
  const int trips = 2 * trips_for(work);
  const Timing timing = time_trips(device, work, trips, {.target_span_s = 3e-3, .samples = 5});
  check_results(results, false, "integer " + name);
  const std::string kernel =
      opcode + ", one instruction is one operation, 8 chains a thread, 32 warps an SM";
  measurements.add("int_rate." + name,
                   rate(timing, work.flops(trips), Unit::gop_per_s, "wall slope; " + kernel));
  measurements.add("int_per_clock." + name,
                   rate_per_clock(timing, work.flops(trips), device.sm_count(),
                                  Unit::flop_per_clock_per_sm, "clock64 slope; " + kernel));
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements measurements;
  measure<IntegerOp::imad>(device, "imad", "IMAD (32 bits, low half)", measurements);
  measure<IntegerOp::iadd>(device, "iadd", "IADD3 (a + b + c)", measurements);
  measure<IntegerOp::lop3>(device, "lop3", "LOP3 (any function of three words)", measurements);
  return measurements;
}

}  // namespace assay
