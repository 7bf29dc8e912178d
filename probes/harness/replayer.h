// SPDX-License-Identifier: Apache-2.0
// How long did this many calls take, by the host's clock, by events and by the SMs' clocks? One
// replay of one graph: what the probes' timer and the bench make their slopes of.
#pragma once

#include <cstddef>
#include <functional>

#include <cuda_runtime_api.h>

#include "probes/harness/device.h"
#include "probes/harness/resources.h"
#include "probes/harness/slope.h"
#include "probes/harness/stamps.h"

namespace assay {

/// Enqueues one call of the work on the stream. Called under stream capture: no allocation, no
/// sync.
using Enqueue = std::function<void(cudaStream_t)>;

/// Stamp, the work some times over, stamp: captured in a graph, or only counted.
class TimedGraph {
 public:
  /// Only counted: Replayer::replay() enqueues the calls one by one.
  explicit TimedGraph(int calls) : calls_(calls) {}
  /// Captured. Throws CudaError when the work cannot be captured.
  TimedGraph(const Stamper& stamper, const Enqueue& work, int calls, cudaStream_t stream);

  cudaGraphExec_t get() const { return exec_.get(); }  ///< null when only counted
  int calls() const { return calls_; }
  /// Nodes that the work brought in, all calls together; the stamps are not counted.
  std::size_t work_nodes() const { return work_nodes_; }

 private:
  int calls_;
  std::size_t work_nodes_ = 0;
  GraphExec exec_;
};

/// Replays graphs on its own stream and reads wall, events and stamps of each replay.
class Replayer {
 public:
  /// Runs `work` once outside of capture: lazy loading is not allowed inside of it, and a launch
  /// that cannot work must fail here. Throws CudaError.
  Replayer(const Device& device, Enqueue work, bool in_graph = true);

  cudaStream_t stream() const { return stream_.get(); }
  /// The replayer's own work, `calls` times.
  TimedGraph graph(int calls) const;
  /// Another work between the same stamps, always captured.
  TimedGraph graph_of(const Enqueue& work, int calls) const;

  Replay replay(const TimedGraph& graph);
  /// The work without a graph.
  Replay run_one_by_one(int calls);
  /// The least wall time of a few replays, seconds.
  double least_wall(const TimedGraph& graph);

 private:
  Replay timed(const std::function<void()>& launch);

  bool in_graph_;
  Stamper stamper_;
  Stream stream_;
  Event begin_;
  Event end_;
  Enqueue work_;
};

/// How often to call the work, from a few replays of short graphs.
CallPlan calibrate(Replayer& replayer, const SlopeOptions& options);

}  // namespace assay
