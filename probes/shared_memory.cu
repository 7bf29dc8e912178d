// SPDX-License-Identifier: Apache-2.0
// How fast is shared memory: a block's own at three widths, with bank conflicts, and that of
// another block of the cluster?
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "probes/harness/device_clock.cuh"
#include "probes/harness/probe.h"
#include "probes/read_loop.cuh"

namespace assay {
namespace {

constexpr double kCallClocks = 1.6e6;
constexpr double kBytesPerClock = 128.0;
constexpr double kPeerBytesPerClock = 14.0;
constexpr int kConflictTrips = 2048;  // without conflicts
constexpr std::uint32_t kMaxRuns = 64;
constexpr std::uint32_t kRankStep = 0x9e3779b1u;
constexpr std::uint32_t kBanks = 32;
constexpr Hops kStandStill{0, 0};

__device__ std::uint32_t address_of(const std::uint32_t* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

/// The block's copy of the set, told apart from other ranks' copies.
__device__ void fill_shared(std::uint32_t* words, const std::uint32_t* set, std::uint32_t rank) {
  for (std::uint32_t i = threadIdx.x; i < kHalfWords; i += kLoopThreads) {
    words[i] = set[i] + rank * kRankStep;
  }
  __syncthreads();
}

template <int kWidth>
__global__ void __launch_bounds__(kLoopThreads)
    read_shared(const std::uint32_t* set, Hops hops, int trips, std::uint32_t* sums) {
  __shared__ alignas(16) std::uint32_t words[kHalfWords];
  fill_shared(words, set, 0);
  const std::uint32_t mine = address_of(words + threadIdx.x * kWidth);
  const std::uint32_t sum = read_trips<OwnShared, kWidth>(mine, hops, trips);
  sums[blockIdx.x * kLoopThreads + threadIdx.x] = sum;
}

/// What a thread stores last, and everywhere.
__host__ __device__ std::uint32_t stored_word(std::uint32_t thread, int trip) {
  return thread * kRankStep + static_cast<std::uint32_t>(trip);
}

__device__ void store_16b(std::uint32_t at, std::uint32_t v) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %1, %2};" ::"r"(at), "r"(v), "r"(~v) : "memory");
}

/// Each thread reads back what its neighbour stored, in both places.
__global__ void __launch_bounds__(kLoopThreads) write_shared(int trips, std::uint32_t* sums) {
  constexpr std::uint32_t kPlaceWords = kLoopThreads * 4;
  __shared__ alignas(16) std::uint32_t words[kHalfWords];
  const std::uint32_t first = address_of(words + threadIdx.x * 4);
  const std::uint32_t second = first + kPlaceWords * 4;
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    const std::uint32_t v = stored_word(threadIdx.x, trip);
    store_16b(first, v);
    store_16b(second, v);
    store_16b(first, v);
    store_16b(second, v);
  }
  __syncthreads();
  const std::uint32_t* theirs = words + (threadIdx.x + 1) % kLoopThreads * 4;
  std::uint32_t sum = 0;
  for (std::uint32_t w = 0; w < 4; ++w) {
    sum = next_sum(next_sum(sum, theirs[w]), theirs[w + kPlaceWords]);
  }
  sums[blockIdx.x * kLoopThreads + threadIdx.x] = sum;
}

/// Clocks of each run of a conflict kernel, zero before the first.
struct ConflictLog {
  std::uint32_t runs;
  std::uint32_t unused;
  std::uint64_t cycles[kMaxRuns];
};

/// One block. The lanes of a warp read words `ways` apart: as many of them want one bank.
__global__ void __launch_bounds__(kLoopThreads)
    read_in_conflict(const std::uint32_t* set, std::uint32_t ways, Hops hops, int trips,
                     std::uint32_t* sums, ConflictLog* log) {
  __shared__ alignas(16) std::uint32_t words[kHalfWords];
  fill_shared(words, set, 0);
  const std::uint32_t mine = address_of(words + threadIdx.x % 32 * ways);
  const std::uint64_t start = read_sm_clock();
  const std::uint32_t sum = read_trips<OwnShared, 1>(mine, hops, trips);
  __syncthreads();
  const std::uint64_t cycles = read_sm_clock() - start;
  sums[threadIdx.x] = sum;
  if (threadIdx.x == 0) {
    if (log->runs < kMaxRuns) log->cycles[log->runs] = cycles;
    ++log->runs;
  }
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__device__ std::uint32_t cluster_rank() {
  std::uint32_t rank = 0;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ std::uint32_t address_in(std::uint32_t rank, std::uint32_t own_address) {
  std::uint32_t address = 0;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(own_address), "r"(rank));
  return address;
}
#endif

/// Every block reads the memory of the next one of its cluster, which must not leave before.
__global__ void __launch_bounds__(kLoopThreads)
    read_peer(const std::uint32_t* set, std::uint32_t cluster, Hops hops, int trips,
              std::uint32_t* sums) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __shared__ alignas(16) std::uint32_t words[kHalfWords];
  fill_shared(words, set, cluster_rank());
  cluster_barrier();
  const std::uint32_t peer = (cluster_rank() + 1) % cluster;
  const std::uint32_t theirs = address_in(peer, address_of(words + threadIdx.x * 4));
  const std::uint32_t sum = read_trips<ClusterShared, 4>(theirs, hops, trips);
  cluster_barrier();
  sums[blockIdx.x * kLoopThreads + threadIdx.x] = sum;
#endif
}

/// What the kernels read and where their sums go.
struct Session {
  explicit Session(const Device& on)
      : device(on),
        blocks(static_cast<unsigned>(on.sm_count())),
        set(kHalfWords),
        sums(std::size_t{blocks} * kLoopThreads) {
    const Stream stream = make_stream();
    fill_random_words(set.data(), set.bytes(), 1, stream.get());
    ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
    words = set.download();
  }

  const Device& device;
  unsigned blocks;
  DeviceBuffer<std::uint32_t> set, sums;
  std::vector<std::uint32_t> words;  ///< the set on the host
  Measurements facts = {};
};

/// Compares the sums of `blocks` blocks with what `want(block, thread)` says.
template <typename Want>
void check_sums(const Session& session, unsigned blocks, const std::string& what,
                const Want& want) {
  const std::vector<std::uint32_t> sums = session.sums.download();
  for (std::size_t i = 0; i < std::size_t{blocks} * kLoopThreads; ++i) {
    const auto block = static_cast<std::uint32_t>(i / kLoopThreads);
    const auto thread = static_cast<std::uint32_t>(i % kLoopThreads);
    if (sums[i] != want(block, thread)) {
      throw WrongResult(what + ": thread " + std::to_string(thread) + " of block " +
                        std::to_string(block) + " did not meet what lies in shared memory");
    }
  }
}

/// Sums of a whole block that reads `words` at `width`.
std::vector<std::uint32_t> block_sums(const std::vector<std::uint32_t>& words, std::uint32_t width,
                                      int trips) {
  std::vector<std::uint32_t> sums;
  for (std::uint32_t thread = 0; thread < kLoopThreads; ++thread) {
    sums.push_back(expected_sum(words, thread * width, thread * width, width, trips));
  }
  return sums;
}

SlopeOptions slope_options(Level level) {
  SlopeOptions options;
  options.samples = level == Level::quick ? 11 : 31;
  options.target_span_s = 2.4e-3;
  return options;
}

void add_rates(Session& session, const std::string& entry, const std::string& key,
               const Timing& timing, unsigned blocks, int trips, const std::string& method) {
  const double bytes = static_cast<double>(kTripBytes) * blocks * trips;
  session.facts.add(entry + "_bw." + key, rate(timing, bytes, Unit::gb_per_s, method));
  session.facts.add(entry + "_per_clock." + key,
                    rate_per_clock(timing, bytes, static_cast<int>(blocks),
                                   Unit::bytes_per_clock_per_sm, method));
}

template <int kWidth>
void measure_read(Session& session) {
  const int trips = trips_of(kCallClocks, kBytesPerClock);
  const Timing timing = time_slope(
      session.device,
      [&](cudaStream_t stream) {
        read_shared<kWidth><<<session.blocks, kLoopThreads, 0, stream>>>(
            session.set.data(), kStandStill, trips, session.sums.data());
        ASSAY_CUDA(cudaGetLastError());
      },
      slope_options(session.device.level()));
  const auto want = block_sums(session.words, kWidth, trips);
  check_sums(session, session.blocks, "shared memory read",
             [&](std::uint32_t, std::uint32_t thread) { return want[thread]; });
  const std::string bytes = std::to_string(4 * kWidth);
  add_rates(session, "smem", "read_" + bytes + "B", timing, session.blocks, trips,
            bytes + " B ld.shared, neighbouring lanes side by side, 1024 threads per SM");
}

void measure_write(Session& session) {
  const int trips = trips_of(kCallClocks, kBytesPerClock);
  const Timing timing = time_slope(
      session.device,
      [&](cudaStream_t stream) {
        write_shared<<<session.blocks, kLoopThreads, 0, stream>>>(trips, session.sums.data());
        ASSAY_CUDA(cudaGetLastError());
      },
      slope_options(session.device.level()));
  check_sums(session, session.blocks, "shared memory write",
             [&](std::uint32_t, std::uint32_t thread) {
               const std::uint32_t v = stored_word((thread + 1) % kLoopThreads, trips - 1);
               std::uint32_t sum = 0;
               for (const std::uint32_t word : {v, v, ~v, ~v, v, v, ~v, ~v}) {
                 sum = next_sum(sum, word);
               }
               return sum;
             });
  add_rates(session, "smem", "write_16B", timing, session.blocks, trips,
            "16 B st.shared, neighbouring lanes side by side, 1024 threads per SM");
}

/// As many as take the same time at any number of ways.
int conflict_trips(std::uint32_t ways) {
  return kConflictTrips / static_cast<int>(ways);
}

/// Clocks per access of one warp; the first run is left out: it brought in the code.
std::vector<double> cycles_per_access(const ConflictLog& log, int trips) {
  const double accesses = static_cast<double>(kLoopThreads) / 32 * 2 * kLoopWords * trips;
  std::vector<double> samples;
  for (std::uint32_t run = 1; run < std::min(log.runs, kMaxRuns); ++run) {
    samples.push_back(static_cast<double>(log.cycles[run]) / accesses);
  }
  return samples;
}

void measure_conflict(Session& session, std::uint32_t ways) {
  DeviceBuffer<ConflictLog> log(1);
  log.clear();
  const int trips = conflict_trips(ways);
  ASSAY_CUDA(cudaDeviceSynchronize());
  const Timing timing = watch(
      session.device,
      [&](cudaStream_t stream) {
        read_in_conflict<<<1, kLoopThreads, 0, stream>>>(session.set.data(), ways, kStandStill,
                                                         trips, session.sums.data(), log.data());
        ASSAY_CUDA(cudaGetLastError());
      },
      session.device.level() == Level::quick ? 7 : 31);
  check_sums(session, 1, "bank conflict", [&](std::uint32_t, std::uint32_t thread) {
    const std::uint32_t start = thread % 32 * ways;
    return expected_sum(session.words, start, start, 1, trips);
  });
  session.facts.add("smem_conflict.ways_" + std::to_string(ways),
                    sampled(timing, cycles_per_access(log.download().front(), trips), Unit::cycles,
                            "clock64 per 4 B ld.shared of a warp whose lanes' words lie " +
                                std::to_string(ways) + " apart, 32 warps on one SM"));
}

/// How clusters are launched: one block on each SM that they can use.
struct ClusterLaunch {
  ClusterLaunch(const Device& device, unsigned blocks_per_cluster) {
    // More than half of an SM's shared memory: no two blocks on one SM.
    const int per_sm = device.attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    const int dynamic = std::max(0, per_sm / 2 + 1024 - static_cast<int>(kHalfBytes));
    ASSAY_CUDA(
        cudaFuncSetAttribute(read_peer, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic));
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks_per_cluster;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.blockDim = dim3(kLoopThreads);
    config.gridDim = dim3(blocks_per_cluster);
    config.dynamicSmemBytes = static_cast<std::size_t>(dynamic);
    config.attrs = &cluster;
    config.numAttrs = 1;
    int clusters = 0;
    ASSAY_CUDA(cudaOccupancyMaxActiveClusters(&clusters, read_peer, &config));
    config.gridDim = dim3(blocks_per_cluster * static_cast<unsigned>(clusters));
  }
  ClusterLaunch(const ClusterLaunch&) = delete;
  ClusterLaunch& operator=(const ClusterLaunch&) = delete;
  unsigned blocks() const { return config.gridDim.x; }

  cudaLaunchAttribute cluster{};
  cudaLaunchConfig_t config{};
};

std::string peer_method(unsigned cluster) {
  return "16 B ld.shared::cluster from the next block of a cluster of " + std::to_string(cluster) +
         ", all clusters that fit at once, 1024 threads per SM";
}

void add_absent_peer(Session& session, unsigned cluster, const NullReason& reason) {
  const std::string key = "read_cluster_" + std::to_string(cluster);
  session.facts.add("dsmem_bw." + key, absent(Unit::gb_per_s, peer_method(cluster), reason));
  session.facts.add("dsmem_per_clock." + key,
                    absent(Unit::bytes_per_clock_per_sm, peer_method(cluster), reason));
}

void check_peer(const Session& session, unsigned blocks, unsigned cluster, int trips) {
  std::vector<std::vector<std::uint32_t>> by_rank;
  for (std::uint32_t rank = 0; rank < cluster; ++rank) {
    std::vector<std::uint32_t> words = session.words;
    for (std::uint32_t& word : words) word += (rank + 1) % cluster * kRankStep;
    by_rank.push_back(block_sums(words, 4, trips));
  }
  check_sums(
      session, blocks, "distributed shared memory read",
      [&](std::uint32_t block, std::uint32_t thread) { return by_rank[block % cluster][thread]; });
}

void measure_peer(Session& session, unsigned cluster) {
  if (session.device.cc() < 90) {
    add_absent_peer(session, cluster,
                    {NullKind::not_supported, "clusters need compute capability 9.0"});
    return;
  }
  const ClusterLaunch launch(session.device, cluster);
  if (launch.blocks() == 0) {
    add_absent_peer(session, cluster, {NullKind::not_available, "no such cluster fits"});
    return;
  }
  const int trips = trips_of(kCallClocks, kPeerBytesPerClock);
  const Timing timing = time_slope(
      session.device,
      [&](cudaStream_t stream) {
        cudaLaunchConfig_t config = launch.config;
        config.stream = stream;
        ASSAY_CUDA(cudaLaunchKernelEx(
            &config, read_peer, static_cast<const std::uint32_t*>(session.set.data()),
            static_cast<std::uint32_t>(cluster), kStandStill, trips, session.sums.data()));
      },
      slope_options(session.device.level()));
  check_peer(session, launch.blocks(), cluster, trips);
  add_rates(session, "dsmem", "read_cluster_" + std::to_string(cluster), timing, launch.blocks(),
            trips, peer_method(cluster) + "; " + std::to_string(launch.blocks()) + " SMs in use");
}

}  // namespace

Measurements run_probe(const Device& device) {
  Session session(device);
  measure_read<1>(session);
  measure_read<2>(session);
  measure_read<4>(session);
  measure_write(session);
  for (std::uint32_t ways = 1; ways <= kBanks; ways *= 2) measure_conflict(session, ways);
  measure_peer(session, 2);
  measure_peer(session, 4);
  return session.facts;
}

}  // namespace assay
