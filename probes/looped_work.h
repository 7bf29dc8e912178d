// SPDX-License-Identifier: Apache-2.0
// Timing a kernel whose loop runs a given number of trips: how many trips, how fast, and does twice
// the work take twice the time?
#pragma once

#include <functional>
#include <string>

#include "probes/harness/probe.h"
#include "probes/scaling.h"

namespace assay {

struct LoopedWork {
  /// Enqueues one call of `trips` trips; captured into a graph, so launches only.
  std::function<void(cudaStream_t, int trips)> launch;
  /// Floating-point operations of one call of `trips` trips.
  std::function<double(int trips)> flops;
};

/// Calls of N trips take about this long and those of 2N, whose rate is the fact, twice as long:
/// launch, loading of operands and the end, about 3 us, are 0.1 % of a call. (The difference of two
/// timings would be free of them, but its noise, 0.3 % under the power cap, goes above the
/// ceiling.)
inline constexpr double kSecondsPerCall = 1.5e-3;

/// The trips that make one call last about `seconds`, found by running it. Throws CudaError.
int trips_for(const LoopedWork& work, double seconds = kSecondsPerCall);

/// Runs calls back to back for at least `seconds`, so that clock and power settle under this load.
void warm_up(const LoopedWork& work, int trips, double seconds);

/// Times calls of `trips` trips each, with a third of the samples at level quick. Throws CudaError.
Timing time_trips(const Device& device, const LoopedWork& work, int trips,
                  const SlopeOptions& options = {});

/// Calls of N and of 2N trips, timed alike.
struct TwoTimings {
  int trips = 0;  ///< N
  Timing once;
  Timing twice;
};
TwoTimings time_twice(const Device& device, const LoopedWork& work, int trips,
                      const SlopeOptions& options = {});

/// Throws WrongResult, naming `what`, unless every value is finite and not all are zero, or all are
/// zero when `zeros` says so: proof that the kernel ran on the operands that it was given.
void check_results(const DeviceBuffer<float>& results, bool zeros, const std::string& what);

}  // namespace assay
