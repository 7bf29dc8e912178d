// SPDX-License-Identifier: Apache-2.0
// How many atomics a second, when each one's result is wanted?
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "probes/counters.cuh"
#include "probes/hammer.h"
#include "probes/scatter.h"

namespace assay {
namespace {

constexpr std::uint32_t kMostAtomics = 4096;
constexpr std::array<std::uint32_t, 2> kAddresses{1, 4096};

/// Adds one, and sums up what was there before.
__global__ void __launch_bounds__(kHammerThreads)
    add_returning(float* counters, std::uint32_t mask, std::uint32_t salt, std::uint32_t adds,
                  std::uint64_t* found) {
  const std::uint32_t thread = blockIdx.x * kHammerThreads + threadIdx.x;
  std::uint64_t sum = 0;
  for (std::uint32_t add = 0; add < adds; ++add) {
    const std::size_t address = add_address(thread, add, salt, mask);
    float before = 0.0f;
    asm volatile("atom.global.add.f32 %0, [%1], %2;"
                 : "=f"(before)
                 : "l"(counters + address * kWordsPerLine), "f"(1.0f)
                 : "memory");
    sum += static_cast<std::uint32_t>(before);
  }
  found[thread] = sum;
}

/// Tries to count up from the value seen last, each thread on one address; counts its successes.
__global__ void __launch_bounds__(kHammerThreads)
    compare_and_swap(std::uint32_t* counters, std::uint32_t mask, std::uint32_t salt,
                     std::uint32_t tries, std::uint64_t* found) {
  const std::uint32_t thread = blockIdx.x * kHammerThreads + threadIdx.x;
  std::uint32_t* const counter =
      counters + std::size_t{add_address(thread, 0, salt, mask)} * kWordsPerLine;
  std::uint32_t guess = 0, successes = 0;
  for (std::uint32_t i = 0; i < tries; ++i) {
    std::uint32_t before = 0;
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(before)
                 : "l"(counter), "r"(guess), "r"(guess + 1)
                 : "memory");
    const std::uint32_t success = before == guess ? 1 : 0;
    successes += success;
    guess = before + success;
  }
  found[thread] = successes;
}

/// Each of n adds to an address must have found another of the values 0 to n - 1.
void check_adds(const Hammer& hammer, const Counters<float>& counters,
                const DeviceBuffer<std::uint64_t>& found, std::uint32_t wanted_adds,
                cudaStream_t stream) {
  const std::uint32_t addresses = counters.addresses();
  const std::uint32_t adds = countable_adds(hammer.threads, wanted_adds, kHammerSalt, addresses);
  const auto expected = adds_per_address(hammer.threads, adds, kHammerSalt, addresses);
  counters.clear(stream);
  hammer.enqueue(adds, stream);
  const auto totals = counters.read(stream);
  std::uint64_t expected_sum = 0, sum = 0;
  for (std::uint32_t i = 0; i < addresses; ++i) {
    check_total(hammer.name, i, static_cast<std::uint64_t>(totals[i]), expected[i]);
    expected_sum += expected[i] * (expected[i] - 1) / 2;
  }
  for (const std::uint64_t part : found.download()) sum += part;
  if (sum != expected_sum) {
    throw WrongResult(hammer.name + ": what they found sums to " + std::to_string(sum) +
                      " instead of " + std::to_string(expected_sum));
  }
}

/// Each address must hold the successes of the threads that tried there.
void check_swaps(const Hammer& hammer, const Counters<std::uint32_t>& counters,
                 const DeviceBuffer<std::uint64_t>& found, std::uint32_t tries,
                 cudaStream_t stream) {
  counters.clear(stream);
  hammer.enqueue(tries, stream);
  const auto totals = counters.read(stream);
  const auto successes = found.download();
  std::vector<std::uint64_t> expected(counters.addresses(), 0);
  std::uint64_t all = 0;
  for (std::uint32_t thread = 0; thread < hammer.threads; ++thread) {
    expected[add_address(thread, 0, kHammerSalt, counters.mask())] += successes[thread];
    all += successes[thread];
  }
  for (std::uint32_t i = 0; i < counters.addresses(); ++i) {
    check_total(hammer.name, i, totals[i], expected[i]);
  }
  // The first try at an address finds the 0 that it guesses.
  if (all == 0) throw WrongResult(hammer.name + ": no swap succeeded");
}

template <typename T, typename Kernel, typename Check>
Fact measure(const Device& device, std::uint32_t addresses, const std::string& what,
             const std::string& method, const Kernel& kernel, const Check& check) {
  const Counters<T> counters(addresses);
  const std::uint32_t blocks = full_device_blocks(device);
  const DeviceBuffer<std::uint64_t> found(std::size_t{blocks} * kHammerThreads);
  Hammer work;
  work.name = what + " at " + std::to_string(addresses) + " addresses";
  work.method = method;
  work.threads = blocks * kHammerThreads;
  work.most_atomics = kMostAtomics;
  work.enqueue = [&](std::uint32_t atomics, cudaStream_t stream) {
    kernel<<<blocks, kHammerThreads, 0, stream>>>(counters.data(), counters.mask(), kHammerSalt,
                                                  atomics, found.data());
    ASSAY_CUDA(cudaGetLastError());
  };
  work.check = [&](std::uint32_t atomics, cudaStream_t stream) {
    check(work, counters, found, atomics, stream);
  };
  return measure_hammer(device, work);
}

}  // namespace

void measure_returning_atomics(const Device& device, Measurements& facts) {
  for (const std::uint32_t addresses : kAddresses) {
    const std::string key = std::to_string(addresses);
    facts.add("atomics_return_f32." + key,
              measure<float>(device, addresses, "returning adds",
                             "atom.global.add.f32 of 1.0, results summed up, by every thread of a "
                             "full device, addresses 128 B apart, hashed starts",
                             add_returning, check_adds));
    facts.add("atomics_cas_u32." + key,
              measure<std::uint32_t>(device, addresses, "compare and swap",
                                     "atom.global.cas.b32, tries and not successes, each from the "
                                     "value that the one before found, by every thread of a full "
                                     "device, each on one address, addresses 128 B apart",
                                     compare_and_swap, check_swaps));
  }
}

}  // namespace assay
