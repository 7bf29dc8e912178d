// SPDX-License-Identifier: Apache-2.0
// How do the threads of a block read on-chip memory over and over, and lose no load to the
// compiler?
#pragma once

#include <cstdint>

#include "probes/read_loop.h"

// Loads of one, two and four words by one instruction each.
#define ASSAY_LOADS(instruction, constraint)                                                       \
  static __device__ void load(std::uint32_t(&v)[1], Address at) {                                  \
    asm volatile(instruction ".u32 %0, [%1];" : "=r"(v[0]) : constraint(at));                      \
  }                                                                                                \
  static __device__ void load(std::uint32_t(&v)[2], Address at) {                                  \
    asm volatile(instruction ".v2.u32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : constraint(at)); \
  }                                                                                                \
  static __device__ void load(std::uint32_t(&v)[4], Address at) {                                  \
    asm volatile(instruction ".v4.u32 {%0, %1, %2, %3}, [%4];"                                     \
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])                                  \
                 : constraint(at));                                                                \
  }

namespace assay {

/// Global memory through the L1.
struct CachedGlobal {
  using Address = std::uint64_t;
  ASSAY_LOADS("ld.global.ca", "l")
};
struct OwnShared {
  using Address = std::uint32_t;
  ASSAY_LOADS("ld.shared", "r")
};
/// Shared memory of any block of the cluster; 9.0 and up.
struct ClusterShared {
  using Address = std::uint32_t;
  ASSAY_LOADS("ld.shared::cluster", "r")
};

/// What a thread has loaded in half a trip.
template <int kWidth>
struct LoadedHalf {
  static constexpr int kLoads = kLoopWords / kWidth;
  std::uint32_t words[kLoads][kWidth];

  template <typename Memory>
  __device__ void load(typename Memory::Address at) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) Memory::load(words[i], at + i * kLoopThreads * kWidth * 4);
  }

  __device__ std::uint32_t folded() const {
    std::uint32_t folded = 0;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
#pragma unroll
      for (int w = 0; w < kWidth; ++w) folded ^= words[i][w];
    }
    return folded;
  }
};

template <typename Memory, int kWidth>
__device__ std::uint32_t read_half(typename Memory::Address at) {
  LoadedHalf<kWidth> half;
  half.template load<Memory>(at);
  return half.folded();
}

/// How the address moves after either half of a trip, in bytes. Known at run time only even where
/// it stands still: ptxas moves loads from an unchanging address out of the loop, volatile or not.
struct Hops {
  int forth;
  int back;
};

/// The thread's sum (read_loop.h) over `trips` trips from its own address `at` on.
template <typename Memory, int kWidth>
__device__ std::uint32_t read_trips(typename Memory::Address at, Hops hops, int trips) {
  std::uint32_t sum = 0;
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    sum = next_sum(sum, read_half<Memory, kWidth>(at));
    at += static_cast<typename Memory::Address>(hops.forth);
    sum = next_sum(sum, read_half<Memory, kWidth>(at));
    at += static_cast<typename Memory::Address>(hops.back);
  }
  return sum;
}

/// The same sum with all loads of a trip under way at once: what is slower than shared memory needs
/// more of them.
template <typename Memory, int kWidth>
__device__ std::uint32_t read_whole_trips(typename Memory::Address at, Hops hops, int trips) {
  std::uint32_t sum = 0;
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    LoadedHalf<kWidth> first, second;
    first.template load<Memory>(at);
    at += static_cast<typename Memory::Address>(hops.forth);
    second.template load<Memory>(at);
    at += static_cast<typename Memory::Address>(hops.back);
    sum = next_sum(next_sum(sum, first.folded()), second.folded());
  }
  return sum;
}

}  // namespace assay

#undef ASSAY_LOADS
