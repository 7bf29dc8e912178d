// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/timing.h"

#include <algorithm>
#include <random>
#include <vector>

#include "probes/harness/timer_log.h"

namespace assay {

namespace {

/// The graphs are uploaded and their work has run: one replay each settles caches and clocks.
constexpr int kWarmups = 1;
constexpr int kMinSamples = 3;
constexpr std::uint32_t kOrderSeed = 20261130;

std::vector<double> window_clocks(const std::vector<SlopePair>& pairs) {
  std::vector<double> clocks;
  for (const SlopePair& pair : pairs) {
    if (!pair.disturbed && pair.long_graph.window.clock_ghz) {
      clocks.push_back(*pair.long_graph.window.clock_ghz);
    }
  }
  return clocks;
}

std::vector<SlopePair> sample_pairs(const Device& device, Replayer& replayer, const CallPlan& plan,
                                    int samples) {
  const TimedGraph short_graph = replayer.graph(plan.short_calls);
  const TimedGraph long_graph = replayer.graph(plan.long_calls);
  for (int i = 0; i < kWarmups; ++i) {
    replayer.replay(short_graph);
    replayer.replay(long_graph);
  }
  std::mt19937 order(kOrderSeed);
  std::vector<SlopePair> pairs(static_cast<std::size_t>(samples));
  for (SlopePair& pair : pairs) {
    if (order() % 2 == 0) {
      pair.short_graph = replayer.replay(short_graph);
      pair.long_graph = replayer.replay(long_graph);
    } else {
      pair.long_graph = replayer.replay(long_graph);
      pair.short_graph = replayer.replay(short_graph);
    }
    pair.disturbed = is_window_disturbed(device);
  }
  return pairs;
}

}  // namespace

Timing time_slope(const Device& device, const Enqueue& work, const SlopeOptions& options) {
  canary_of(device);  // wakes the device before the first estimate
  Replayer replayer(device, work, options.in_graph);
  const CallPlan plan = calibrate(replayer, options);
  const std::vector<SlopePair> pairs =
      sample_pairs(device, replayer, plan, std::max(options.samples, kMinSamples));
  Timing timing = judge_slope(pairs, plan, options, heard_share(device));
  remember(timing, window_clocks(pairs));
  return timing;
}

Timing watch(const Device& device, const Enqueue& work, int samples) {
  canary_of(device);
  Replayer replayer(device, work);
  std::vector<WatchedRun> runs;
  std::vector<double> clocks;
  for (int i = 0; i < std::max(samples, 1); ++i) {
    WatchedRun run;
    run.window = replayer.run_one_by_one(1).window;
    run.disturbed = is_window_disturbed(device);
    if (!run.disturbed && run.window.clock_ghz) {
      clocks.push_back(*run.window.clock_ghz);
    }
    runs.push_back(run);
  }
  Timing timing = judge_watch(runs);
  remember(timing, clocks);
  return timing;
}

}  // namespace assay
