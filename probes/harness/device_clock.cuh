// SPDX-License-Identifier: Apache-2.0
// Which clocks can a kernel read, and on which SM does it run?
#pragma once

#include <cstdint>

namespace assay {

/// Nanoseconds since an arbitrary epoch, one counter for the whole device. Its step differs between
/// devices (32 ns on GH100, 1 us on older ones): use it over spans of 100 us and more.
__device__ inline std::uint64_t read_globaltimer() {
  std::uint64_t ns = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

/// Number of the SM that runs this thread. May exceed the SM count: ids need not be contiguous.
__device__ inline unsigned read_smid() {
  unsigned id = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// SM clock ticks; differences are meaningful on one SM only.
__device__ inline std::uint64_t read_sm_clock() {
  return static_cast<std::uint64_t>(clock64());
}

/// Returns once `cycles` SM clocks have passed.
__device__ inline void spin_for(std::uint64_t cycles) {
  const std::uint64_t start = read_sm_clock();
  while (read_sm_clock() - start < cycles) {
  }
}

}  // namespace assay
