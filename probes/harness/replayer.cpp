// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/replayer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "probes/harness/check.h"

namespace assay {

namespace {

constexpr int kEstimateReplays = 2;
constexpr int kEstimateCalls = 65;
constexpr double kLeastShareOfWall = 0.1;
/// The two stamp kernels of every graph.
constexpr std::size_t kStampNodes = 2;

/// Captures stamp, calls, stamp. Throws CudaError; the stream is then out of capture again.
Graph capture(const Stamper& stamper, const Enqueue& work, int calls, cudaStream_t stream) {
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
  return Graph(raw);
}

}  // namespace

TimedGraph::TimedGraph(const Stamper& stamper, const Enqueue& work, int calls, cudaStream_t stream)
    : calls_(calls) {
  const Graph graph = capture(stamper, work, calls, stream);
  std::size_t nodes = 0;
  ASSAY_CUDA(cudaGraphGetNodes(graph.get(), nullptr, &nodes));
  work_nodes_ = nodes - std::min(nodes, kStampNodes);
  cudaGraphExec_t instance = nullptr;
  ASSAY_CUDA(cudaGraphInstantiate(&instance, graph.get(), 0));
  exec_ = GraphExec(instance);
  ASSAY_CUDA(cudaGraphUpload(exec_.get(), stream));
  ASSAY_CUDA(cudaStreamSynchronize(stream));
}

Replayer::Replayer(const Device& device, Enqueue work, bool in_graph)
    : in_graph_(in_graph),
      stamper_(device.sm_count()),
      stream_(make_stream()),
      begin_(make_event()),
      end_(make_event()),
      work_(std::move(work)) {
  stamper_.stamp_before(stream());
  work_(stream());
  stamper_.stamp_after(stream());
  ASSAY_CUDA(cudaGetLastError());
  ASSAY_CUDA(cudaStreamSynchronize(stream()));
}

TimedGraph Replayer::graph(int calls) const {
  return in_graph_ ? graph_of(work_, calls) : TimedGraph(calls);
}

TimedGraph Replayer::graph_of(const Enqueue& work, int calls) const {
  return {stamper_, work, calls, stream()};
}

Replay Replayer::replay(const TimedGraph& graph) {
  if (graph.get() == nullptr) {
    return run_one_by_one(graph.calls());
  }
  return timed([&] { ASSAY_CUDA(cudaGraphLaunch(graph.get(), stream())); });
}

Replay Replayer::run_one_by_one(int calls) {
  return timed([&] {
    stamper_.stamp_before(stream());
    for (int i = 0; i < calls; ++i) {
      work_(stream());
    }
    stamper_.stamp_after(stream());
  });
}

double Replayer::least_wall(const TimedGraph& graph) {
  double least = replay(graph).wall_seconds;
  for (int i = 1; i < kEstimateReplays; ++i) {
    least = std::min(least, replay(graph).wall_seconds);
  }
  return least;
}

Replay Replayer::timed(const std::function<void()>& launch) {
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

}  // namespace assay
