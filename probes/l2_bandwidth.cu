// SPDX-License-Identifier: Apache-2.0
// How many bytes a second pass between the SMs and the L2 cache, reading and writing?
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "probes/harness/probe.h"
#include "probes/memory_plan.h"
#include "probes/scatter.h"

namespace assay {
namespace {

constexpr int kThreads = 512;
constexpr int kBlocksPerSm = 2;
constexpr int kInFlight = 4;
constexpr std::uint32_t kReadPasses = 256;
constexpr std::uint32_t kWritePasses = 128;
constexpr std::uint64_t kStepBytes = std::uint64_t{kThreads} * kInFlight * sizeof(uint4);

__host__ __device__ std::uint32_t fold(const uint4& v) {
  return v.x ^ v.y ^ v.z ^ v.w;
}

/// What the writing kernel stores at vector `i`, whichever block comes by.
__host__ __device__ uint4 pattern(std::uint32_t i) {
  return make_uint4(i, ~i, i * 0x9e3779b1u, i ^ 0x5eed1234u);
}

/// Where a thread starts: its lane within its block's phase.
__host__ __device__ std::uint32_t start_vector(std::uint32_t block, std::uint32_t blocks,
                                               std::uint32_t thread, std::uint32_t vectors) {
  return wrapped(first_vector(block, blocks, vectors), thread, vectors);
}

/// Each block walks round the set from its own phase. `.cg` loads pass the L1 by. All that a thread
/// loads is folded into one word, stored when it equals `guard`, which is known at run time only.
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    read_l2(const uint4* set, std::uint32_t vectors, std::uint32_t steps, std::uint32_t guard,
            std::uint32_t* sink) {
  std::uint32_t at = start_vector(blockIdx.x, gridDim.x, threadIdx.x, vectors);
  std::uint32_t seen = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
    uint4 v[kInFlight];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) {
      v[j] = __ldcg(set + at);
      at = wrapped(at, kThreads, vectors);
    }
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) seen ^= fold(v[j]);
  }
  if (seen == guard) *sink = seen;
}

__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    write_l2(uint4* set, std::uint32_t vectors, std::uint32_t steps) {
  std::uint32_t at = start_vector(blockIdx.x, gridDim.x, threadIdx.x, vectors);
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) {
      __stcg(set + at, pattern(at));
      at = wrapped(at, kThreads, vectors);
    }
  }
}

/// The set and how it is walked.
struct Sweep {
  Sweep(const Device& device, std::uint64_t set_bytes)
      : set(set_bytes / sizeof(uint4)),
        sink(1),
        blocks(static_cast<std::uint32_t>(device.sm_count() * kBlocksPerSm)),
        read_steps(steps_per_block(set_bytes, kStepBytes, blocks, kReadPasses)),
        write_steps(steps_per_block(set_bytes, kStepBytes, blocks, kWritePasses)) {}

  std::uint32_t vectors() const { return static_cast<std::uint32_t>(set.size()); }
  double call_bytes(std::uint32_t steps) const {
    return static_cast<double>(kStepBytes * blocks * steps);
  }

  DeviceBuffer<uint4> set;
  DeviceBuffer<std::uint32_t> sink;
  std::uint32_t blocks, read_steps, write_steps;
};

void enqueue_read(const Sweep& sweep, std::uint32_t guard, cudaStream_t stream) {
  read_l2<<<sweep.blocks, kThreads, 0, stream>>>(sweep.set.data(), sweep.vectors(),
                                                 sweep.read_steps, guard, sweep.sink.data());
  ASSAY_CUDA(cudaGetLastError());
}

void enqueue_write(const Sweep& sweep, cudaStream_t stream) {
  write_l2<<<sweep.blocks, kThreads, 0, stream>>>(sweep.set.data(), sweep.vectors(),
                                                  sweep.write_steps);
  ASSAY_CUDA(cudaGetLastError());
}

/// The word at which the last thread of the last block must arrive.
std::uint32_t expected_word(const Sweep& sweep, const std::vector<uint4>& set) {
  std::uint32_t at = start_vector(sweep.blocks - 1, sweep.blocks, kThreads - 1, sweep.vectors());
  std::uint32_t seen = 0;
  for (std::uint32_t load = 0; load < sweep.read_steps * kInFlight; ++load) {
    seen ^= fold(set[at]);
    at = wrapped(at, kThreads, sweep.vectors());
  }
  return seen;
}

/// Proves that the guard hangs on every load: given the right word, the kernel has to report it.
/// Runs before the timing and so also brings the set into the L2.
void check_read(const Sweep& sweep) {
  const Stream stream = make_stream();
  const std::uint32_t expected = expected_word(sweep, sweep.set.download());
  const int other = static_cast<int>(~expected & 0xff);
  ASSAY_CUDA(cudaMemsetAsync(sweep.sink.data(), other, sizeof expected, stream.get()));
  enqueue_read(sweep, expected, stream.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  if (sweep.sink.download().front() != expected) {
    throw WrongResult("L2 read: the last thread did not read what lies in memory");
  }
}

void check_write(const Sweep& sweep) {
  const auto set = sweep.set.download();
  for (std::uint32_t i = 0; i < sweep.vectors(); ++i) {
    const uint4 want = pattern(i);
    if (set[i].x != want.x || set[i].y != want.y || set[i].z != want.z || set[i].w != want.w) {
      throw WrongResult("L2 write is wrong at vector " + std::to_string(i));
    }
  }
}

constexpr const char* kReadMethod =
    "16 B ld.global.cg, 4 in flight per thread, 2 x 512 threads per SM, each block from its own "
    "phase round a set of a quarter of the L2";
constexpr const char* kWriteMethod =
    "16 B st.global.cg, 2 x 512 threads per SM, each block from its own phase round a set of a "
    "quarter of the L2";
constexpr const char* kSetMethod = "L2 size / 4, within 512 KiB to 16 MiB";

Measurements nothing_available() {
  Measurements out;
  const NullReason reason{NullKind::not_available, "the driver states no L2 size"};
  out.add("l2_bw.read", absent(Unit::gb_per_s, kReadMethod, reason));
  out.add("l2_bw.write", absent(Unit::gb_per_s, kWriteMethod, reason));
  out.add("l2_bw.working_set_bytes", absent(Unit::bytes, kSetMethod, reason));
  return out;
}

SlopeOptions slope_options(Level level) {
  SlopeOptions options;
  options.samples = level == Level::quick ? 11 : 41;
  return options;
}

Fact measure_read(const Device& device, const Sweep& sweep) {
  check_read(sweep);
  const std::uint32_t unlikely_guard = 0x5eed1234u;
  const Timing timing = time_slope(
      device, [&](cudaStream_t stream) { enqueue_read(sweep, unlikely_guard, stream); },
      slope_options(device.level()));
  return rate(timing, sweep.call_bytes(sweep.read_steps), Unit::gb_per_s, kReadMethod);
}

Fact measure_write(const Device& device, const Sweep& sweep) {
  const Timing timing = time_slope(
      device, [&](cudaStream_t stream) { enqueue_write(sweep, stream); },
      slope_options(device.level()));
  check_write(sweep);
  return rate(timing, sweep.call_bytes(sweep.write_steps), Unit::gb_per_s, kWriteMethod);
}

}  // namespace

Measurements run_probe(const Device& device) {
  const auto set_bytes = l2_set_bytes(device.l2_bytes());
  if (!set_bytes) return nothing_available();
  const Sweep sweep(device, *set_bytes);
  const Stream stream = make_stream();
  fill_random_words(sweep.set.data(), sweep.set.bytes(), 1, stream.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));

  Measurements out;
  out.add("l2_bw.read", measure_read(device, sweep));
  out.add("l2_bw.write", measure_write(device, sweep));
  out.add("l2_bw.working_set_bytes",
          derived(static_cast<double>(*set_bytes), Unit::bytes, kSetMethod));
  return out;
}

}  // namespace assay
