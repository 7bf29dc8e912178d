// SPDX-License-Identifier: Apache-2.0
// Which SM clock does the device hold, by three independent clocks?
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "probes/harness/device_clock.cuh"
#include "probes/harness/nvml_clock.h"
#include "probes/harness/probe.h"

namespace assay {

namespace {

constexpr double kWindowSeconds = 5e-3;
constexpr double kCallSeconds = 200e-6;
/// NVML renews its clock every 100 ms: only readings after that much of one kernel speak of it.
constexpr double kNvmlSpinSeconds = 0.3;
constexpr double kNvmlSettleSeconds = 0.2;
constexpr auto kNvmlPollInterval = std::chrono::milliseconds(10);

/// Spins `cycles` on each SM and writes clocks and nanoseconds of the spin per block.
__global__ void spin_kernel(std::uint64_t cycles, Stamp* spans) {
  const std::uint64_t time = read_globaltimer();
  const std::uint64_t clock = read_sm_clock();
  spin_for(cycles);
  const std::uint64_t clock_end = read_sm_clock();
  const std::uint64_t time_end = read_globaltimer();
  if (threadIdx.x == 0) {
    spans[blockIdx.x] = {clock_end - clock, time_end - time};
  }
}

/// Spins on every SM, one table of spans per run.
class Spinner {
 public:
  Spinner(const Device& device, int runs)
      : blocks_(device.sm_count()),
        stated_ghz_(device.attribute(cudaDevAttrClockRate) > 0
                        ? device.attribute(cudaDevAttrClockRate) * 1e-6
                        : 1.5),
        spans_(static_cast<std::size_t>(runs) * static_cast<std::size_t>(blocks_)) {
    spans_.clear();
  }

  void launch(double seconds, int run, cudaStream_t stream) const {
    spin_kernel<<<blocks_, 32, 0, stream>>>(
        static_cast<std::uint64_t>(seconds * 1e9 * stated_ghz_),
        spans_.data() + static_cast<std::size_t>(run) * static_cast<std::size_t>(blocks_));
    ASSAY_CUDA(cudaGetLastError());
  }

  /// Median clock over the SMs, for each run from `first` on, GHz.
  std::vector<double> clocks(std::size_t first) const {
    const std::vector<Stamp> spans = spans_.download();
    const auto blocks = static_cast<std::size_t>(blocks_);
    std::vector<double> medians;
    for (std::size_t run = first; run < spans.size() / blocks; ++run) {
      std::vector<double> ghz;
      for (std::size_t block = 0; block < blocks; ++block) {
        const Stamp& span = spans[run * blocks + block];
        if (span.time_ns > 0) {
          ghz.push_back(static_cast<double>(span.clock) / static_cast<double>(span.time_ns));
        }
      }
      medians.push_back(median(ghz).value_or(0.0));
    }
    return medians;
  }

 private:
  int blocks_;
  double stated_ghz_;
  DeviceBuffer<Stamp> spans_;
};

Fact clock_inside(const Device& device, int samples) {
  const Spinner spinner(device, samples + 1);
  int run = 0;  // watch() runs the work once more, before the first sample
  const Timing timing = watch(
      device, [&](cudaStream_t stream) { spinner.launch(kWindowSeconds, run++, stream); }, samples);
  return sampled(timing, spinner.clocks(1), Unit::ghz,
                 "clock64 / %globaltimer inside a spin kernel of 5 ms on every SM");
}

Fact clock_outside(const Device& device) {
  const Spinner spinner(device, 1);
  const Timing timing =
      time_slope(device, [&](cudaStream_t stream) { spinner.launch(kCallSeconds, 0, stream); });
  std::vector<double> ghz;
  for (std::size_t i = 0; i < timing.seconds_samples.size() && i < timing.cycles_samples.size();
       ++i) {
    ghz.push_back(1e-9 * timing.cycles_samples[i] / timing.seconds_samples[i]);
  }
  return sampled(timing, ghz, Unit::ghz, "slope of clock64 / slope of the host's wall clock");
}

/// NVML's readings in the later part of one long spin kernel.
std::vector<double> nvml_readings(const NvmlClock& nvml, const Spinner& spinner) {
  const Stream stream = make_stream();
  spinner.launch(kNvmlSpinSeconds, 0, stream.get());
  const auto start = std::chrono::steady_clock::now();
  std::vector<double> readings;
  cudaError_t state = cudaErrorNotReady;
  while ((state = cudaStreamQuery(stream.get())) == cudaErrorNotReady) {
    std::this_thread::sleep_for(kNvmlPollInterval);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const std::optional<double> ghz = nvml.read_ghz();
    const bool is_running = cudaStreamQuery(stream.get()) == cudaErrorNotReady;
    if (ghz && is_running && elapsed.count() > kNvmlSettleSeconds) {
      readings.push_back(*ghz);
    }
  }
  static_cast<void>(cudaGetLastError());  // "not ready" stays on the runtime's record
  ASSAY_CUDA(state);
  return readings;
}

Fact clock_by_nvml(const Device& device) {
  constexpr const char* kMethod = "NVML SM clock in the last third of a spin kernel of 0.3 s";
  const NvmlClock nvml(device.identity());
  if (!nvml.why().empty()) {
    return absent(Unit::ghz, kMethod, {NullKind::not_available, nvml.why()});
  }
  const Spinner spinner(device, 1);
  const std::vector<double> readings = nvml_readings(nvml, spinner);
  const std::optional<double> middle = median(readings);
  const double held = spinner.clocks(0).front();
  if (!middle || !(*middle > 0.0)) {
    return absent(Unit::ghz, kMethod, {NullKind::not_available, "NVML gave no SM clock"});
  }
  if (!(held > 0.0)) {
    return absent(Unit::ghz, kMethod, {NullKind::clock_lost, "no clock inside the spin kernel"});
  }
  return measured(*middle, Unit::ghz, kMethod, held, readings);
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements facts;
  const int khz = device.attribute(cudaDevAttrClockRate);
  facts.add("clock.max_ghz", khz > 0 ? stated(khz * 1e-6, Unit::ghz, "driver attribute")
                                     : absent(Unit::ghz, "driver attribute",
                                              {NullKind::not_available, "no clock stated"}));
  facts.add("clock.sm_ghz", clock_inside(device, device.level() == Level::quick ? 9 : 45));
  facts.add("clock.wall_ghz", clock_outside(device));
  facts.add("clock.nvml_ghz", clock_by_nvml(device));
  return facts;
}

}  // namespace assay
