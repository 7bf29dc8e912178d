// SPDX-License-Identifier: Apache-2.0
#include "probes/mma_rates.h"

namespace assay {

namespace {

constexpr std::uint64_t kOperandSeed = 0x6d6d61;

/// How long a path is measured. Power and clock follow a new load within tens of milliseconds.
struct Effort {
  double call_s, settle_s;
  SlopeOptions options;
};
constexpr double kSpan = 3e-3;

SlopeOptions options(double span_s) {
  SlopeOptions options;
  options.target_span_s = span_s;
  options.samples = 5;
  // While the power cap finds its clock, wall times spread (8 % seen); clocks per call do not.
  options.max_rel_spread = 0.2;
  return options;
}

Effort effort(const Device& device, Thoroughness thoroughness) {
  if (thoroughness == Thoroughness::main || device.level() == Level::full) {
    return {kSecondsPerCall, 0.05, options(kSpan)};
  }
  return {kSecondsPerCall / 2, 0.02, options(kSpan / 2)};
}

/// After light work the power cap takes longer to find the clock of the first full load. Until it
/// has, the clock moves inside the windows, and a call takes 0.5 % more clocks than afterwards.
constexpr double kFirstSettleSeconds = 0.15;

double settle_seconds(const Effort& effort) {
  static bool is_first = true;
  const double seconds = is_first ? kFirstSettleSeconds : effort.settle_s;
  is_first = false;
  return seconds;
}

/// What was timed: so many trips of the path, on random operands or zeros.
struct TimedCalls {
  const MmaPath& path;
  Timing timing;
  int trips;
  std::string variant;   ///< of the key
  std::string operands;  ///< for the method
};

constexpr const char* kLoopMethod = "clock64 around the loop on each SM, median; ";

/// Runs the calls once more, as often as the timing has samples, each under the canary.
Fact loop_rate(const Device& device, const TimedCalls& calls, const std::string& kernel) {
  const double flops_per_sm = calls.path.work.flops(calls.trips) / device.sm_count();
  Timing label = calls.timing;
  std::vector<double> rates;
  std::size_t disturbed = 0;
  for (std::size_t i = 0; i < calls.timing.seconds_samples.size(); ++i) {
    const Timing run = watch(
        device, [&calls](cudaStream_t stream) { calls.path.work.launch(stream, calls.trips); }, 1);
    disturbed += run.spoiled ? 1 : 0;
    if (run.spoiled) continue;
    const std::vector<std::uint64_t> clocks = calls.path.loop_clocks();
    // No clock at all makes an infinite rate, which is no sample.
    rates.push_back(flops_per_sm /
                    median(std::vector<double>(clocks.begin(), clocks.end())).value_or(0.0));
  }
  if (!label.spoiled && disturbed > rates.size()) {
    label.spoiled = NullReason{NullKind::contended, std::to_string(disturbed) + " runs disturbed"};
  }
  return sampled(label, rates, Unit::flop_per_clock_per_sm, kLoopMethod + kernel);
}

void add_rates(const Device& device, const TimedCalls& calls, Measurements& measurements) {
  const std::string key = calls.path.key + calls.variant;
  const std::string kernel = calls.path.kernel + calls.operands;
  const double flops = calls.path.work.flops(calls.trips);
  measurements.add("mma." + key,
                   rate(calls.timing, flops, Unit::tflop_per_s, "wall slope; " + kernel));
  measurements.add("mma_per_clock." + key,
                   calls.path.loop_clocks
                       ? loop_rate(device, calls, kernel)
                       : rate_per_clock(calls.timing, flops, device.sm_count(),
                                        Unit::flop_per_clock_per_sm, "clock64 slope; " + kernel));
}

void measure_zeros(const Device& device, const MmaPath& path, const Effort& budget, int trips,
                   DeviceBuffer<float>& results, Measurements& measurements) {
  path.zero();
  results.clear();
  ASSAY_CUDA(cudaDeviceSynchronize());
  warm_up(path.work, trips, settle_seconds(budget));
  const Timing timing = time_trips(device, path.work, 2 * trips, budget.options);
  check_results(results, true, path.key);
  add_rates(device, {path, timing, 2 * trips, "_zeros", ", all operands 0"}, measurements);
}

}  // namespace

void randomize(DeviceBuffer<float>& operands) {
  const Stream stream = make_stream();
  fill_random_floats(operands.data(), operands.size(), kOperandSeed, stream.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
}

void measure_mma_rates(const Device& device, const MmaPath& path, Thoroughness thoroughness,
                       DeviceBuffer<float>& results, Measurements& measurements) {
  const Effort budget = effort(device, thoroughness);
  path.randomize();
  results.clear();
  // The timer's streams do not wait for the stream that clears.
  ASSAY_CUDA(cudaDeviceSynchronize());
  const int trips = trips_for(path.work, budget.call_s);
  warm_up(path.work, trips, settle_seconds(budget));
  const Timing twice = time_trips(device, path.work, 2 * trips, budget.options);
  check_results(results, false, path.key);
  const std::string operands = ", random operands";
  add_rates(device, {path, twice, 2 * trips, "", operands}, measurements);
  if (thoroughness == Thoroughness::main || device.level() == Level::full) {
    const Timing once = time_trips(device, path.work, trips, budget.options);
    measurements.add(
        "mma_scaling." + path.key,
        scaling(once, twice,
                "clock64 slope of calls of 2N trips / of N trips; " + path.kernel + operands));
    measure_zeros(device, path, budget, trips, results, measurements);
  }
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
