// SPDX-License-Identifier: Apache-2.0
// How many blocks does an SM hold, as the API says and as counted alive, and how many warps does a
// dependent chain of multiply-adds need to fill the pipe?
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/fma_chain.cuh"
#include "probes/harness/device_clock.cuh"
#include "probes/harness/probe.h"
#include "probes/looped_work.h"
#include "probes/residency.h"

namespace assay {
namespace {

constexpr int kRuns = 3;
constexpr double kAliveSeconds = 60e-6;
constexpr int kMoreBlocks = 2;     // per SM, beyond what the API says: more would show
constexpr unsigned kSlots = 1024;  // more SM ids than any device has
constexpr int kThreadsOfWideKernels = 256;
constexpr int kRegistersPerSm = 65536;
constexpr int kTrips = 300;  // about 0.3 ms while the chain's latency sets the pace

/// Blocks alive on each SM, and the most there ever were.
struct Census {
  unsigned live[kSlots];
  unsigned most[kSlots];
};

__device__ void stay_alive(Census* census, std::uint64_t cycles) {
  const unsigned sm = read_smid();
  const bool counts = threadIdx.x == 0 && sm < kSlots;
  if (counts) atomicMax(&census->most[sm], atomicAdd(&census->live[sm], 1u) + 1u);
  spin_for(cycles);
  __syncthreads();
  // Before the block gives its place away: a count can be too low for a moment, never too high.
  if (counts) atomicSub(&census->live[sm], 1u);
}

__global__ void __launch_bounds__(1024)
    narrow_kernel(Census* census, std::uint64_t cycles, std::uint32_t* /*words*/) {
  stay_alive(census, cycles);
}

/// Holds more words than `kRegisters` across the spin, so that the bound decides the registers.
template <int kRegisters>
__global__ void __launch_bounds__(kThreadsOfWideKernels,
                                  kRegistersPerSm / (kThreadsOfWideKernels * kRegisters))
    wide_kernel(Census* census, std::uint64_t cycles, std::uint32_t* words) {
  constexpr int kLive = kRegisters + 16;
  volatile std::uint32_t* mine = words + threadIdx.x;
  std::uint32_t held[kLive];
#pragma unroll
  for (int i = 0; i < kLive; ++i) held[i] = mine[i];
  stay_alive(census, cycles);
#pragma unroll
  for (int i = 0; i < kLive; ++i) mine[i] = held[i];
}

using CensusKernel = void (*)(Census*, std::uint64_t, std::uint32_t*);

struct Point {
  const char* key;
  int threads;
  int shared_bytes;
  CensusKernel kernel;
};

constexpr std::array kPoints{
    Point{"t32_s0", 32, 0, &narrow_kernel},
    Point{"t64_s0", 64, 0, &narrow_kernel},
    Point{"t128_s0", 128, 0, &narrow_kernel},
    Point{"t256_s0", 256, 0, &narrow_kernel},
    Point{"t512_s0", 512, 0, &narrow_kernel},
    Point{"t768_s0", 768, 0, &narrow_kernel},
    Point{"t1024_s0", 1024, 0, &narrow_kernel},
    Point{"t128_s8192", 128, 8192, &narrow_kernel},
    Point{"t256_s16384", 256, 16384, &narrow_kernel},
    Point{"t256_s32768", 256, 32768, &narrow_kernel},
    Point{"t256_s49152", 256, 49152, &narrow_kernel},
    Point{"t256_s98304", 256, 98304, &narrow_kernel},
    Point{"t256_s0_r64", kThreadsOfWideKernels, 0, &wide_kernel<64>},
    Point{"t256_s0_r128", kThreadsOfWideKernels, 0, &wide_kernel<128>},
    Point{"t256_s0_r255", kThreadsOfWideKernels, 0, &wide_kernel<255>},
};

/// The SM's shared memory all for blocks, none for the L1, so that the API and the launch mean the
/// same configuration.
template <typename Kernel>
void allow_shared_memory(Kernel* kernel, int bytes) {
  ASSAY_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared));
  ASSAY_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

int blocks_by_api(const Point& point) {
  int blocks = 0;
  ASSAY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, point.kernel, point.threads, static_cast<std::size_t>(point.shared_bytes)));
  return blocks;
}

/// The most blocks that were alive at once on one SM, of each run.
std::vector<double> most_alive(const DeviceBuffer<Census>& runs) {
  std::vector<double> most;
  const std::vector<Census> all = runs.download();
  for (std::size_t run = 1; run < all.size(); ++run) {  // the first one is watch()'s own
    most.push_back(*std::max_element(std::begin(all[run].most), std::end(all[run].most)));
  }
  return most;
}

Fact count_alive(const Device& device, const Point& point, int by_api,
                 DeviceBuffer<std::uint32_t>& words) {
  constexpr const char* kMethod =
      "most blocks alive at once on one SM, counted by the blocks themselves; two more a SM "
      "launched than the API says";
  DeviceBuffer<Census> runs(kRuns + 1);
  runs.clear();
  ASSAY_CUDA(cudaDeviceSynchronize());
  const int khz = std::max(device.attribute(cudaDevAttrClockRate), 1'000'000);
  const auto cycles = static_cast<std::uint64_t>(kAliveSeconds * 1e3 * khz);
  const int blocks = device.sm_count() * (by_api + kMoreBlocks);
  int run = 0;
  const Timing timing = watch(
      device,
      [&](cudaStream_t stream) {
        point.kernel<<<blocks, point.threads, point.shared_bytes, stream>>>(runs.data() + run++,
                                                                            cycles, words.data());
        ASSAY_CUDA(cudaGetLastError());
      },
      kRuns);
  const std::vector<double> most = most_alive(runs);
  const double value = *std::max_element(most.begin(), most.end());
  if (!(timing.clock_ghz > 0.0) || !(value > 0.0)) {
    return absent(Unit::count, kMethod, {NullKind::clock_lost, "no SM clock around the count"});
  }
  return measured(value, Unit::count, kMethod, timing.clock_ghz, most);
}

void add_point(const Device& device, const Point& point, DeviceBuffer<std::uint32_t>& words,
               Measurements& facts) {
  const std::string path = std::string("occupancy_blocks_per_sm.") + point.key;
  cudaFuncAttributes attributes{};
  ASSAY_CUDA(cudaFuncGetAttributes(&attributes, point.kernel));
  const std::string method = "cudaOccupancyMaxActiveBlocksPerMultiprocessor, " +
                             std::to_string(attributes.numRegs) + " registers a thread";
  if (point.shared_bytes > device.attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) {
    const NullReason reason{NullKind::not_supported, "a block cannot have that much shared memory"};
    facts.add(path, absent(Unit::count, method, reason));
    facts.add(path + "_alive", absent(Unit::count, method, reason));
    return;
  }
  allow_shared_memory(point.kernel, point.shared_bytes);
  const int by_api = blocks_by_api(point);
  facts.add(path, stated(std::int64_t{by_api}, Unit::count, method));
  facts.add(path + "_alive", count_alive(device, point, by_api, words));
}

// The knee.

SmLimits limits_of(const Device& device) {
  return {device.attribute(cudaDevAttrMaxThreadsPerMultiProcessor),
          device.attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
          device.attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          device.attribute(cudaDevAttrReservedSharedMemoryPerBlock)};
}

/// Throws WrongResult when the launch is not held to the blocks that it was made for.
void require_held(const Residency& residency) {
  allow_shared_memory(&fma_chain, residency.shared_bytes);
  int blocks = 0;
  ASSAY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, &fma_chain, residency.threads, static_cast<std::size_t>(residency.shared_bytes)));
  if (blocks != residency.blocks) {
    throw WrongResult("shared memory should hold an SM to " + std::to_string(residency.blocks) +
                      " blocks, but the API says " + std::to_string(blocks));
  }
}

struct TimedPoint {
  Fact fact;
  Timing timing;
};

TimedPoint time_chain(const Device& device, const Residency& residency) {
  require_held(residency);
  const int blocks = residency.blocks * device.sm_count();
  const auto threads = static_cast<std::size_t>(blocks) * residency.threads;
  DeviceBuffer<float> operands(threads);
  DeviceBuffer<float> results(threads);
  const Stream stream = make_stream();
  fill_random_floats(operands.data(), operands.size(), 0xc4a1, stream.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  SlopeOptions options;
  options.samples = device.level() == Level::quick ? 7 : 21;
  options.target_span_s = 3e-3;
  const Timing timing = time_slope(
      device,
      [&](cudaStream_t queue) {
        fma_chain<<<blocks, residency.threads, residency.shared_bytes, queue>>>(
            operands.data(), results.data(), kTrips);
        ASSAY_CUDA(cudaGetLastError());
      },
      options);
  check_results(results, false, "FMA chain");
  const std::string method =
      "wall slope; one chain of FFMA a thread, " + std::to_string(residency.blocks) + " x " +
      std::to_string(residency.threads) + " threads an SM, held there by shared memory";
  return {rate(timing, chain_shape(residency.threads).flops_per_call(blocks, kTrips),
               Unit::tflop_per_s, method),
          timing};
}

Fact knee_of(const std::vector<OccupancyPoint>& points, const std::optional<NullReason>& spoiled,
             double clock_ghz) {
  constexpr const char* kMethod =
      "plateau / rate per warp of two segments, proportional and level, with the least relative "
      "deviations; nearest whole warp per SM";
  if (spoiled) return absent(Unit::count, kMethod, *spoiled);
  const std::optional<Knee> knee = fit_knee(points);
  if (!knee) {
    return absent(Unit::count, kMethod,
                  {NullKind::not_available, "the rates do not level off among the points"});
  }
  return derived(std::round(knee->warps()), Unit::count, kMethod, clock_ghz);
}

void add_knee(const Device& device, Measurements& facts) {
  const SmLimits limits = limits_of(device);
  std::vector<OccupancyPoint> points;
  std::optional<NullReason> spoiled;
  double clock_ghz = 0.0;
  for (const int warps : {2, 4, 8, 16, 32, 64}) {
    const std::string path = "occupancy_knees_fma_tflops.warps_" + std::to_string(warps);
    const std::optional<Residency> residency = hold_to(warps, limits);
    if (!residency) {
      facts.add(path, absent(Unit::tflop_per_s, "wall slope; one chain of FFMA a thread",
                             {NullKind::not_supported, "an SM cannot be held to so many warps"}));
      continue;
    }
    const TimedPoint point = time_chain(device, *residency);
    facts.add(path, point.fact);
    if (point.fact.reason && !spoiled) spoiled = point.fact.reason;
    clock_ghz = point.timing.clock_ghz;
    points.push_back({static_cast<double>(warps), as_number(point.fact.value).value_or(0.0)});
  }
  facts.add("occupancy_knees_fma_tflops.knee_warps", knee_of(points, spoiled, clock_ghz));
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements facts;
  DeviceBuffer<std::uint32_t> words(1024);
  words.clear();
  for (const Point& point : kPoints) add_point(device, point, words, facts);
  add_knee(device, facts);
  return facts;
}

}  // namespace assay
