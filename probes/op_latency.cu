// SPDX-License-Identifier: Apache-2.0
// After how many cycles can an instruction use the result of the one before?
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "probes/chase_session.h"
#include "probes/harness/device_clock.cuh"
#include "probes/latency_parts.h"
#include "probes/op_chain_shape.h"

namespace assay {
namespace {

constexpr int kRounds = 256;
constexpr int kMaxRuns = 64;
constexpr int kWarpLanes = 32;
constexpr int kOperands = 6;  ///< of the instruction with most registers

/// What one warp reads and leaves in a run.
struct OpRun {
  std::uint64_t short_cycles;
  std::uint64_t long_cycles;
};
struct OpLog {
  std::uint32_t runs;
  OpRun run[kMaxRuns];
  float counts[kWarpLanes];  ///< by lane, from the last run
};

// Each op counts its own executions: it adds 1 through a product with 1, both read from memory. So
// the result proves that the chain ran, step by step. The compiler knows neither operand.

struct Ffma {
  float sum = 0.0f, one;
  __device__ explicit Ffma(const float* ones) : one(*ones) {}
  __device__ void step() { asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(sum) : "f"(one)); }
  __device__ float count() const { return sum; }
};

struct Dfma {
  double sum = 0.0, one;
  __device__ explicit Dfma(const float* ones) : one(static_cast<double>(*ones)) {}
  __device__ void step() { asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(sum) : "d"(one)); }
  __device__ float count() const { return static_cast<float>(sum); }
};

struct Imad {
  std::uint32_t sum = 0, one;
  __device__ explicit Imad(const float* ones) : one(static_cast<std::uint32_t>(*ones)) {}
  __device__ void step() { asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(sum) : "r"(one)); }
  __device__ float count() const { return static_cast<float>(sum); }
};

/// Halves count to 2048 only: the lower one stops there, the upper one, whose factor is -1, goes
/// between 0 and 1.
struct Hfma2 {
  std::uint32_t sum = 0, factors, ones;
  __device__ explicit Hfma2(const float* ones_at)
      : factors(pack(*ones_at, -*ones_at)), ones(pack(*ones_at, *ones_at)) {}
  __device__ static std::uint32_t pack(float low, float high) {
    return static_cast<std::uint32_t>(__half_as_ushort(__float2half_rn(low))) |
           (static_cast<std::uint32_t>(__half_as_ushort(__float2half_rn(high))) << 16);
  }
  __device__ static float unpack(std::uint32_t bits) {
    return __half2float(__ushort_as_half(static_cast<unsigned short>(bits & 0xffffu)));
  }
  __device__ void step() {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(sum) : "r"(factors), "r"(ones));
  }
  __device__ float count() const { return unpack(sum) + 4096.0f * unpack(sum >> 16); }
};

/// Rows of ones times columns of sixteenths: each step adds 1 to every element. Each register is
/// loaded for itself: one that stands in two places would be moved there before each step.
struct HmmaF16 {
  float d[4] = {};
  std::uint32_t a[4], b[2];
  __device__ explicit HmmaF16(const float* ones) {
#pragma unroll
    for (int i = 0; i < kOperands; ++i) {
      const float one = ones[i * kWarpLanes];
      if (i < 4) {
        a[i] = Hfma2::pack(one, one);
      } else {
        b[i - 4] = Hfma2::pack(one / 16.0f, one / 16.0f);
      }
    }
  }
  __device__ void step() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    __trap();  // never launched: the probe states that the shape needs 8.0
#endif
  }
  /// -1 unless all elements agree.
  __device__ float count() const {
    return d[0] == d[1] && d[0] == d[2] && d[0] == d[3] ? d[0] : -1.0f;
  }
};

template <int kLength, typename Op>
__device__ void run_chain(Op& op, int rounds) {
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kLength; ++i) op.step();
  }
}

/// For one warp; `ones` holds kOperands ones for each lane.
template <typename Op>
__global__ void op_chain(const float* ones, int rounds, OpLog* log) {
  Op op(ones + threadIdx.x);
  const std::uint64_t start = read_sm_clock();
  run_chain<kShortChain>(op, rounds);
  const std::uint64_t middle = read_sm_clock();
  run_chain<kLongChain>(op, rounds);
  const std::uint64_t end = read_sm_clock();
  log->counts[threadIdx.x] = op.count();
  if (threadIdx.x == 0) {
    if (log->runs < kMaxRuns) log->run[log->runs] = {middle - start, end - middle};
    ++log->runs;
  }
}

void check_counts(const OpLog& log, const std::string& key, float expected) {
  for (const float count : log.counts) {
    if (!(count == expected)) {
      throw WrongResult("the chain of " + key + " counted " + std::to_string(count) +
                        " instead of " + std::to_string(expected));
    }
  }
}

/// The first run is left out: it brought in the code.
std::vector<double> samples_of(const OpLog& log) {
  std::vector<double> samples;
  for (std::uint32_t i = 1; i < std::min(log.runs, std::uint32_t{kMaxRuns}); ++i) {
    samples.push_back(cycles_per_op(static_cast<double>(log.run[i].short_cycles),
                                    static_cast<double>(log.run[i].long_cycles), kRounds));
  }
  return samples;
}

std::string op_method(const std::string& instruction) {
  return "one warp, each " + instruction +
         " waits for the one before; clock64 of a loop of 192 less that of a loop of 64";
}

template <typename Op>
void measure_op(Session& session, const std::string& key, const std::string& instruction,
                float expected) {
  DeviceBuffer<float> ones(kOperands * kWarpLanes);
  ones.upload(std::vector<float>(kOperands * kWarpLanes, 1.0f));
  DeviceBuffer<OpLog> device_log(1);
  device_log.clear();
  ASSAY_CUDA(cudaDeviceSynchronize());
  const Timing timing = watch(
      session.device,
      [&](cudaStream_t stream) {
        op_chain<Op><<<1, kWarpLanes, 0, stream>>>(ones.data(), kRounds, device_log.data());
        ASSAY_CUDA(cudaGetLastError());
      },
      chase_runs(session.device.level()));
  const OpLog log = device_log.download().front();
  check_counts(log, key, expected);
  session.facts.add("op_latency." + key,
                    sampled(timing, samples_of(log), Unit::cycles, op_method(instruction)));
}

}  // namespace

void measure_op_latencies(Session& session) {
  constexpr auto kOps = static_cast<float>(ops_per_run(kRounds));
  constexpr float kHalfCount = 2048.0f;  // an even number of steps ends with 0 in the upper half
  static_assert(ops_per_run(kRounds) > 2048 && ops_per_run(kRounds) % 2 == 0);
  static_assert(ops_per_run(kRounds) < 1 << 24, "a float counts that far");
  measure_op<Ffma>(session, "ffma", "fma.rn.f32", kOps);
  measure_op<Dfma>(session, "dfma", "fma.rn.f64", kOps);
  measure_op<Hfma2>(session, "hfma2", "fma.rn.f16x2", kHalfCount);
  measure_op<Imad>(session, "imad", "mad.lo.u32", kOps);
  const std::string mma = "mma.sync m16n8k16 f16 to f32, through its accumulators,";
  if (session.device.cc() < 80) {
    session.facts.add("op_latency.hmma_f16",
                      absent(Unit::cycles, op_method(mma),
                             {NullKind::not_supported, "mma.sync m16n8k16 needs 8.0"}));
    return;
  }
  measure_op<HmmaF16>(session, "hmma_f16", mma, kOps);
}

}  // namespace assay
