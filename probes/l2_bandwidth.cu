// SPDX-License-Identifier: Apache-2.0
// How many bytes a second pass between the SMs and the L2 cache, reading and writing, and up to
// which size of the set?
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "probes/harness/probe.h"
#include "probes/memory_plan.h"
#include "probes/scatter.h"
#include "probes/sweep.h"

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

/// Each block walks round the set from the phase of block `phased` x its number: its own, or by 0
/// that of all. `.cg` loads pass the L1 by. All that a thread loads is folded into one word, stored
/// when it equals `guard`, which is known at run time only.
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    read_l2(const uint4* set, std::uint32_t vectors, std::uint32_t steps, std::uint32_t phased,
            std::uint32_t guard, std::uint32_t* sink) {
  std::uint32_t at = start_vector(phased * blockIdx.x, gridDim.x, threadIdx.x, vectors);
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

/// Sets in device memory, one behind the other, and how far one is walked; a walk may keep to the
/// front part of it.
struct Sweep {
  Sweep(const Device& device, std::uint64_t set_bytes, std::uint32_t places = 1)
      : set(places * (set_bytes / sizeof(uint4))),
        vectors(static_cast<std::uint32_t>(set_bytes / sizeof(uint4))),
        sink(1),
        blocks(static_cast<std::uint32_t>(device.sm_count() * kBlocksPerSm)),
        read_steps(steps_per_block(set_bytes, kStepBytes, blocks, kReadPasses)),
        write_steps(steps_per_block(set_bytes, kStepBytes, blocks, kWritePasses)) {
    const Stream stream = make_stream();
    fill_random_words(set.data(), set.bytes(), 1, stream.get());
    ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  }

  double call_bytes(std::uint32_t steps) const {
    return static_cast<double>(kStepBytes * blocks * steps);
  }

  DeviceBuffer<uint4> set;
  std::uint32_t vectors;  ///< of one set
  DeviceBuffer<std::uint32_t> sink;
  std::uint32_t blocks, read_steps, write_steps;
};

constexpr std::uint32_t kGuard = 0x5eed1234u;

/// Whether each block starts at its own place or all at one.
enum class Phases : std::uint32_t { one = 0, own = 1 };

struct Walk {
  std::uint32_t vectors;
  std::uint32_t steps;
  Phases phases;
  std::uint32_t first = 0;  ///< vector at which the set starts
};

void enqueue_read(const Sweep& sweep, const Walk& walk, std::uint32_t guard, cudaStream_t stream) {
  read_l2<<<sweep.blocks, kThreads, 0, stream>>>(
      sweep.set.data() + walk.first, walk.vectors, walk.steps,
      static_cast<std::uint32_t>(walk.phases), guard, sweep.sink.data());
  ASSAY_CUDA(cudaGetLastError());
}

void enqueue_write(const Sweep& sweep, cudaStream_t stream) {
  write_l2<<<sweep.blocks, kThreads, 0, stream>>>(sweep.set.data(), sweep.vectors,
                                                  sweep.write_steps);
  ASSAY_CUDA(cudaGetLastError());
}

/// The word at which the last thread of the last block must arrive.
std::uint32_t expected_word(const Sweep& sweep, const Walk& walk, const std::vector<uint4>& set) {
  const std::uint32_t block = static_cast<std::uint32_t>(walk.phases) * (sweep.blocks - 1);
  std::uint32_t at = start_vector(block, sweep.blocks, kThreads - 1, walk.vectors);
  std::uint32_t seen = 0;
  for (std::uint32_t load = 0; load < walk.steps * kInFlight; ++load) {
    seen ^= fold(set[walk.first + at]);
    at = wrapped(at, kThreads, walk.vectors);
  }
  return seen;
}

/// Proves that the guard hangs on every load: given the right word, the kernel has to report it.
/// Runs before the timing and so also brings the set into the L2.
void check_read(const Sweep& sweep, const Walk& walk, const std::vector<uint4>& set) {
  const Stream stream = make_stream();
  const std::uint32_t expected = expected_word(sweep, walk, set);
  const int other = static_cast<int>(~expected & 0xff);
  ASSAY_CUDA(cudaMemsetAsync(sweep.sink.data(), other, sizeof expected, stream.get()));
  enqueue_read(sweep, walk, expected, stream.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  if (sweep.sink.download().front() != expected) {
    throw WrongResult("L2 read: the last thread did not read what lies in memory");
  }
}

void check_write(const Sweep& sweep) {
  const auto set = sweep.set.download();
  for (std::uint32_t i = 0; i < sweep.vectors; ++i) {
    const uint4 want = pattern(i);
    if (set[i].x != want.x || set[i].y != want.y || set[i].z != want.z || set[i].w != want.w) {
      throw WrongResult("L2 write is wrong at vector " + std::to_string(i));
    }
  }
}

constexpr const char* kReadMethod =
    "16 B ld.global.cg, 4 in flight per thread, 2 x 512 threads per SM, each block from its own "
    "phase round a set of a quarter of the L2; five such sets";
constexpr const char* kWriteMethod =
    "16 B st.global.cg, 2 x 512 threads per SM, each block from its own phase round a set of a "
    "quarter of the L2";
constexpr const char* kSharedMethod =
    "as read, but all blocks walk round the same set from the same phase, so that requests for one "
    "line may be merged on the way";
constexpr const char* kSetMethod = "L2 size / 4, within 512 KiB to 16 MiB";
constexpr const char* kKneeMethod =
    "size of the set at which read, as above, falls below half way between an eighth of the L2 and "
    "four times the L2; sizes 2^(1/4) apart, interpolated";
constexpr const char* kPartitionMethod = "read of lines on one side of a divided L2";

/// Atomics can tell which lines are at home on which side (latency_l2_partitions.cu), but a loop of
/// loads cannot keep to them: its first pass leaves copies of the far side's lines in the near one,
/// and atomics that took them home again between the passes would be what is timed.
void add_partition_facts(Measurements& out) {
  const NullReason reason{
      NullKind::not_available,
      "reads leave copies of far lines in the near partition: a steady read is near "
      "wherever its lines are at home"};
  out.add("l2_bw.read_near", absent(Unit::gb_per_s, kPartitionMethod, reason));
  out.add("l2_bw.read_far", absent(Unit::gb_per_s, kPartitionMethod, reason));
}

Measurements nothing_available(Level level) {
  Measurements out;
  const NullReason reason{NullKind::not_available, "the driver states no L2 size"};
  out.add("l2_bw.read", absent(Unit::gb_per_s, kReadMethod, reason));
  out.add("l2_bw.read_shared_buffer", absent(Unit::gb_per_s, kSharedMethod, reason));
  out.add("l2_bw.write", absent(Unit::gb_per_s, kWriteMethod, reason));
  out.add("l2_bw.working_set_bytes", absent(Unit::bytes, kSetMethod, reason));
  if (level == Level::full) {
    out.add("l2_bw.capacity_knee_bytes", absent(Unit::bytes, kKneeMethod, reason));
    add_partition_facts(out);
  }
  return out;
}

SlopeOptions slope_options(Level level) {
  SlopeOptions options;
  options.samples = level == Level::quick ? 11 : 41;
  return options;
}

/// How an address is spread over the slices changes with the page: one set's rate is up to 0.8 %
/// away from that of the same set in another process. So the rate is that of several places.
constexpr std::uint32_t kPlaces = 5;

SlopeOptions read_options(Level level) {
  SlopeOptions options;
  options.samples = level == Level::quick ? 3 : 9;
  return options;
}

Fact measure_read(const Device& device, const Sweep& sweep, const std::vector<uint4>& set,
                  Phases phases, const char* method) {
  std::vector<Timing> places;
  for (std::uint32_t place = 0; place < kPlaces; ++place) {
    const Walk walk{sweep.vectors, sweep.read_steps, phases, place * sweep.vectors};
    check_read(sweep, walk, set);
    places.push_back(time_slope(
        device, [&](cudaStream_t stream) { enqueue_read(sweep, walk, kGuard, stream); },
        read_options(device.level())));
  }
  return rate(join(places), sweep.call_bytes(sweep.read_steps), Unit::gb_per_s, method);
}

Fact measure_write(const Device& device, const Sweep& sweep) {
  const Timing timing = time_slope(
      device, [&](cudaStream_t stream) { enqueue_write(sweep, stream); },
      slope_options(device.level()));
  check_write(sweep);
  return rate(timing, sweep.call_bytes(sweep.write_steps), Unit::gb_per_s, kWriteMethod);
}

/// Sizes of the set, in quarter octaves from an eighth of the L2 to four times the L2.
std::vector<std::uint64_t> knee_sizes(std::uint64_t l2_bytes) {
  constexpr int kQuarterOctaves = 20;
  constexpr std::uint64_t kPage = 4096;
  std::vector<std::uint64_t> sizes;
  for (int i = 0; i <= kQuarterOctaves; ++i) {
    const double bytes = static_cast<double>(l2_bytes) / 8.0 * std::exp2(i / 4.0);
    sizes.push_back(std::max(static_cast<std::uint64_t>(bytes) / kPage, std::uint64_t{4}) * kPage);
  }
  return sizes;
}

Timing time_part(const Device& device, const Sweep& sweep, const Walk& walk) {
  SlopeOptions options;
  options.samples = 7;
  options.target_span_s = 3e-3;
  options.max_rel_spread = 0.1;  // a set that half fits is read unevenly; one point decides little
  return time_slope(
      device, [&](cudaStream_t stream) { enqueue_read(sweep, walk, kGuard, stream); }, options);
}

Fact measure_knee(const Device& device) {
  constexpr std::uint64_t kCallBytes = std::uint64_t{1} << 30;
  const std::vector<std::uint64_t> sizes = knee_sizes(device.l2_bytes());
  if (2 * sizes.back() > device.free_bytes()) {
    return absent(Unit::bytes, kKneeMethod,
                  {NullKind::not_available, "free memory does not hold 4 x L2 twice"});
  }
  const Sweep sweep(device, sizes.back());
  std::vector<SizeRate> points;
  double clock_ghz = 0.0;
  for (const std::uint64_t bytes : sizes) {
    const auto passes = static_cast<std::uint32_t>((kCallBytes + bytes - 1) / bytes);
    const Walk walk{static_cast<std::uint32_t>(bytes / sizeof(uint4)),
                    steps_per_block(bytes, kStepBytes, sweep.blocks, passes), Phases::own};
    const Timing timing = time_part(device, sweep, walk);
    if (timing.spoiled) return absent(Unit::bytes, kKneeMethod, *timing.spoiled);
    clock_ghz = timing.clock_ghz;
    points.push_back({static_cast<double>(bytes), sweep.call_bytes(walk.steps) / timing.seconds});
  }
  const std::optional<double> knee = capacity_knee(points);
  if (knee) return derived(std::round(*knee), Unit::bytes, kKneeMethod, clock_ghz);
  return absent(Unit::bytes, kKneeMethod,
                {NullKind::not_available, "the rate does not fall by a tenth within 4 x L2"});
}

}  // namespace

Measurements run_probe(const Device& device) {
  const auto set_bytes = l2_set_bytes(device.l2_bytes());
  if (!set_bytes) return nothing_available(device.level());
  const Sweep sweep(device, *set_bytes, kPlaces);
  const std::vector<uint4> set = sweep.set.download();
  Measurements out;
  out.add("l2_bw.read", measure_read(device, sweep, set, Phases::own, kReadMethod));
  out.add("l2_bw.read_shared_buffer", measure_read(device, sweep, set, Phases::one, kSharedMethod));
  out.add("l2_bw.write", measure_write(device, sweep));
  out.add("l2_bw.working_set_bytes",
          derived(static_cast<double>(*set_bytes), Unit::bytes, kSetMethod));
  if (device.level() == Level::full) {
    out.add("l2_bw.capacity_knee_bytes", measure_knee(device));
    add_partition_facts(out);
  }
  return out;
}

}  // namespace assay
