// SPDX-License-Identifier: Apache-2.0
// How fast is DRAM read when only some of the SMs work, and how many of them saturate it?
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include "probes/dram_sm_share.h"
#include "probes/harness/device_clock.cuh"
#include "probes/harness/timing.h"
#include "probes/memory_plan.h"
#include "probes/sweep.h"

namespace assay {
namespace {

constexpr double kSaturated = 0.95;
constexpr std::uint32_t kTileRounds = 4;
constexpr std::uint32_t kRoundVectors = kStreamThreads * kReadsPerThread;
constexpr std::uint64_t kTileBytes = std::uint64_t{kTileRounds} * kRoundVectors * sizeof(uint4);
constexpr std::uint32_t kSmSlots = 1024;
constexpr std::uint64_t kMaxWaitNs = 200'000;

/// The blocks' common memory, zero before each call.
struct ShareState {
  std::uint32_t arrived;
  std::uint32_t next_tile;
  std::uint32_t folded;  ///< over all that was read, whoever read it
  std::uint32_t unused;
};

/// A block that left early would make room for one that has not started yet, on an SM that shall
/// stay idle. The wait has an end, lest a device that cannot hold all blocks hang.
__device__ void wait_for_all_blocks(ShareState* state) {
  if (threadIdx.x == 0) {
    atomicAdd(&state->arrived, 1u);
    const volatile std::uint32_t* arrived = &state->arrived;
    const std::uint64_t start = read_globaltimer();
    while (*arrived < gridDim.x && read_globaltimer() - start < kMaxWaitNs) {
    }
  }
  __syncthreads();
}

__device__ std::uint32_t fold_tile(const uint4* tile) {
  std::uint32_t seen = 0;
#pragma unroll 1
  for (std::uint32_t round = 0; round < kTileRounds; ++round) {
    uint4 v[kReadsPerThread];
#pragma unroll
    for (int j = 0; j < kReadsPerThread; ++j) v[j] = __ldcs(tile + j * kStreamThreads);
#pragma unroll
    for (int j = 0; j < kReadsPerThread; ++j) seen ^= fold(v[j]);
    tile += kRoundVectors;
  }
  return seen;
}

/// Every SM holds as many blocks as it can; those on working SMs take tiles until none is left.
__global__ void __launch_bounds__(kStreamThreads)
    read_by_some(const uint4* data, std::uint32_t tiles, std::uint32_t working, std::uint32_t sms,
                 ShareState* state, std::uint32_t* has_worked) {
  wait_for_all_blocks(state);
  const std::uint32_t sm = read_smid();
  if (!is_working_sm(sm, working, sms)) return;
  __shared__ std::uint32_t next, block_fold;
  if (threadIdx.x == 0) {
    block_fold = 0;
    has_worked[sm % kSmSlots] = 1;
  }
  std::uint32_t seen = 0;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) next = atomicAdd(&state->next_tile, 1u);
    __syncthreads();
    const std::uint32_t tile = next;
    if (tile >= tiles) break;
    seen ^= fold_tile(data + std::size_t{tile} * kTileRounds * kRoundVectors + threadIdx.x);
  }
  atomicXor(&block_fold, seen);
  __syncthreads();
  if (threadIdx.x == 0) atomicXor(&state->folded, block_fold);
}

unsigned resident_blocks(const Device& device) {
  int per_sm = 0;
  ASSAY_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, read_by_some, kStreamThreads, 0));
  return static_cast<unsigned>(per_sm * device.sm_count());
}

/// Times the reading kernel for any number of working SMs, each number once.
class ShareSweep {
 public:
  ShareSweep(const Device& device, const Streams& streams)
      : device_(device), streams_(streams), blocks_(resident_blocks(device)) {}

  const Timing& timing(int working) {
    const auto known = timings_.find(working);
    return known != timings_.end() ? known->second
                                   : timings_.emplace(working, time(working)).first->second;
  }

  /// Bytes per second; nullopt when the timing is spoiled.
  std::optional<double> bytes_per_second(int working) {
    const Timing& of = timing(working);
    if (of.spoiled || !(of.seconds > 0.0)) return std::nullopt;
    return static_cast<double>(streams_.bytes()) / of.seconds;
  }

 private:
  Timing time(int working) {
    SlopeOptions options;
    options.samples = 7;
    options.target_span_s = 3e-3;
    has_worked_.clear();
    ASSAY_CUDA(cudaDeviceSynchronize());
    Timing timing = time_slope(
        device_, [&](cudaStream_t stream) { enqueue(working, stream); }, options);
    check(working, timing);
    return timing;
  }

  void enqueue(int working, cudaStream_t stream) {
    ASSAY_CUDA(cudaMemsetAsync(state_.data(), 0, state_.bytes(), stream));
    read_by_some<<<blocks_, kStreamThreads, 0, stream>>>(
        reinterpret_cast<const uint4*>(streams_.b.data()),
        static_cast<std::uint32_t>(streams_.bytes() / kTileBytes),
        static_cast<std::uint32_t>(working), static_cast<std::uint32_t>(device_.sm_count()),
        state_.data(), has_worked_.data());
    ASSAY_CUDA(cudaGetLastError());
  }

  /// Any share of the SMs has to read what all of them read, and no other SM may have helped.
  void check(int working, Timing& timing) {
    const std::vector<std::uint32_t> flags = has_worked_.download();
    const auto worked = std::count(flags.begin(), flags.end(), 1u);
    if (worked != working && !timing.spoiled) {
      timing.spoiled =
          NullReason{NullKind::not_available, "blocks worked on " + std::to_string(worked) +
                                                  " SMs of " + std::to_string(working)};
    }
    const std::uint32_t folded = state_.download().front().folded;
    if (worked == 0) return;
    if (!folded_) folded_ = folded;
    if (folded != *folded_) {
      throw WrongResult("DRAM read by " + std::to_string(working) +
                        " SMs: not the words that others read");
    }
  }

  const Device& device_;
  const Streams& streams_;
  unsigned blocks_;
  DeviceBuffer<ShareState> state_{1};
  DeviceBuffer<std::uint32_t> has_worked_{kSmSlots};
  std::optional<std::uint32_t> folded_;
  std::map<int, Timing> timings_;
};

struct Share {
  const char* key;
  int divisor;
};
constexpr std::array kShares{Share{"half", 2}, Share{"quarter", 4}, Share{"eighth", 8}};

constexpr const char* kSaturateMethod =
    "least number of SMs, evenly spread, that read 0.95 of what all read with the same kernel; "
    "eighths, then halving";

std::string share_path(const Share& share) {
  return std::string("dram_bw.read_sms_") + share.key;
}

std::string share_method(const std::string& sms) {
  return "16 B ld.global.cs, 4 in flight per thread, tiles of 64 KiB taken by the resident blocks "
         "of " +
         sms + " SMs, evenly spread over %smid; the other SMs idle";
}

Fact saturation(const Device& device, ShareSweep& sweep) {
  const int all = device.sm_count();
  const auto full = sweep.bytes_per_second(all);
  const auto least =
      full ? least_reaching(all, kSaturated * *full,
                            [&sweep](int count) { return sweep.bytes_per_second(count); })
           : std::nullopt;
  if (least) {
    return derived(*least, Unit::count, kSaturateMethod, sweep.timing(all).clock_ghz);
  }
  return absent(Unit::count, kSaturateMethod,
                sweep.timing(all).spoiled.value_or(
                    NullReason{NullKind::unsteady, "a timing of the sweep is spoiled"}));
}

}  // namespace

void add_sm_share_facts(const Device& device, const Streams& streams, Measurements& facts) {
  ShareSweep sweep(device, streams);
  const int all = device.sm_count();
  facts.add("dram_bw.sms_to_saturate", saturation(device, sweep));
  for (const Share& share : kShares) {
    const int working = std::max(1, all / share.divisor);
    facts.add(share_path(share),
              rate(sweep.timing(working), static_cast<double>(streams.bytes()), Unit::gb_per_s,
                   share_method(std::to_string(working) + " of " + std::to_string(all))));
  }
}

void add_absent_sm_share_facts(const NullReason& reason, Measurements& facts) {
  facts.add("dram_bw.sms_to_saturate", absent(Unit::count, kSaturateMethod, reason));
  for (const Share& share : kShares) {
    facts.add(share_path(share), absent(Unit::gb_per_s, share_method("some"), reason));
  }
}

}  // namespace assay
