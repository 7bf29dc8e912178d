// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/timing.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <vector>

#include "probes/harness/canary.h"
#include "probes/harness/check.h"
#include "probes/harness/resources.h"
#include "probes/harness/stamps.h"

namespace assay {

namespace {

/// The graphs are uploaded and their work has run: one replay each settles caches and clocks.
constexpr int kWarmups = 1;
constexpr int kEstimateReplays = 2;
constexpr int kEstimateCalls = 65;
constexpr double kLeastShareOfWall = 0.1;
constexpr int kMinSamples = 3;
constexpr std::uint32_t kOrderSeed = 20261130;
constexpr double kListenSeconds = 5e-3;
/// How long to listen again, in all, once something was heard: a verdict needs more than one slice.
constexpr int kMoreListening = 4;

/// What the process as a whole has seen; one device per process.
struct History {
  std::vector<double> clocks;
  std::optional<double> canary_expected_s;
  double canary_worst_s = 0.0;
  int rejected = 0;
  bool contended = false;
};

History& history() {
  static History seen;
  return seen;
}

Canary& canary(const Device& device) {
  static Canary instance(device);
  history().canary_expected_s = instance.expected_seconds();
  return instance;
}

/// Runs the canary; true when it was disturbed.
bool is_window_disturbed(const Device& device) {
  Canary& spinner = canary(device);
  const CanaryRun run = spinner.run();
  history().canary_worst_s = std::max(history().canary_worst_s, run.wall_seconds);
  return spinner.disturbed(run);
}

/// The share of time that other contexts take, by a kernel that listens for its own pauses.
double heard_share(const Device& device) {
  std::vector<CanaryRun> runs = {canary(device).listen(kListenSeconds)};
  for (int i = 0; i < kMoreListening && runs.front().stolen_seconds > 0.0; ++i) {
    runs.push_back(canary(device).listen(kListenSeconds));
  }
  return stolen_share(runs);
}

void remember(const Timing& timing, const std::vector<double>& clocks) {
  History& seen = history();
  seen.clocks.insert(seen.clocks.end(), clocks.begin(), clocks.end());
  seen.rejected += timing.rejected;
  if (timing.spoiled && timing.spoiled->kind == NullKind::contended) {
    seen.contended = true;
  }
}

/// Stamp, the work some times over, stamp: captured in a graph, or only counted.
class TimedGraph {
 public:
  explicit TimedGraph(int calls) : calls_(calls) {}
  TimedGraph(const Stamper& stamper, const Enqueue& work, int calls, cudaStream_t stream)
      : calls_(calls) {
    // Thread-local mode: what other threads do is not this capture's business.
    ASSAY_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cudaGraph_t raw = nullptr;
    try {
      stamper.stamp_before(stream);
      for (int i = 0; i < calls; ++i) {
        work(stream);
      }
      stamper.stamp_after(stream);
      ASSAY_CUDA(cudaGetLastError());
    } catch (...) {
      static_cast<void>(cudaStreamEndCapture(stream, &raw));
      const Graph discarded(raw);
      static_cast<void>(cudaGetLastError());
      throw;
    }
    ASSAY_CUDA(cudaStreamEndCapture(stream, &raw));
    const Graph graph(raw);
    cudaGraphExec_t instance = nullptr;
    ASSAY_CUDA(cudaGraphInstantiate(&instance, graph.get(), 0));
    exec_.reset(instance);
    ASSAY_CUDA(cudaGraphUpload(exec_.get(), stream));
    ASSAY_CUDA(cudaStreamSynchronize(stream));
  }

  cudaGraphExec_t get() const { return exec_.get(); }  ///< null when only counted
  int calls() const { return calls_; }

 private:
  int calls_;
  GraphExec exec_;
};

/// Replays graphs on its own stream and reads wall, events and stamps of each replay.
class Replayer {
 public:
  Replayer(const Device& device, const Enqueue& work, bool in_graph = true)
      : in_graph_(in_graph),
        stamper_(device.sm_count()),
        stream_(make_stream()),
        begin_(make_event()),
        end_(make_event()),
        work_(work) {
    // Everything once outside of capture: lazy loading is not allowed inside of it, and a launch
    // that cannot work must fail here.
    stamper_.stamp_before(stream());
    work_(stream());
    stamper_.stamp_after(stream());
    ASSAY_CUDA(cudaGetLastError());
    ASSAY_CUDA(cudaStreamSynchronize(stream()));
  }

  cudaStream_t stream() const { return stream_.get(); }
  TimedGraph graph(int calls) const {
    return in_graph_ ? TimedGraph(stamper_, work_, calls, stream()) : TimedGraph(calls);
  }

  Replay replay(const TimedGraph& graph) {
    if (graph.get() == nullptr) {
      return run_one_by_one(graph.calls());
    }
    return timed([&] { ASSAY_CUDA(cudaGraphLaunch(graph.get(), stream())); });
  }

  /// The work without a graph.
  Replay run_one_by_one(int calls) {
    return timed([&] {
      stamper_.stamp_before(stream());
      for (int i = 0; i < calls; ++i) {
        work_(stream());
      }
      stamper_.stamp_after(stream());
    });
  }

  double least_wall(const TimedGraph& graph) {
    double least = replay(graph).wall_seconds;
    for (int i = 1; i < kEstimateReplays; ++i) {
      least = std::min(least, replay(graph).wall_seconds);
    }
    return least;
  }

 private:
  template <typename Launch>
  Replay timed(const Launch& launch) {
    using Clock = std::chrono::steady_clock;
    stamper_.clear(stream());
    ASSAY_CUDA(cudaStreamSynchronize(stream()));
    const auto start = Clock::now();
    ASSAY_CUDA(cudaEventRecord(begin_.get(), stream()));
    launch();
    ASSAY_CUDA(cudaEventRecord(end_.get(), stream()));
    ASSAY_CUDA(cudaStreamSynchronize(stream()));
    const std::chrono::duration<double> wall = Clock::now() - start;
    ASSAY_CUDA(cudaGetLastError());
    float event_ms = 0.0f;
    ASSAY_CUDA(cudaEventElapsedTime(&event_ms, begin_.get(), end_.get()));
    return {wall.count(), 1e-3 * static_cast<double>(event_ms), stamper_.read(stream())};
  }

  bool in_graph_;
  Stamper stamper_;
  Stream stream_;
  Event begin_;
  Event end_;
  const Enqueue& work_;
};

/// How often to call the work, from a few replays of short graphs.
CallPlan calibrate(Replayer& replayer, const SlopeOptions& options) {
  const double one = replayer.least_wall(replayer.graph(1));
  if (one >= options.target_span_s) {
    return choose_calls(one, options.target_span_s, options.max_calls);
  }
  // One wall time of a short call is mostly launch and synchronisation: only a difference counts,
  // over as many calls as are sure to fit into the span.
  const int fitting = static_cast<int>(std::min(options.target_span_s / one, 1e6));
  const int calls = std::min({kEstimateCalls, options.max_calls, fitting + 1});
  if (calls < 2) {
    return choose_calls(one, options.target_span_s, options.max_calls);
  }
  const double many = replayer.least_wall(replayer.graph(calls));
  const double slope = (many - one) / (calls - 1);
  // Somebody else's work may have made the one look long: never so many calls that the long graph
  // could last for seconds.
  const double least = kLeastShareOfWall * many / calls;
  return choose_calls(std::max(slope, least), options.target_span_s, options.max_calls);
}

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
  canary(device);  // wakes the device before the first estimate
  Replayer replayer(device, work, options.in_graph);
  const CallPlan plan = calibrate(replayer, options);
  const std::vector<SlopePair> pairs =
      sample_pairs(device, replayer, plan, std::max(options.samples, kMinSamples));
  Timing timing = judge_slope(pairs, plan, options, heard_share(device));
  remember(timing, window_clocks(pairs));
  return timing;
}

Timing watch(const Device& device, const Enqueue& work, int samples) {
  canary(device);
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

TimerLog timer_log() {
  const History& seen = history();
  TimerLog log;
  log.clock_median_ghz = median(seen.clocks);
  if (!seen.clocks.empty()) {
    const auto [low, high] = std::minmax_element(seen.clocks.begin(), seen.clocks.end());
    log.clock_min_ghz = *low;
    log.clock_max_ghz = *high;
  }
  if (seen.canary_expected_s) {
    log.canary_expected_us = 1e6 * *seen.canary_expected_s;
    if (seen.canary_worst_s > 0.0) {
      log.canary_worst_us = 1e6 * seen.canary_worst_s;
    }
  }
  log.rejected = seen.rejected;
  log.contended = seen.contended;
  return log;
}

}  // namespace assay
