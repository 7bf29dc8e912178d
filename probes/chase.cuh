// SPDX-License-Identifier: Apache-2.0
// How does one lane walk a ring of addresses, one dependent load after the other, and read the
// clocks around them?
#pragma once

#include <cstdint>

#include "probes/chase_log.h"
#include "probes/harness/device_clock.cuh"

namespace assay {

inline constexpr std::uint32_t kSharedPlaces = 1024;  ///< 32-bit addresses: 4 KiB

// A place holds the address of the next one, ready to use: an index would add its address
// arithmetic (7 cycles on Hopper) to each step.

struct L1Load {
  using Address = std::uint64_t;
  __device__ static void step(Address& at) {
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at));
  }
};

/// Passes the L1 by.
struct L2Load {
  using Address = std::uint64_t;
  __device__ static void step(Address& at) {
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
  }
};

/// Any address space; the address says which.
struct GenericLoad {
  using Address = std::uint64_t;
  __device__ static void step(Address& at) { asm volatile("ld.u64 %0, [%0];" : "+l"(at)); }
};

struct ConstantLoad {
  using Address = std::uint32_t;
  __device__ static void step(Address& at) { asm volatile("ld.const.u32 %0, [%0];" : "+r"(at)); }
};

struct SharedLoad {
  using Address = std::uint32_t;
  __device__ static void step(Address& at) { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)); }
};

template <typename Load>
__device__ void chase(typename Load::Address& at, int rounds) {
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kChaseUnroll; ++i) Load::step(at);
  }
}

/// One run over the ring at `base`, whose places lie `stride` bytes apart. Where it ended is stored
/// whatever happens: no load can be dropped, and the host knows where that must be.
template <typename Load>
__device__ void timed_chase(typename Load::Address base, std::uint32_t stride, ChaseSteps steps,
                            ChaseLog* log) {
  using Address = typename Load::Address;
  Address at = base + static_cast<Address>(log->place) * stride;
  chase<Load>(at, steps.warm_rounds);
  const std::uint64_t ns = read_globaltimer();
  const std::uint64_t cycles = read_sm_clock();
  chase<Load>(at, steps.timed_rounds);
  const std::uint64_t cycles_taken = read_sm_clock() - cycles;
  const std::uint64_t ns_taken = read_globaltimer() - ns;
  log->place = (at - base) / stride;
  if (log->runs < kMaxChaseRuns) {
    log->run[log->runs] = {cycles_taken, ns_taken, log->place, read_smid()};
  }
  ++log->runs;
}

/// For blocks of one thread: each walks on its own, with a log of its own.
template <typename Load>
__global__ void chase_global(const void* ring, ChaseSteps steps, ChaseLog* logs) {
  timed_chase<Load>(reinterpret_cast<std::uint64_t>(ring), kLineBytes, steps, logs + blockIdx.x);
}

/// For one block of kSharedPlaces threads; `next` holds as many successors.
template <typename Load>
__global__ void __launch_bounds__(kSharedPlaces)
    chase_shared(const std::uint32_t* next, ChaseSteps steps, ChaseLog* log) {
  __shared__ std::uint32_t ring[kSharedPlaces];
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(ring));
  constexpr std::uint32_t kStride = sizeof(std::uint32_t);
  ring[threadIdx.x] = base + next[threadIdx.x] * kStride;
  __syncthreads();
  if (threadIdx.x == 0) timed_chase<Load>(base, kStride, steps, log);
}

}  // namespace assay
