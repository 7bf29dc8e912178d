// SPDX-License-Identifier: Apache-2.0
// What does it cost to launch work that does nothing?
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "probes/harness/device_clock.cuh"
#include "probes/harness/probe.h"

namespace assay {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSamples = 11;
constexpr int kDiscarded = 50;
constexpr int kTrain = 1000;  // below the 1024 launches that the driver queues without waiting
constexpr int kShortTrain = 200;
constexpr int kRoundTrips = 40;
constexpr int kReplays = 5;
constexpr double kLabelSeconds = 200e-6;
constexpr double kMicro = 1e6;

__global__ void empty_kernel() {}

__global__ void spin_kernel(std::uint64_t cycles) {
  spin_for(cycles);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void launch_train(int launches, cudaStream_t stream) {
  for (int i = 0; i < launches; ++i) {
    empty_kernel<<<1, 1, 0, stream>>>();
  }
  ASSAY_CUDA(cudaGetLastError());
}

void synchronize(cudaStream_t stream) {
  ASSAY_CUDA(cudaStreamSynchronize(stream));
}

/// Host time per launch while the device keeps up, us.
double enqueue_sample(cudaStream_t stream) {
  launch_train(kDiscarded, stream);
  const auto start = Clock::now();
  launch_train(kTrain - kDiscarded, stream);
  const double seconds = seconds_since(start);
  synchronize(stream);
  return kMicro * seconds / (kTrain - kDiscarded);
}

double train_seconds(int launches, cudaStream_t stream) {
  const auto start = Clock::now();
  launch_train(launches, stream);
  synchronize(stream);
  return seconds_since(start);
}

/// Time per kernel in a train, launch and synchronisation cancelled, us.
double cadence_sample(cudaStream_t stream) {
  const double brief = train_seconds(kShortTrain, stream);
  const double full = train_seconds(kTrain, stream);
  return kMicro * (full - brief) / (kTrain - kShortTrain);
}

/// Launch and wait, us: the median of some round trips, so that one interrupt does not count.
double round_trip_sample(cudaStream_t stream) {
  std::vector<double> trips;
  for (int i = 0; i < kRoundTrips; ++i) {
    trips.push_back(kMicro * train_seconds(1, stream));
  }
  return median(trips).value_or(0.0);
}

GraphExec empty_graph(int nodes, cudaStream_t stream) {
  ASSAY_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  launch_train(nodes, stream);
  cudaGraph_t raw = nullptr;
  ASSAY_CUDA(cudaStreamEndCapture(stream, &raw));
  const Graph graph(raw);
  cudaGraphExec_t instance = nullptr;
  ASSAY_CUDA(cudaGraphInstantiate(&instance, graph.get(), 0));
  return GraphExec(instance);
}

/// Launch to return of the synchronisation, per node, us.
double graph_sample(cudaGraphExec_t graph, int nodes, cudaStream_t stream) {
  std::vector<double> replays;
  for (int i = 0; i < kReplays; ++i) {
    const auto start = Clock::now();
    ASSAY_CUDA(cudaGraphLaunch(graph, stream));
    synchronize(stream);
    replays.push_back(kMicro * seconds_since(start) / nodes);
  }
  return median(replays).value_or(0.0);
}

template <typename Sample>
std::vector<double> take(int samples, const Sample& sample) {
  std::vector<double> out;
  for (int i = 0; i < samples; ++i) {
    out.push_back(sample());
  }
  return out;
}

/// The clock held and whether somebody else runs, by a spinner around the trains.
Timing label(const Device& device) {
  const int khz = device.attribute(cudaDevAttrClockRate);
  const auto cycles = static_cast<std::uint64_t>(kLabelSeconds * 1e3 * (khz > 0 ? khz : 1'500'000));
  return watch(
      device,
      [&](cudaStream_t stream) { spin_kernel<<<device.sm_count(), 32, 0, stream>>>(cycles); },
      kSamples);
}

/// The first of both that is spoiled, or the later: what is between them holds only if both hold.
Timing both(const Timing& before, const Timing& after) {
  return before.spoiled ? before : after;
}

void discard_first(cudaStream_t stream) {
  launch_train(kDiscarded, stream);
  synchronize(stream);
}

}  // namespace

Measurements run_probe(const Device& device) {
  const int samples = device.level() == Level::quick ? kSamples : 5 * kSamples;
  const Timing before = label(device);
  const Stream owner = make_stream();
  cudaStream_t stream = owner.get();
  discard_first(stream);
  const auto enqueue = take(samples, [&] { return enqueue_sample(stream); });
  const auto cadence = take(samples, [&] { return cadence_sample(stream); });
  const auto sync = take(samples, [&] { return round_trip_sample(stream); });
  std::vector<std::pair<int, std::vector<double>>> graphs;
  for (const int nodes : {1, 20, 200}) {
    const GraphExec graph = empty_graph(nodes, stream);
    take(kDiscarded / kReplays, [&] { return graph_sample(graph.get(), nodes, stream); });
    graphs.emplace_back(nodes,
                        take(samples, [&] { return graph_sample(graph.get(), nodes, stream); }));
  }
  const Timing timing = both(before, label(device));

  Measurements facts;
  facts.add("launch_overhead.enqueue",
            sampled(timing, enqueue, Unit::us, "host time per launch in a train of 1000"));
  facts.add("launch_overhead.stream",
            sampled(timing, cadence, Unit::us, "slope of wall time over trains of 200 and 1000"));
  facts.add("launch_overhead.sync",
            sampled(timing, sync, Unit::us, "launch and synchronise, median of 40 round trips"));
  for (const auto& [nodes, walls] : graphs) {
    facts.add("launch_overhead.graph_node_" + std::to_string(nodes),
              sampled(timing, walls, Unit::us,
                      "wall time of a graph of empty kernels / nodes, median of 5 replays"));
  }
  return facts;
}

}  // namespace assay
