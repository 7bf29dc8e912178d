// SPDX-License-Identifier: Apache-2.0
#include "probes/looped_work.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

namespace assay {

namespace {

double seconds_of_call(const LoopedWork& work, cudaStream_t stream, int trips) {
  const auto start = std::chrono::steady_clock::now();
  work.launch(stream, trips);
  ASSAY_CUDA(cudaStreamSynchronize(stream));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int trips_for(const LoopedWork& work, double seconds) {
  const Stream stream = make_stream();
  seconds_of_call(work, stream.get(), 1);  // loads the code
  int trips = 1;
  double measured = seconds_of_call(work, stream.get(), trips);
  // A short call is mostly launch: grow until the loop itself is what takes the time.
  while (measured < seconds / 2 && trips < std::numeric_limits<int>::max() / 8) {
    trips *= 4;
    measured = seconds_of_call(work, stream.get(), trips);
  }
  return scaled_trips(trips, measured, seconds);
}

void warm_up(const LoopedWork& work, int trips, double seconds) {
  const Stream stream = make_stream();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    for (int call = 0; call < 8; ++call) {
      work.launch(stream.get(), trips);
    }
    ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  }
}

Timing time_trips(const Device& device, const LoopedWork& work, int trips,
                  const SlopeOptions& options) {
  SlopeOptions level_options = options;
  if (device.level() == Level::full) {
    level_options.samples *= 3;
  }
  return time_slope(
      device, [&work, trips](cudaStream_t stream) { work.launch(stream, trips); }, level_options);
}

TwoTimings time_twice(const Device& device, const LoopedWork& work, int trips,
                      const SlopeOptions& options) {
  return {trips, time_trips(device, work, trips, options),
          time_trips(device, work, 2 * trips, options)};
}

void check_results(const DeviceBuffer<float>& results, bool zeros, const std::string& what) {
  const std::vector<float> values = results.download();
  const auto finite = [](float value) { return std::isfinite(value); };
  if (!std::all_of(values.begin(), values.end(), finite)) {
    throw WrongResult(what + ": a result is not finite");
  }
  const bool none = std::all_of(values.begin(), values.end(), [](float v) { return v == 0.0F; });
  if (none != zeros) {
    throw WrongResult(what + (zeros ? ": zero operands gave a result that is not zero"
                                    : ": random operands gave only zeros"));
  }
}

}  // namespace assay
