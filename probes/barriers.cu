// SPDX-License-Identifier: Apache-2.0
// What does it cost to wait for each other: all blocks of a grid, the blocks of a cluster, the
// warps of a block?
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "probes/cluster.cuh"
#include "probes/harness/device_clock.cuh"
#include "probes/harness/probe.h"

namespace assay {
namespace {

constexpr int kBarriers = 1000;
constexpr int kWarmBarriers = 40;
constexpr int kBlockBarriersPerRound = 40;
static_assert(kBarriers % kBlockBarriersPerRound == 0 &&
              kWarmBarriers % kBlockBarriersPerRound == 0);
constexpr int kProofRounds = 64;
constexpr int kThreads = 128;  // in a block of a grid or a cluster
constexpr int kMaxRuns = 64;
/// Polls of the hand-made barrier, each a trip to the L2: after a tenth of a second it gives up, so
/// that a grid which is not resident as a whole fails instead of hanging.
constexpr std::uint32_t kMostPolls = 1u << 18;

struct BarrierRun {
  std::uint64_t cycles;
  std::uint64_t ns;
};

/// The kernels' memory, zero before the first run.
struct BarrierLog {
  std::uint32_t arrivals;  ///< of the hand-made barrier; zero before each run
  std::uint32_t given_up;
  std::uint32_t early;  ///< times that one was let through before another had come
  std::uint32_t runs;
  BarrierRun run[kMaxRuns];
};

// A barrier knows how to wait, who waits (one thread speaks for each), how many they are, how often
// it must stand in the loop for the loop itself to hide, and, of several groups that each wait
// among themselves, which one this is.

struct GridBarrier {
  static constexpr int kUnroll = 1;
  __device__ explicit GridBarrier(BarrierLog*) {}
  __device__ void wait() { cooperative_groups::this_grid().sync(); }
  __device__ static unsigned waiter() { return blockIdx.x; }
  __device__ static unsigned waiters() { return gridDim.x; }
  __device__ static bool speaks() { return threadIdx.x == 0; }
  __device__ static unsigned group() { return 0; }
  __device__ static bool is_first() { return blockIdx.x == 0 && threadIdx.x == 0; }
};

/// One atomic to arrive, then polling until all have.
struct HandBarrier : GridBarrier {
  BarrierLog* log;
  std::uint32_t expected = 0;
  bool given_up = false;  ///< once is enough: a thousand times would be minutes
  __device__ explicit HandBarrier(BarrierLog* memory) : GridBarrier(memory), log(memory) {}
  __device__ void wait() {
    __syncthreads();
    expected += gridDim.x;
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(&log->arrivals, 1u);
      poll();
      __threadfence();
    }
    __syncthreads();
  }
  __device__ void poll() {
    const volatile std::uint32_t* const arrivals = &log->arrivals;
    for (std::uint32_t polls = 0; !given_up && *arrivals < expected; ++polls) {
      given_up = polls >= kMostPolls;
      if (given_up) atomicAdd(&log->given_up, 1u);
    }
  }
};

struct ClusterBarrier : GridBarrier {
  static constexpr int kUnroll = 4;
  __device__ explicit ClusterBarrier(BarrierLog* memory) : GridBarrier(memory) {}
  __device__ void wait() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 900
    __trap();  // never launched: the probe states that clusters need 9.0
#else
    cluster_sync();
#endif
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ static unsigned group() {
    return cluster_number();
  }
  __device__ static bool is_first() {
    return cluster_rank() == 0 && threadIdx.x == 0;
  }
#endif
};

struct BlockBarrier {
  static constexpr int kUnroll = kBlockBarriersPerRound;
  __device__ explicit BlockBarrier(BarrierLog*) {}
  __device__ void wait() { __syncthreads(); }
  __device__ static unsigned waiter() { return threadIdx.x / 32; }
  __device__ static unsigned waiters() { return blockDim.x / 32; }
  __device__ static bool speaks() { return threadIdx.x % 32 == 0; }
  __device__ static unsigned group() { return 0; }
  __device__ static bool is_first() { return threadIdx.x == 0; }
};

template <typename Barrier>
__device__ void pass(Barrier& barrier, int barriers) {
#pragma unroll 1
  for (int i = 0; i < barriers; i += Barrier::kUnroll) {
#pragma unroll
    for (int step = 0; step < Barrier::kUnroll; ++step) barrier.wait();
  }
}

template <typename Barrier>
__global__ void time_barriers(BarrierLog* logs) {
  Barrier barrier(logs);
  pass(barrier, kWarmBarriers);
  const std::uint64_t ns = read_globaltimer();
  const std::uint64_t cycles = read_sm_clock();
  pass(barrier, kBarriers);
  const std::uint64_t cycles_taken = read_sm_clock() - cycles;
  const std::uint64_t ns_taken = read_globaltimer() - ns;
  if (Barrier::is_first()) {
    BarrierLog* const log = logs + Barrier::group();
    if (log->runs < kMaxRuns) log->run[log->runs] = {cycles_taken, ns_taken};
    ++log->runs;
  }
}

/// Nobody may be let through before the last has come: each writes the round before the barrier and
/// must read it at all others after. `cells` holds one per waiter.
template <typename Barrier>
__global__ void prove_barrier(BarrierLog* log, volatile std::uint32_t* cells) {
  Barrier barrier(log);
  for (std::uint32_t round = 1; round <= kProofRounds; ++round) {
    if (Barrier::speaks()) {
      // Late comers first: with all in step even no barrier at all would pass.
      if (Barrier::waiter() == round % Barrier::waiters()) spin_for(4000);
      cells[Barrier::waiter()] = round;
    }
    barrier.wait();
    if (Barrier::speaks()) {
      for (unsigned other = 0; other < Barrier::waiters(); ++other) {
        if (cells[other] != round) atomicAdd(&log->early, 1u);
      }
    }
    barrier.wait();
  }
}

/// Enqueues a kernel on a log; `cells` only for the proof.
struct BarrierWork {
  std::string name;
  unsigned waiters = 0;  ///< in a group
  unsigned groups = 1;   ///< timed at once
  std::function<void(BarrierLog*, cudaStream_t)> time;
  std::function<void(BarrierLog*, std::uint32_t* cells, cudaStream_t)> prove;
};

void zero_arrivals(BarrierLog* log, cudaStream_t stream) {
  ASSAY_CUDA(cudaMemsetAsync(&log->arrivals, 0, sizeof(log->arrivals), stream));
}

void check_log(const BarrierLog& log, const BarrierWork& work) {
  if (log.given_up != 0) {
    throw WrongResult(work.name + ": " + std::to_string(log.given_up) +
                      " waits were given up; not all blocks came");
  }
  if (log.early != 0) {
    throw WrongResult(work.name + ": let through early, " + std::to_string(log.early) + " times");
  }
}

void prove(const BarrierWork& work) {
  DeviceBuffer<BarrierLog> log(1);
  log.clear();
  DeviceBuffer<std::uint32_t> cells(work.waiters);
  cells.clear();
  ASSAY_CUDA(cudaDeviceSynchronize());
  const Stream stream = make_stream();
  work.prove(log.data(), cells.data(), stream.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  check_log(log.download().front(), work);
}

/// Of each barrier, run by run.
struct Readings {
  Timing timing;
  std::vector<double> cycles, us;
};

/// Run by run the median over the groups: how far the members of a cluster are from each other is a
/// matter of its place on the chip, 3 % from place to place. The first run is left out: it brought
/// in the code.
void add_samples(const std::vector<BarrierLog>& logs, Readings& readings) {
  for (std::uint32_t i = 1; i < std::min(logs.front().runs, std::uint32_t{kMaxRuns}); ++i) {
    std::vector<double> cycles, us;
    for (const BarrierLog& log : logs) {
      cycles.push_back(static_cast<double>(log.run[i].cycles) / kBarriers);
      us.push_back(1e-3 * static_cast<double>(log.run[i].ns) / kBarriers);
    }
    readings.cycles.push_back(*median(cycles));
    readings.us.push_back(*median(us));
  }
}

Readings read_barriers(const Device& device, const BarrierWork& work) {
  prove(work);
  DeviceBuffer<BarrierLog> device_logs(work.groups);
  device_logs.clear();
  ASSAY_CUDA(cudaDeviceSynchronize());
  Readings readings;
  readings.timing = watch(
      device, [&](cudaStream_t stream) { work.time(device_logs.data(), stream); },
      device.level() == Level::quick ? 9 : 45);
  const std::vector<BarrierLog> logs = device_logs.download();
  for (const BarrierLog& log : logs) {
    check_log(log, work);
    if (log.runs != logs.front().runs) {
      throw WrongResult(work.name + ": a group ran " + std::to_string(log.runs) +
                        " times instead of " + std::to_string(logs.front().runs));
    }
  }
  add_samples(logs, readings);
  return readings;
}

template <typename Kernel, typename... Arguments>
void launch_grid(Kernel* kernel, int blocks, cudaStream_t stream, Arguments... arguments) {
  void* pointers[] = {&arguments...};
  ASSAY_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel),
                                         dim3(static_cast<unsigned>(blocks)), dim3(kThreads),
                                         pointers, 0, stream));
}

/// A grid of one block per SM, launched so that all of them are there or none.
template <typename Barrier>
BarrierWork grid_work(const std::string& name, int blocks) {
  return {name, static_cast<unsigned>(blocks), 1,
          [blocks](BarrierLog* log, cudaStream_t stream) {
            zero_arrivals(log, stream);
            launch_grid(time_barriers<Barrier>, blocks, stream, log);
          },
          [blocks](BarrierLog* log, std::uint32_t* cells, cudaStream_t stream) {
            volatile std::uint32_t* const shared = cells;
            launch_grid(prove_barrier<Barrier>, blocks, stream, log, shared);
          }};
}

/// Why a grid of one block per SM cannot be launched at once; nullopt when it can.
std::optional<NullReason> grid_obstacle(const Device& device) {
  if (device.attribute(cudaDevAttrCooperativeLaunch) == 0) {
    return NullReason{NullKind::not_supported, "no cooperative launch"};
  }
  for (const auto kernel : {time_barriers<GridBarrier>, time_barriers<HandBarrier>}) {
    int blocks = 0;
    ASSAY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kThreads, 0));
    if (blocks < 1) return NullReason{NullKind::not_supported, "not one block fits an SM"};
  }
  return std::nullopt;
}

void measure_grid(const Device& device, Measurements& facts) {
  const std::string shape = ", 1 block of 128 threads per SM, 1000 in one kernel";
  const std::string us = "globaltimer of grid.sync" + shape;
  const std::string cycles = "clock64 of grid.sync" + shape;
  const std::string hand =
      "globaltimer of an atomic add and volatile polling by one thread a block, "
      "__syncthreads around them" +
      shape;
  if (const auto obstacle = grid_obstacle(device)) {
    facts.add("grid_barrier.cooperative_us", absent(Unit::us, us, *obstacle));
    facts.add("grid_barrier.cooperative_cycles", absent(Unit::cycles, cycles, *obstacle));
    facts.add("grid_barrier.hand_us", absent(Unit::us, hand, *obstacle));
    return;
  }
  const int blocks = device.sm_count();
  const Readings grid = read_barriers(device, grid_work<GridBarrier>("grid.sync", blocks));
  facts.add("grid_barrier.cooperative_us", sampled(grid.timing, grid.us, Unit::us, us));
  facts.add("grid_barrier.cooperative_cycles",
            sampled(grid.timing, grid.cycles, Unit::cycles, cycles));
  const Readings own =
      read_barriers(device, grid_work<HandBarrier>("the hand-made barrier", blocks));
  facts.add("grid_barrier.hand_us", sampled(own.timing, own.us, Unit::us, hand));
}

/// So much shared memory that an SM holds one block: the clusters that fit are then spread over the
/// whole device.
std::size_t more_than_half_of_shared_memory(const Device& device) {
  const int per_sm = device.attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  return static_cast<std::size_t>(per_sm) / 2 + 1024;
}

BarrierWork cluster_work(const Device& device, int blocks) {
  const std::size_t shared_bytes = more_than_half_of_shared_memory(device);
  ASSAY_CUDA(cudaFuncSetAttribute(time_barriers<ClusterBarrier>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  const auto clusters = static_cast<unsigned>(
      clusters_at_once(time_barriers<ClusterBarrier>, blocks, kThreads, shared_bytes));
  return {
      "the barrier of a cluster of " + std::to_string(blocks), static_cast<unsigned>(blocks),
      clusters,
      [=](BarrierLog* logs, cudaStream_t stream) {
        ClusterLaunch launch(blocks, kThreads, shared_bytes, stream);
        launch.config.gridDim.x *= clusters;
        ASSAY_CUDA(cudaLaunchKernelEx(&launch.config, time_barriers<ClusterBarrier>, logs));
      },
      [=](BarrierLog* log, std::uint32_t* cells, cudaStream_t stream) {
        const ClusterLaunch launch(blocks, kThreads, 0, stream);
        volatile std::uint32_t* const shared = cells;
        ASSAY_CUDA(cudaLaunchKernelEx(&launch.config, prove_barrier<ClusterBarrier>, log, shared));
      }};
}

void measure_clusters(const Device& device, Measurements& facts) {
  const std::string method =
      "clock64 of barrier.cluster.arrive.release and wait.acquire, blocks of 128 threads, 1000 in "
      "one kernel; median over all clusters that fit at one block an SM";
  for (const int blocks : {2, 4, 8}) {
    const std::string path = "cluster_barrier.size_" + std::to_string(blocks);
    if (const auto obstacle =
            cluster_obstacle(device, time_barriers<ClusterBarrier>, blocks, kThreads, 0)) {
      facts.add(path, absent(Unit::cycles, method, *obstacle));
      continue;
    }
    const BarrierWork work = cluster_work(device, blocks);
    if (work.groups == 0) {
      facts.add(path, absent(Unit::cycles, method,
                             {NullKind::not_available, "no cluster fits at one block an SM"}));
      continue;
    }
    const Readings readings = read_barriers(device, work);
    facts.add(path, sampled(readings.timing, readings.cycles, Unit::cycles, method));
  }
}

BarrierWork block_work(int warps) {
  return {"__syncthreads of " + std::to_string(warps) + " warps", static_cast<unsigned>(warps), 1,
          [warps](BarrierLog* log, cudaStream_t stream) {
            time_barriers<BlockBarrier><<<1, 32 * warps, 0, stream>>>(log);
            ASSAY_CUDA(cudaGetLastError());
          },
          [warps](BarrierLog* log, std::uint32_t* cells, cudaStream_t stream) {
            prove_barrier<BlockBarrier><<<1, 32 * warps, 0, stream>>>(log, cells);
            ASSAY_CUDA(cudaGetLastError());
          }};
}

void measure_blocks(const Device& device, Measurements& facts) {
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    const Readings readings = read_barriers(device, block_work(warps));
    facts.add("block_barrier.warps_" + std::to_string(warps),
              sampled(readings.timing, readings.cycles, Unit::cycles,
                      "clock64 of __syncthreads, one block, 1000 in one kernel"));
  }
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements facts;
  measure_grid(device, facts);
  measure_clusters(device, facts);
  measure_blocks(device, facts);
  return facts;
}

}  // namespace assay
