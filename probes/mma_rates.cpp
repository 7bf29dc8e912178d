// SPDX-License-Identifier: Apache-2.0
#include "probes/mma_rates.h"

namespace assay {

namespace {

constexpr std::uint64_t kOperandSeed = 0x6d6d61;
/// Power and clock follow a new load within tens of milliseconds.
constexpr double kSettleSeconds = 0.05;

void add_rates(const Device& device, const LoopedWork& work, const Timing& timing, int trips,
               const std::string& key, const std::string& kernel, Measurements& measurements) {
  measurements.add("mma." + key,
                   rate(timing, work.flops(trips), Unit::tflop_per_s, "wall slope; " + kernel));
  measurements.add("mma_per_clock." + key,
                   rate_per_clock(timing, work.flops(trips), device.sm_count(),
                                  Unit::flop_per_clock_per_sm, "clock64 slope; " + kernel));
}

}  // namespace

void randomize(DeviceBuffer<float>& operands) {
  const Stream stream = make_stream();
  fill_random_floats(operands.data(), operands.size(), kOperandSeed, stream.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
}

void measure_mma_rates(const Device& device, const MmaPath& path, DeviceBuffer<float>& results,
                       Measurements& measurements) {
  path.randomize();
  results.clear();
  // The timer's streams do not wait for the stream that clears.
  ASSAY_CUDA(cudaDeviceSynchronize());
  const int trips = trips_for(path.work);
  warm_up(path.work, trips, kSettleSeconds);
  const Timing once = time_trips(device, path.work, trips);
  const Timing twice = time_trips(device, path.work, 2 * trips);
  check_results(results, false, path.key);
  add_rates(device, path.work, twice, 2 * trips, path.key, path.kernel + ", random operands",
            measurements);
  measurements.add("mma_scaling." + path.key,
                   scaling(once, twice,
                           "clock64 slope of calls of 2N trips / of N trips; " + path.kernel +
                               ", random operands"));

  path.zero();
  results.clear();
  ASSAY_CUDA(cudaDeviceSynchronize());
  warm_up(path.work, trips, kSettleSeconds);
  const Timing zeros = time_trips(device, path.work, 2 * trips);
  check_results(results, true, path.key);
  add_rates(device, path.work, zeros, 2 * trips, path.key + "_zeros",
            path.kernel + ", all operands 0", measurements);
}

void add_absent_mma_rates(const std::string& key, const std::string& kernel,
                          const NullReason& reason, Measurements& measurements) {
  for (const std::string& variant : {key, key + "_zeros"}) {
    measurements.add("mma." + variant, absent(Unit::tflop_per_s, "wall slope; " + kernel, reason));
    measurements.add("mma_per_clock." + variant,
                     absent(Unit::flop_per_clock_per_sm, "clock64 slope; " + kernel, reason));
  }
  measurements.add("mma_scaling." + key, absent(Unit::ratio, "clock64 slope; " + kernel, reason));
}

}  // namespace assay
