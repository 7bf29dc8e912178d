// SPDX-License-Identifier: Apache-2.0
// How many bytes a second, and per clock, does each SM read from its L1 cache?
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "probes/harness/probe.h"
#include "probes/read_loop.cuh"

namespace assay {
namespace {

/// Launch, first touch and end of a call are 4000 clocks: 0.07 % of the wide loads' calls, whose
/// rate is held against the nominal one.
constexpr double kCallClocks = 3e6;
constexpr double kWideCallClocks = 6e6;
constexpr double kBytesPerClock = 128.0;

/// One block an SM. All of them read the same set, each from its own L1. Sums are stored
/// unconditionally.
template <int kWidth>
__global__ void __launch_bounds__(kLoopThreads)
    read_l1(const std::uint32_t* set, Hops hops, int trips, std::uint32_t* sums) {
  const std::uint64_t mine = reinterpret_cast<std::uint64_t>(set + threadIdx.x * kWidth);
  const std::uint32_t sum = read_whole_trips<CachedGlobal, kWidth>(mine, hops, trips);
  sums[blockIdx.x * kLoopThreads + threadIdx.x] = sum;
}

/// The set and how it is read.
struct Sweep {
  explicit Sweep(const Device& device)
      : blocks(static_cast<unsigned>(device.sm_count())),
        // The L1 of 7.5 does not hold all of 64 KiB.
        second_half_words(device.cc() < 80 ? 0 : kHalfWords),
        set(2 * kHalfWords),
        sums(std::size_t{blocks} * kLoopThreads) {
    const Stream stream = make_stream();
    fill_random_words(set.data(), set.bytes(), 1, stream.get());
    ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  }
  std::uint64_t set_bytes() const { return kHalfBytes + second_half_words * sizeof(std::uint32_t); }
  Hops hops() const {
    const int bytes = static_cast<int>(second_half_words * sizeof(std::uint32_t));
    return {bytes, -bytes};
  }
  double call_bytes(int trips) const { return static_cast<double>(kTripBytes) * blocks * trips; }

  unsigned blocks;
  std::uint32_t second_half_words;
  DeviceBuffer<std::uint32_t> set, sums;
};

template <int kWidth>
int trips_per_call() {
  return trips_of(kWidth == 4 ? kWideCallClocks : kCallClocks, kBytesPerClock);
}

template <int kWidth>
void check(const Sweep& sweep) {
  const std::vector<std::uint32_t> set = sweep.set.download(), sums = sweep.sums.download();
  for (std::uint32_t thread = 0; thread < kLoopThreads; ++thread) {
    const std::uint32_t first = thread * kWidth;
    const std::uint32_t want =
        expected_sum(set, first, first + sweep.second_half_words, kWidth, trips_per_call<kWidth>());
    for (unsigned block = 0; block < sweep.blocks; ++block) {
      if (sums[std::size_t{block} * kLoopThreads + thread] != want) {
        throw WrongResult("L1 read: thread " + std::to_string(thread) + " of block " +
                          std::to_string(block) + " did not read what lies in memory");
      }
    }
  }
}

std::string method(int bytes, const Sweep& sweep) {
  return std::to_string(bytes) +
         " B ld.global.ca, all of a trip in flight, 1024 threads per SM, set of " +
         std::to_string(sweep.set_bytes() / 1024) + " KiB in every L1, no shared memory carved out";
}

template <int kWidth>
void measure(const Device& device, const Sweep& sweep, Measurements& facts) {
  ASSAY_CUDA(cudaFuncSetAttribute(read_l1<kWidth>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxL1));
  SlopeOptions options;
  options.samples = device.level() == Level::quick ? 7 : 31;
  options.target_span_s = 3e-3;
  const int trips = trips_per_call<kWidth>();
  const Timing timing = time_slope(
      device,
      [&](cudaStream_t stream) {
        read_l1<kWidth><<<sweep.blocks, kLoopThreads, 0, stream>>>(sweep.set.data(), sweep.hops(),
                                                                   trips, sweep.sums.data());
        ASSAY_CUDA(cudaGetLastError());
      },
      options);
  check<kWidth>(sweep);
  constexpr int kBytes = 4 * kWidth;
  const std::string key = "read_" + std::to_string(kBytes) + "B";
  facts.add("l1_bw." + key,
            rate(timing, sweep.call_bytes(trips), Unit::gb_per_s, method(kBytes, sweep)));
  facts.add("l1_per_clock." + key,
            rate_per_clock(timing, sweep.call_bytes(trips), device.sm_count(),
                           Unit::bytes_per_clock_per_sm, method(kBytes, sweep)));
}

}  // namespace

Measurements run_probe(const Device& device) {
  const Sweep sweep(device);
  Measurements facts;
  measure<1>(device, sweep, facts);
  measure<2>(device, sweep, facts);
  measure<4>(device, sweep, facts);
  return facts;
}

}  // namespace assay
