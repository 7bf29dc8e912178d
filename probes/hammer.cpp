// SPDX-License-Identifier: Apache-2.0
#include "probes/hammer.h"

#include <chrono>

namespace assay {
namespace {

constexpr double kCallSeconds = 400e-6;

double wall_seconds(const Hammer& hammer, std::uint32_t atomics, cudaStream_t stream) {
  const auto start = std::chrono::steady_clock::now();
  hammer.enqueue(atomics, stream);
  ASSAY_CUDA(cudaStreamSynchronize(stream));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Atomics per thread for a call long enough that its launch does not count. The rates of the
/// curve's ends lie hundreds of times apart, so that is found out, by doubling.
std::uint32_t choose_atomics(const Hammer& hammer, cudaStream_t stream) {
  wall_seconds(hammer, 1, stream);  // loads the code
  std::uint32_t atomics = 1;
  while (atomics < hammer.most_atomics && wall_seconds(hammer, atomics, stream) < kCallSeconds) {
    atomics *= 2;
  }
  return atomics;
}

SlopeOptions slope_options(Level level) {
  SlopeOptions options;
  options.target_span_s = 2e-3;
  options.samples = level == Level::quick ? 5 : 31;
  return options;
}

}  // namespace

std::uint32_t full_device_blocks(const Device& device) {
  const int threads = device.attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  return static_cast<std::uint32_t>(device.sm_count()) *
         (static_cast<std::uint32_t>(threads) / kHammerThreads);
}

Fact measure_hammer(const Device& device, const Hammer& hammer) {
  const Stream stream = make_stream();
  const std::uint32_t atomics = choose_atomics(hammer, stream.get());
  hammer.check(atomics, stream.get());
  const Timing timing = time_slope(
      device, [&](cudaStream_t queue) { hammer.enqueue(atomics, queue); },
      slope_options(device.level()));
  return rate(timing, static_cast<double>(hammer.threads) * atomics, Unit::gop_per_s,
              hammer.method);
}

void check_total(const std::string& name, std::size_t address, std::uint64_t got,
                 std::uint64_t expected) {
  if (got == expected) return;
  throw WrongResult(name + ": address " + std::to_string(address) + " holds " +
                    std::to_string(got) + " instead of " + std::to_string(expected));
}

}  // namespace assay
