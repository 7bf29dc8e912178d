// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <vector>

#include "probes/harness/canary.h"
#include "probes/harness/device_clock.cuh"

namespace assay {

namespace {

constexpr double kCanarySeconds = 50e-6;
constexpr double kWakeSeconds = 10e-3;
constexpr int kWakeRuns = 3;
constexpr int kFloorRuns = 16;
/// Used when the driver does not state a clock; only the canary's length depends on it.
constexpr double kAssumedClockGhz = 1.5;

__global__ void canary_kernel(std::uint64_t cycles, CanaryReading* reading) {
  const std::uint64_t clock = read_sm_clock();
  const std::uint64_t start = read_globaltimer();
  std::uint64_t last = start;
  std::uint64_t stolen = 0;
  do {
    const std::uint64_t now = read_globaltimer();
    if (now - last > kPauseNs) {
      stolen += now - last;
    }
    last = now;
  } while (read_sm_clock() - clock < cycles);
  *reading = {last - start, stolen};
}

}  // namespace

Canary::Canary(const Device& device)
    : clock_ghz_(device.attribute(cudaDevAttrClockRate) * 1e-6),
      stream_(make_stream()),
      reading_(1),
      host_(1) {
  if (!(clock_ghz_ > 0.0)) {
    clock_ghz_ = kAssumedClockGhz;
  }
  for (int i = 0; i < kWakeRuns; ++i) {
    listen(kWakeSeconds);
  }
  std::vector<CanaryRun> runs;
  for (int i = 0; i < kFloorRuns; ++i) {
    runs.push_back(run());
  }
  floor_seconds_ = launch_floor(runs);
}

CanaryRun Canary::run() {
  return listen(kCanarySeconds);
}

CanaryRun Canary::listen(double seconds) {
  return spin(static_cast<std::uint64_t>(seconds * 1e9 * clock_ghz_));
}

double Canary::expected_seconds() const {
  return kCanarySeconds + floor_seconds_;
}

CanaryRun Canary::spin(std::uint64_t cycles) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  canary_kernel<<<1, 1, 0, stream_.get()>>>(cycles, reading_.data());
  ASSAY_CUDA(cudaGetLastError());
  ASSAY_CUDA(cudaStreamSynchronize(stream_.get()));
  const std::chrono::duration<double> wall = Clock::now() - start;
  ASSAY_CUDA(cudaMemcpyAsync(host_.data(), reading_.data(), reading_.bytes(),
                             cudaMemcpyDeviceToHost, stream_.get()));
  ASSAY_CUDA(cudaStreamSynchronize(stream_.get()));
  const CanaryReading reading = *host_.data();
  return {wall.count(), 1e-9 * static_cast<double>(reading.span_ns),
          1e-9 * static_cast<double>(reading.stolen_ns)};
}

}  // namespace assay
