// SPDX-License-Identifier: Apache-2.0
// What do the raw readings of the timer mean? Pure arithmetic: no CUDA here, so that every outcome
// can be tested with made-up readings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dossiers/measurement.h"

namespace assay {

struct SlopeOptions {
  double target_span_s = 5e-3;   ///< wall time by which the long graph should exceed the short one
  int samples = 11;              ///< pairs of replays; each gives one slope; at least 3 are taken
  int max_calls = 1024;          ///< cap on the calls in the long graph
  double max_rel_spread = 0.05;  ///< above it the timing is spoiled as unsteady
  /// False: calls are enqueued one by one. For driver commands that last long against an enqueue: a
  /// copy that is a graph's node takes another path than cudaMemcpyAsync (2.7 for 4.2 TB/s, H200).
  bool in_graph = true;
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
  int windows = 0;                    ///< pairs or watched runs taken, rejected ones included
  int rejected = 0;                   ///< pairs dropped because the canary was disturbed
  std::optional<NullReason> spoiled;  ///< set when no trustworthy number came out
};

/// What a stamp kernel wrote for one SM; all zero where no block ran there.
struct alignas(16) Stamp {
  std::uint64_t clock = 0;    ///< clock64
  std::uint64_t time_ns = 0;  ///< %globaltimer
};

/// What two stamps around a window say: medians over the SMs stamped in both.
struct StampWindow {
  std::optional<double> cycles;     ///< SM clocks that passed
  std::optional<double> clock_ghz;  ///< nullopt unless within (0.1, 5)
};
StampWindow read_window(const std::vector<Stamp>& before, const std::vector<Stamp>& after);

/// How often the two graphs hold the work.
struct CallPlan {
  int short_calls = 1;
  int long_calls = 2;
};
/// The plan whose graphs differ by at least `target_span_s` when one call takes
/// `seconds_per_call`, unless `max_calls` forbids. An estimate that is not positive counts as 0.
CallPlan choose_calls(double seconds_per_call, double target_span_s, int max_calls);

/// One replay of one graph.
struct Replay {
  double wall_seconds = 0.0;
  double event_seconds = 0.0;
  StampWindow window;
};
/// One sample: both graphs, and whether the canary after them was disturbed.
struct SlopePair {
  Replay short_graph;
  Replay long_graph;
  bool disturbed = false;
};

/// The timing that `pairs` amount to. `stolen_share` is the share of a listening kernel's time in
/// which it did not run: above kMaxStolenShare the timing is contended whatever the canaries say.
Timing judge_slope(const std::vector<SlopePair>& pairs, const CallPlan& plan,
                   const SlopeOptions& options, double stolen_share = 0.0);

/// Timings of the same work in several places, at least one, as one: the samples of all and their
/// medians. The first spoiled part spoils it.
Timing join(const std::vector<Timing>& parts);

/// One watched run of work: no slope, only the clock.
struct WatchedRun {
  StampWindow window;
  bool disturbed = false;
};
Timing judge_watch(const std::vector<WatchedRun>& runs);

/// Everything the timer saw so far in this process, for the evidence's conditions.
struct TimerLog {
  std::optional<double> clock_min_ghz, clock_median_ghz, clock_max_ghz;
  std::optional<double> canary_expected_us, canary_worst_us;
  int rejected = 0;
  bool contended = false;
};
/// One run of the canary, a spin kernel of known length.
struct CanaryRun {
  double wall_seconds = 0.0;    ///< launch to return of the synchronisation
  double inside_seconds = 0.0;  ///< %globaltimer from its first to its last instruction
  double stolen_seconds = 0.0;  ///< sum of the pauses in which the spinning warp did not run
};
/// Launch and synchronisation of a quiet canary: the least wall - inside, but never above
/// kMaxLaunchFloorSeconds: on a busy device every run is slow and must not become the norm.
double launch_floor(const std::vector<CanaryRun>& runs);
/// True when somebody else's work, or the host, came in between.
bool is_disturbed(const CanaryRun& run, double floor_seconds);
/// Over all runs: stolen / inside. 0 without runs.
double stolen_share(const std::vector<CanaryRun>& runs);

inline constexpr double kMaxLaunchFloorSeconds = 100e-6;
inline constexpr double kDisturbanceSeconds = 100e-6;
inline constexpr double kMaxStolenShare = 0.01;
/// A pause of a spinning warp above this is not the SM's own doing, ns.
inline constexpr std::uint64_t kPauseNs = 20'000;

}  // namespace assay
