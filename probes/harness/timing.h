// SPDX-License-Identifier: Apache-2.0
// How long does one call of some device work take?
//
// Events can be rewritten by a kernel and carry a floor of microseconds; one wall time carries
// launch and synchronisation. So the time per call is the slope of host wall time over replays of
// two graphs that differ only in how often they hold the work: what both share cancels. Each graph
// starts and ends with a stamp kernel that reads clock64 and %globaltimer on every SM, so that the
// same window also yields the SM clock held and the cycles per call without touching the work
// itself; and after each pair of replays a spin kernel of known length (the canary) tells whether
// somebody else ran.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "dossiers/measurement.h"
#include "probes/harness/device.h"

namespace assay {

/// Enqueues one call of the work on the stream. Called under stream capture: no allocation, no
/// sync.
using Enqueue = std::function<void(cudaStream_t)>;

struct SlopeOptions {
  double target_span_s = 5e-3;   ///< wall time by which the long graph should exceed the short one
  int samples = 11;              ///< pairs of replays; each gives one slope
  int max_calls = 1024;          ///< cap on the calls in the long graph
  double max_rel_spread = 0.05;  ///< above it the timing is spoiled as unsteady
};

struct Timing {
  double seconds = 0.0;                 ///< per call, median of the wall slopes
  std::vector<double> seconds_samples;  ///< accepted slopes
  double cycles = 0.0;                  ///< SM clocks per call, median of the clock64 slopes
  std::vector<double> cycles_samples;
  double clock_ghz = 0.0;  ///< median over the windows of clock64 / globaltimer
  double clock_min_ghz = 0.0, clock_max_ghz = 0.0;
  double event_seconds = 0.0;     ///< the same slope by events: a diagnostic only
  double overhead_seconds = 0.0;  ///< intercept: launch, stamps and sync
  int short_calls = 0, long_calls = 0;
  int rejected = 0;                   ///< pairs dropped because the canary was disturbed
  std::optional<NullReason> spoiled;  ///< set when no trustworthy number came out
};

/// Times `work`. Throws CudaError, never a fabricated number; contention is `spoiled`, not an
/// exception.
Timing time_slope(const Device& device, const Enqueue& work, const SlopeOptions& options = {});

/// work_per_call / seconds, scaled to `units` (gb_per_s, tflop_per_s and gop_per_s only).
/// An absent fact with the timing's reason when it is spoiled.
Fact rate(const Timing& timing, double work_per_call, Unit units, std::string method);
/// work_per_call / cycles / SMs (flop_per_clock_per_sm and bytes_per_clock_per_sm only).
Fact rate_per_clock(const Timing& timing, double work_per_call, int sm_count, Unit units,
                    std::string method);
/// Time per call in `units` (ns, us, ms or s), divided by `operations` per call.
Fact duration(const Timing& timing, double operations, Unit units, std::string method);

/// Timing of work whose length is the kernel's own business: runs `work` alone `samples` times with
/// stamps around it, for probes that count cycles inside the kernel. Fields: clock_*, rejected,
/// spoiled.
Timing watch(const Device& device, const Enqueue& work, int samples);

/// Everything the timer saw so far in this process, for the evidence's conditions.
struct TimerLog {
  std::optional<double> clock_min_ghz, clock_median_ghz, clock_max_ghz;
  std::optional<double> canary_expected_us, canary_worst_us;
  int rejected = 0;
  bool contended = false;
};
TimerLog timer_log();

}  // namespace assay
