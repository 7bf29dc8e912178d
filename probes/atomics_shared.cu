// SPDX-License-Identifier: Apache-2.0
// How many atomic additions a second do the SMs do in their shared memories?
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include <cuda_runtime.h>

#include "probes/hammer.h"
#include "probes/scatter.h"

namespace assay {
namespace {

constexpr std::uint32_t kThreads = 1024;  // per block; one block per SM
constexpr std::uint32_t kMostAdds = 1u << 16;
constexpr std::array<std::uint32_t, 3> kAddresses{1, 32, 1024};

template <typename T>
constexpr const char* kMethod =
    "red.shared.add.f32 (a loop of compare and swap in the machine code) of 1.0 by one block of "
    "1024 "
    "threads an SM, all SMs together, addresses per block, consecutive words, each thread on one";
template <>
constexpr const char* kMethod<std::uint32_t> =
    "red.shared.add.u32 of 1 to 8, by thread, by one block of 1024 threads an SM, all SMs "
    "together, "
    "addresses per block, consecutive words, each thread on one";

__device__ inline void add_to(std::uint32_t counter, float value) {
  asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(counter), "f"(value) : "memory");
}
__device__ inline void add_to(std::uint32_t counter, std::uint32_t value) {
  asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(counter), "r"(value) : "memory");
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    hammer_shared(T* totals, std::uint32_t mask, std::uint32_t salt, std::uint32_t adds) {
  __shared__ T counters[kThreads];
  const std::uint32_t thread = threadIdx.x;
  counters[thread] = T(0);
  __syncthreads();
  const T value = std::is_same_v<T, float> ? T(1) : T(add_value(thread, salt));
  const auto counter =
      static_cast<std::uint32_t>(__cvta_generic_to_shared(counters + ((thread + salt) & mask)));
#pragma unroll 8
  for (std::uint32_t add = 0; add < adds; ++add) add_to(counter, value);
  __syncthreads();
  totals[blockIdx.x * kThreads + thread] = counters[thread];
}

/// Adds per thread that leave no float above 2^24, beyond which it cannot count by ones.
std::uint32_t countable(std::uint32_t adds, std::uint32_t addresses) {
  const std::uint32_t sharers = kThreads / addresses;
  const std::uint32_t most = (1u << 24) / sharers;
  return adds < most ? adds : most;
}

template <typename T>
std::uint64_t expected_total(std::uint32_t address, std::uint32_t addresses, std::uint32_t adds) {
  std::uint64_t sum = 0;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    if (((thread + kHammerSalt) & (addresses - 1)) != address) continue;
    sum += std::is_same_v<T, float> ? adds : std::uint64_t{add_value(thread, kHammerSalt)} * adds;
  }
  return std::is_same_v<T, float> ? sum : static_cast<std::uint32_t>(sum);
}

/// Each address of each block must hold exactly what was added to it, the others nothing.
template <typename T>
void check_totals(const Hammer& hammer, const DeviceBuffer<T>& totals, std::uint32_t addresses,
                  std::uint32_t wanted_adds, cudaStream_t stream) {
  const std::uint32_t adds =
      std::is_same_v<T, float> ? countable(wanted_adds, addresses) : wanted_adds;
  hammer.enqueue(adds, stream);
  ASSAY_CUDA(cudaStreamSynchronize(stream));
  const auto got = totals.download();
  for (std::uint32_t address = 0; address < kThreads; ++address) {
    const auto expected =
        address < addresses ? expected_total<T>(address, addresses, adds) : std::uint64_t{0};
    for (std::size_t at = address; at < got.size(); at += kThreads) {
      check_total(hammer.name, at, static_cast<std::uint64_t>(got[at]), expected);
    }
  }
}

template <typename T>
Fact measure(const Device& device, std::uint32_t addresses) {
  const auto blocks = static_cast<std::uint32_t>(device.sm_count());
  const DeviceBuffer<T> totals(std::size_t{blocks} * kThreads);
  Hammer work;
  work.name = "shared adds to " + std::to_string(addresses) + " addresses";
  work.method = kMethod<T>;
  work.threads = blocks * kThreads;
  work.most_atomics = kMostAdds;
  work.enqueue = [&](std::uint32_t adds, cudaStream_t stream) {
    hammer_shared<<<blocks, kThreads, 0, stream>>>(totals.data(), addresses - 1, kHammerSalt, adds);
    ASSAY_CUDA(cudaGetLastError());
  };
  work.check = [&](std::uint32_t adds, cudaStream_t stream) {
    check_totals(work, totals, addresses, adds, stream);
  };
  return measure_hammer(device, work);
}

}  // namespace

void measure_shared_atomics(const Device& device, Measurements& facts) {
  for (const std::uint32_t addresses : kAddresses) {
    const std::string key = std::to_string(addresses);
    facts.add("atomics_shared.u32_" + key, measure<std::uint32_t>(device, addresses));
    facts.add("atomics_shared.f32_" + key, measure<float>(device, addresses));
  }
}

}  // namespace assay
