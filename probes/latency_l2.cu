// SPDX-License-Identifier: Apache-2.0
// How long does one dependent load from the L2 take, on the middle SM of the device?
//
// One SM is up to 7 cycles nearer to the L2 than the middle one, or 8 further, by its place on the
// chip; which one a single block gets is the scheduler's business and differs from device to
// device. So one lane walks on every SM at once, each from its own place in one ring. (One SM after
// the other has a median of 282.8 on an H200 where all at once have 277.9: the fact is that of a
// device in use. Together the lanes ask for one sector every two clocks, a hundredth of what the L2
// serves.)
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "probes/chase_session.cuh"
#include "probes/latency_parts.h"
#include "probes/latency_plan.h"
#include "probes/memory_plan.h"

namespace assay {
namespace {

/// Not divisible by the ring's laps, so that a run ends away from where it began.
constexpr int kRounds = 1025;
constexpr const char* kMethod =
    "one lane on each SM at once, ld.global.cg of 64-bit pointers, ring of min(2 MiB, L2 / 4) in "
    "128 B lines, random single cycle, each lane from its own place";

struct SmFact {
  const char* path;
  Unit units;
  const char* of;  ///< over the SMs
};
constexpr SmFact kMiddleCycles{"latency.l2", Unit::cycles, "; median over the SMs"};
constexpr SmFact kMiddleNs{"latency.l2_ns", Unit::ns, "; median over the SMs"};
constexpr SmFact kLeast{"latency.l2_sm_min", Unit::cycles, "; the nearest SM"};
constexpr SmFact kMost{"latency.l2_sm_max", Unit::cycles, "; the furthest SM"};

std::string method_of(const SmFact& fact) {
  return std::string(kMethod) + fact.of;
}

void add_absent(Session& session, const NullReason& reason) {
  for (const SmFact& fact : {kMiddleCycles, kMiddleNs, kLeast, kMost}) {
    session.facts.add(fact.path, absent(fact.units, method_of(fact), reason));
  }
}

/// A ring with a lane on each SM.
struct Lanes {
  Lanes(const Device& device, std::uint64_t ring_bytes)
      : route{single_cycle(static_cast<std::uint32_t>(ring_bytes / kLineBytes), ring_bytes)},
        order(visiting_order(route.next)),
        memory(ring_bytes / sizeof(std::uint64_t)),
        logs(static_cast<std::size_t>(device.sm_count())),
        steps{static_cast<int>(order.size() / kChaseUnroll), kRounds} {
    link_route(memory.data(), route);
    std::vector<ChaseLog> fresh(logs.size());
    for (std::uint32_t lane = 0; lane < fresh.size(); ++lane) {
      fresh[lane] = ChaseLog{.place = place_after(lane, 0), .runs = 0, .run = {}};
    }
    logs.upload(fresh);
    ASSAY_CUDA(cudaDeviceSynchronize());
  }

  /// Where a lane must be after so many runs.
  std::uint32_t place_after(std::uint32_t lane, std::uint64_t runs) const {
    const auto places = static_cast<std::uint32_t>(order.size());
    const std::uint64_t walked =
        runs * kChaseUnroll * static_cast<std::uint64_t>(steps.warm_rounds + steps.timed_rounds);
    return order[(lane_start(lane, static_cast<std::uint32_t>(logs.size()), places) + walked) %
                 places];
  }

  Route route;
  std::vector<std::uint32_t> order;
  DeviceBuffer<std::uint64_t> memory;
  DeviceBuffer<ChaseLog> logs;
  ChaseSteps steps;
};

/// A lane that skipped a load, or loaded something else, ends elsewhere.
void check_places(const Lanes& lanes, const std::vector<ChaseLog>& logs) {
  for (std::uint32_t lane = 0; lane < logs.size(); ++lane) {
    const ChaseLog& log = logs[lane];
    if (log.runs != logs.front().runs) {
      throw WrongResult("the l2 chase: lane " + std::to_string(lane) + " ran " +
                        std::to_string(log.runs) + " times instead of " +
                        std::to_string(logs.front().runs));
    }
    for (std::uint32_t run = 0; run < std::min(log.runs, kMaxChaseRuns); ++run) {
      if (log.run[run].place != lanes.place_after(lane, run + 1)) {
        throw WrongResult("the l2 chase: lane " + std::to_string(lane) + " is at place " +
                          std::to_string(log.run[run].place) + " after run " + std::to_string(run));
      }
    }
  }
}

/// Run by run: the spread over the SMs, and the clock.
struct LaneSamples {
  std::vector<double> middle, ns, least, most, clock_ghz;
};

/// The first run is left out: it brought in the code and the lines. Empty when a clock stood still.
LaneSamples samples_of(const std::vector<ChaseLog>& logs, double steps) {
  LaneSamples samples;
  for (std::uint32_t run = 1; run < std::min(logs.front().runs, kMaxChaseRuns); ++run) {
    std::vector<double> cycles, ns;
    for (const ChaseLog& log : logs) {
      cycles.push_back(static_cast<double>(log.run[run].cycles) / steps);
      ns.push_back(static_cast<double>(log.run[run].ns) / steps);
    }
    const auto in_cycles = spread_over_sms(cycles), in_ns = spread_over_sms(ns);
    if (!in_cycles || !in_ns) return {};
    samples.middle.push_back(in_cycles->middle);
    samples.ns.push_back(in_ns->middle);
    samples.least.push_back(in_cycles->least);
    samples.most.push_back(in_cycles->most);
    samples.clock_ghz.push_back(in_cycles->middle / in_ns->middle);
  }
  return samples;
}

void add_facts(Session& session, const LaneSamples& samples) {
  const auto clock_ghz = median(samples.clock_ghz);
  if (!clock_ghz) {
    add_absent(session, {NullKind::clock_lost, "clock64 or globaltimer stood still"});
    return;
  }
  const auto add = [&](const SmFact& fact, const std::vector<double>& of_runs) {
    session.facts.add(fact.path,
                      measured(*median(of_runs), fact.units, method_of(fact), *clock_ghz, of_runs));
  };
  add(kMiddleCycles, samples.middle);
  add(kMiddleNs, samples.ns);
  add(kLeast, samples.least);
  add(kMost, samples.most);
}

std::string coverage_note(const std::vector<ChaseLog>& logs) {
  std::set<std::uint64_t> sms;
  for (const ChaseLog& log : logs) sms.insert(log.run[0].smid);
  return "l2: lanes on " + std::to_string(sms.size()) + " SMs";
}

}  // namespace

void measure_l2(Session& session) {
  const auto bytes = l2_ring_bytes(session.device.l2_bytes());
  if (!bytes) {
    add_absent(session, {NullKind::not_available, "the driver states no L2 size"});
    return;
  }
  const Lanes lanes(session.device, *bytes);
  const auto blocks = static_cast<unsigned>(lanes.logs.size());
  const Timing timing = watch(
      session.device,
      [&](cudaStream_t stream) {
        enqueue_lanes<L2Load>(lanes.memory.data(), lanes.steps, lanes.logs.data(), blocks, stream);
      },
      chase_runs(session.device.level()));
  const std::vector<ChaseLog> logs = lanes.logs.download();
  check_places(lanes, logs);
  session.add_note(coverage_note(logs));
  if (timing.spoiled) {
    add_absent(session, *timing.spoiled);
  } else {
    add_facts(session, samples_of(logs, static_cast<double>(kChaseUnroll) * kRounds));
  }
}

}  // namespace assay
