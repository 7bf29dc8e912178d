// SPDX-License-Identifier: Apache-2.0
// How many atomic additions a second does the device do, by the number of addresses that share
// them?
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

#include "probes/counters.cuh"
#include "probes/hammer.h"
#include "probes/scatter.h"

namespace assay {
namespace {

constexpr std::uint32_t kMostAdds = 4096;
constexpr std::array<std::uint32_t, 9> kAddresses{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536};
/// The integers' curve at level quick.
constexpr std::array<std::uint32_t, 4> kFewAddresses{1, 64, 4096, 65536};
/// 128 MiB of lines: more than an L2 holds.
constexpr std::uint32_t kManyAddresses = 1u << 20;

template <typename T>
constexpr const char* kMethod =
    "red.global.add.f32 of 1.0 by every thread of a full device, addresses 128 B apart, each lane "
    "from its own hashed start";
template <>
constexpr const char* kMethod<std::uint32_t> =
    "red.global.add.u32 of 1 to 8, by thread, by every thread of a full device, addresses 128 B "
    "apart, each lane from its own hashed start: ptxas merges a warp's adds to one address that it "
    "can see, and sees none";

__device__ inline void add_to(float* counter, std::uint32_t) {
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(counter), "f"(1.0f) : "memory");
}
__device__ inline void add_to(std::uint32_t* counter, std::uint32_t value) {
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
}

/// `salt` and `mask` are known at run time only, and lanes start at hashed addresses: neither the
/// compiler nor the warp can merge adds beforehand.
template <typename T>
__global__ void __launch_bounds__(kHammerThreads)
    hammer(T* counters, std::uint32_t mask, std::uint32_t salt, std::uint32_t adds) {
  const std::uint32_t thread = blockIdx.x * kHammerThreads + threadIdx.x;
  const std::uint32_t value = add_value(thread, salt);
  for (std::uint32_t add = 0; add < adds; ++add) {
    const std::size_t address = add_address(thread, add, salt, mask);
    add_to(counters + address * kWordsPerLine, value);
  }
}

std::vector<Adder> adders(std::uint32_t threads, std::uint32_t mask) {
  std::vector<Adder> all(threads);
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    all[thread] = {add_address(thread, 0, kHammerSalt, mask), add_value(thread, kHammerSalt)};
  }
  return all;
}

/// Each address must hold exactly what was added to it: as many ones as a float can count, or the
/// sum modulo 2^32.
template <typename T>
void check_totals(const Hammer& hammer, const Counters<T>& counters, std::uint32_t wanted_adds,
                  cudaStream_t stream) {
  constexpr bool kFloat = std::is_same_v<T, float>;
  const std::uint32_t addresses = counters.addresses();
  const std::uint32_t adds =
      kFloat ? countable_adds(hammer.threads, wanted_adds, kHammerSalt, addresses) : wanted_adds;
  const auto expected =
      kFloat ? adds_per_address(hammer.threads, adds, kHammerSalt, addresses)
             : sums_per_address(adders(hammer.threads, addresses - 1), adds, addresses);
  counters.clear(stream);
  hammer.enqueue(adds, stream);
  const auto totals = counters.read(stream);
  for (std::uint32_t i = 0; i < addresses; ++i) {
    check_total(hammer.name, i, static_cast<std::uint64_t>(totals[i]),
                kFloat ? expected[i] : static_cast<std::uint32_t>(expected[i]));
  }
}

template <typename T>
Fact measure(const Device& device, std::uint32_t addresses) {
  const Counters<T> counters(addresses);
  const std::uint32_t blocks = full_device_blocks(device);
  Hammer work;
  work.name = "atomic adds to " + std::to_string(addresses) + " addresses";
  work.method = kMethod<T>;
  work.threads = blocks * kHammerThreads;
  work.most_atomics = kMostAdds;
  work.enqueue = [&](std::uint32_t adds, cudaStream_t stream) {
    hammer<<<blocks, kHammerThreads, 0, stream>>>(counters.data(), counters.mask(), kHammerSalt,
                                                  adds);
    ASSAY_CUDA(cudaGetLastError());
  };
  work.check = [&](std::uint32_t adds, cudaStream_t stream) {
    check_totals(work, counters, adds, stream);
  };
  return measure_hammer(device, work);
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements facts;
  for (const std::uint32_t addresses : kAddresses) {
    facts.add("atomics_f32." + std::to_string(addresses), measure<float>(device, addresses));
  }
  facts.add("atomics_f32." + std::to_string(kManyAddresses),
            measure<float>(device, kManyAddresses));
  const std::vector<std::uint32_t> few(kFewAddresses.begin(), kFewAddresses.end());
  const std::vector<std::uint32_t> all(kAddresses.begin(), kAddresses.end());
  for (const std::uint32_t addresses : device.level() == Level::quick ? few : all) {
    facts.add("atomics_u32." + std::to_string(addresses),
              measure<std::uint32_t>(device, addresses));
  }
  measure_returning_atomics(device, facts);
  measure_shared_atomics(device, facts);
  return facts;
}

}  // namespace assay
