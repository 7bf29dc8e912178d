// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "probes/chase.cuh"
#include "probes/chase_session.h"

namespace assay {
namespace {

/// Turns successors into addresses. Place i is line `lines[i]`, or line i without `lines`.
__global__ void link_lines(std::uint64_t* memory, const std::uint32_t* next,
                           const std::uint32_t* lines, std::uint32_t places) {
  constexpr std::uint32_t kWords = kLineBytes / sizeof(std::uint64_t);
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= places) return;
  const std::uint32_t line = lines == nullptr ? i : lines[i];
  const std::uint32_t successor = lines == nullptr ? next[i] : lines[next[i]];
  memory[std::size_t{line} * kWords] =
      reinterpret_cast<std::uint64_t>(memory + std::size_t{successor} * kWords);
}

__global__ void read_through(const uint4* data, std::size_t vectors, std::uint32_t guard,
                             std::uint32_t* sink) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::uint32_t seen = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors;
       i += stride) {
    const uint4 v = __ldcg(data + i);
    seen ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (seen == guard) *sink = seen;
}

/// Walks the route on the host. A chase that skipped a load, or loaded something else, ends
/// elsewhere.
void check_places(const ChaseLog& log, const Route& route, const Chase& chase) {
  const std::uint64_t steps = std::uint64_t{kChaseUnroll} *
                              std::uint64_t(chase.steps.warm_rounds + chase.steps.timed_rounds);
  std::uint32_t place = 0;
  for (std::uint32_t run = 0; run < std::min(log.runs, kMaxChaseRuns); ++run) {
    place = follow(route.next, place, steps);
    if (log.run[run].place != route.line_of(place)) {
      throw WrongResult("the " + chase.key + " chase is at place " +
                        std::to_string(log.run[run].place) + " instead of " +
                        std::to_string(route.line_of(place)) + " after run " + std::to_string(run));
    }
  }
}

std::string cycles_path(const Chase& chase) {
  return "latency." + chase.key;
}
std::string ns_path(const Chase& chase) {
  return cycles_path(chase) + "_ns";
}

/// Per timed step, run by run.
struct Samples {
  std::vector<double> cycles, ns, clock_ghz;
};

/// The first run is left out: it brought in the code and the pages.
Samples samples_of(const ChaseLog& log, const Chase& chase) {
  const double steps = static_cast<double>(kChaseUnroll) * chase.steps.timed_rounds;
  Samples samples;
  for (std::uint32_t i = 1; i < std::min(log.runs, kMaxChaseRuns); ++i) {
    const double cycles = static_cast<double>(log.run[i].cycles);
    const double ns = static_cast<double>(log.run[i].ns);
    if (chase.sm && log.run[i].smid != *chase.sm) continue;
    if (!(cycles > 0.0 && ns > 0.0)) continue;
    samples.cycles.push_back(cycles / steps);
    samples.ns.push_back(ns / steps);
    samples.clock_ghz.push_back(cycles / ns);
  }
  return samples;
}

void add_facts(Session& session, const Chase& chase, const Samples& samples) {
  const auto cycles = median(samples.cycles), ns = median(samples.ns);
  const auto clock_ghz = median(samples.clock_ghz);
  if (!cycles || !ns || !clock_ghz) {
    const char* const detail = chase.sm ? "no run with both clocks on the SM that was mapped"
                                        : "clock64 or globaltimer stood still";
    add_absent_chase(session, chase, {NullKind::clock_lost, detail});
    return;
  }
  session.facts.add(cycles_path(chase),
                    measured(*cycles, Unit::cycles, chase.method, *clock_ghz, samples.cycles));
  session.facts.add(ns_path(chase), measured(*ns, Unit::ns, chase.method, *clock_ghz, samples.ns));
}

}  // namespace

int chase_runs(Level level) {
  return level == Level::quick ? 9 : 45;
}

DeviceBuffer<std::uint32_t> upload_words(const std::vector<std::uint32_t>& values) {
  DeviceBuffer<std::uint32_t> buffer(values.size());
  buffer.upload(values);
  ASSAY_CUDA(cudaDeviceSynchronize());
  return buffer;
}

void link_route(std::uint64_t* memory, const Route& route) {
  const auto next = upload_words(route.next);
  std::optional<DeviceBuffer<std::uint32_t>> lines;
  if (!route.lines.empty()) lines.emplace(upload_words(route.lines));
  const auto places = static_cast<std::uint32_t>(route.next.size());
  link_lines<<<(places + 255) / 256, 256>>>(memory, next.data(), lines ? lines->data() : nullptr,
                                            places);
  ASSAY_CUDA(cudaGetLastError());
  ASSAY_CUDA(cudaDeviceSynchronize());
}

void evict_l2(const Device& device) {
  DeviceBuffer<uint4> other(4 * device.l2_bytes() / sizeof(uint4));
  other.clear();
  const DeviceBuffer<std::uint32_t> sink(1);
  for (int pass = 0; pass < 2; ++pass) {
    read_through<<<4 * device.sm_count(), 512>>>(other.data(), other.size(), 0x5eed1234u,
                                                 sink.data());
  }
  ASSAY_CUDA(cudaGetLastError());
  ASSAY_CUDA(cudaDeviceSynchronize());
}

void add_absent_chase(Session& session, const Chase& chase, const NullReason& reason) {
  session.facts.add(cycles_path(chase), absent(Unit::cycles, chase.method, reason));
  session.facts.add(ns_path(chase), absent(Unit::ns, chase.method, reason));
}

void measure_chase(Session& session, const Chase& chase, const Route& route,
                   const LaunchChase& launch) {
  DeviceBuffer<ChaseLog> device_log(1);
  device_log.upload({ChaseLog{.place = route.line_of(0), .runs = 0, .run = {}}});
  ASSAY_CUDA(cudaDeviceSynchronize());
  const Timing timing = watch(
      session.device, [&](cudaStream_t stream) { launch(device_log.data(), stream); },
      chase_runs(session.device.level()));
  const ChaseLog log = device_log.download().front();
  check_places(log, route, chase);
  for (std::uint32_t run = 0; run < std::min(log.runs, kMaxChaseRuns); ++run) {
    session.sms.insert(log.run[run].smid);
  }
  if (timing.spoiled) {
    add_absent_chase(session, chase, *timing.spoiled);
  } else {
    add_facts(session, chase, samples_of(log, chase));
  }
}

void enqueue_lanes(ChaseLoad load, const std::uint64_t* memory, ChaseSteps steps, ChaseLog* logs,
                   unsigned lanes, cudaStream_t stream) {
  if (load == ChaseLoad::l1) {
    chase_global<L1Load><<<lanes, 1, 0, stream>>>(memory, steps, logs);
  } else {
    chase_global<L2Load><<<lanes, 1, 0, stream>>>(memory, steps, logs);
  }
  ASSAY_CUDA(cudaGetLastError());
}

void measure_route(Session& session, const Chase& chase, ChaseLoad load, const Route& route,
                   const std::uint64_t* memory, const Enqueue& prepare) {
  measure_chase(session, chase, route, [&](ChaseLog* log, cudaStream_t stream) {
    if (prepare) prepare(stream);
    enqueue_lanes(load, memory, chase.steps, log, 1, stream);
  });
}

}  // namespace assay
