// SPDX-License-Identifier: Apache-2.0
// How many atomic additions a second does the device do, by the number of addresses that share
// them?
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "probes/harness/probe.h"
#include "probes/scatter.h"

namespace assay {
namespace {

constexpr int kThreads = 256;
constexpr std::uint32_t kFloatsPerLine = 32;
constexpr std::uint32_t kSalt = 0x5eed1234u;
constexpr std::uint32_t kMaxAdds = 4096;
constexpr double kCallSeconds = 600e-6;
constexpr std::array<std::uint32_t, 9> kAddresses{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536};

constexpr const char* kMethod =
    "red.global.add.f32 of 1.0 by every thread of a full device, addresses 128 B apart, each lane "
    "from its own hashed start";

/// `salt` and `mask` are known at run time only, and lanes start at hashed addresses: neither the
/// compiler nor the warp can merge adds beforehand.
__global__ void __launch_bounds__(kThreads)
    hammer(float* counters, std::uint32_t mask, std::uint32_t salt, std::uint32_t adds) {
  const std::uint32_t thread = blockIdx.x * kThreads + threadIdx.x;
  for (std::uint32_t add = 0; add < adds; ++add) {
    const std::size_t address = add_address(thread, add, salt, mask);
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(counters + address * kFloatsPerLine),
                 "f"(1.0f)
                 : "memory");
  }
}

/// The counters of one point of the curve and the grid that adds to them.
struct Hammer {
  Hammer(const Device& device, std::uint32_t address_count)
      : counters(std::size_t{address_count} * kFloatsPerLine),
        addresses(address_count),
        blocks(static_cast<std::uint32_t>(
            device.sm_count() *
            (device.attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / kThreads))) {}

  std::uint32_t threads() const { return blocks * kThreads; }
  void enqueue(std::uint32_t adds, cudaStream_t stream) const {
    hammer<<<blocks, kThreads, 0, stream>>>(counters.data(), addresses - 1, kSalt, adds);
    ASSAY_CUDA(cudaGetLastError());
  }

  DeviceBuffer<float> counters;
  std::uint32_t addresses;
  std::uint32_t blocks;
};

double wall_seconds(const Hammer& hammer, std::uint32_t adds, cudaStream_t stream) {
  const auto start = std::chrono::steady_clock::now();
  hammer.enqueue(adds, stream);
  ASSAY_CUDA(cudaStreamSynchronize(stream));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Adds per thread for a call long enough that its launch does not count. The rates of the curve's
/// ends lie hundreds of times apart, so that is found out, by doubling.
std::uint32_t choose_adds(const Hammer& hammer, cudaStream_t stream) {
  wall_seconds(hammer, 1, stream);  // loads the code
  std::uint32_t adds = 1;
  while (adds < kMaxAdds && wall_seconds(hammer, adds, stream) < kCallSeconds) adds *= 2;
  return adds;
}

/// Each address must hold exactly as many ones as were added to it.
void check_totals(Hammer& hammer, std::uint32_t wanted_adds, cudaStream_t stream) {
  const std::uint32_t adds = countable_adds(hammer.threads(), wanted_adds, kSalt, hammer.addresses);
  const auto expected = adds_per_address(hammer.threads(), adds, kSalt, hammer.addresses);
  ASSAY_CUDA(cudaMemsetAsync(hammer.counters.data(), 0, hammer.counters.bytes(), stream));
  hammer.enqueue(adds, stream);
  ASSAY_CUDA(cudaStreamSynchronize(stream));
  const auto counters = hammer.counters.download();
  for (std::uint32_t address = 0; address < hammer.addresses; ++address) {
    const float got = counters[std::size_t{address} * kFloatsPerLine];
    if (!(got == static_cast<float>(expected[address]))) {
      throw WrongResult("atomic adds: address " + std::to_string(address) + " of " +
                        std::to_string(hammer.addresses) + " holds " + std::to_string(got) +
                        " instead of " + std::to_string(expected[address]));
    }
  }
}

SlopeOptions slope_options(Level level) {
  SlopeOptions options;
  options.samples = level == Level::quick ? 7 : 31;
  return options;
}

Fact measure(const Device& device, std::uint32_t addresses) {
  Hammer hammer(device, addresses);
  hammer.counters.clear();
  ASSAY_CUDA(cudaDeviceSynchronize());
  const Stream stream = make_stream();
  const std::uint32_t adds = choose_adds(hammer, stream.get());
  check_totals(hammer, adds, stream.get());
  const Timing timing = time_slope(
      device, [&](cudaStream_t queue) { hammer.enqueue(adds, queue); },
      slope_options(device.level()));
  return rate(timing, static_cast<double>(hammer.threads()) * adds, Unit::gop_per_s, kMethod);
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements out;
  for (const std::uint32_t addresses : kAddresses) {
    out.add("atomics_f32." + std::to_string(addresses), measure(device, addresses));
  }
  return out;
}

}  // namespace assay
