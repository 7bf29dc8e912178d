// SPDX-License-Identifier: Apache-2.0
#include "probes/chase_lanes.h"

#include <algorithm>
#include <set>
#include <string>

#include "probes/chase_session.h"
#include "probes/latency_plan.h"

namespace assay {
namespace {

/// A ring with a lane on each SM.
struct Lanes {
  Lanes(const Device& device, const DeviceBuffer<std::uint64_t>& memory, int timed_rounds)
      : order(visiting_order(link(memory))),
        logs(static_cast<std::size_t>(device.sm_count())),
        steps{static_cast<int>(order.size() / kChaseUnroll), timed_rounds} {
    std::vector<ChaseLog> fresh(logs.size());
    for (std::uint32_t lane = 0; lane < fresh.size(); ++lane) {
      fresh[lane] = ChaseLog{.place = place_after(lane, 0), .runs = 0, .run = {}};
    }
    logs.upload(fresh);
    ASSAY_CUDA(cudaDeviceSynchronize());
  }

  static std::vector<std::uint32_t> link(const DeviceBuffer<std::uint64_t>& memory) {
    Route route{
        single_cycle(static_cast<std::uint32_t>(memory.bytes() / kLineBytes), memory.bytes())};
    link_route(memory.data(), route);
    return std::move(route.next);
  }

  /// Where a lane must be after so many runs.
  std::uint32_t place_after(std::uint32_t lane, std::uint64_t runs) const {
    const auto places = static_cast<std::uint32_t>(order.size());
    const std::uint64_t walked =
        runs * kChaseUnroll * static_cast<std::uint64_t>(steps.warm_rounds + steps.timed_rounds);
    return order[(lane_start(lane, static_cast<std::uint32_t>(logs.size()), places) + walked) %
                 places];
  }

  std::vector<std::uint32_t> order;
  DeviceBuffer<ChaseLog> logs;
  ChaseSteps steps;
};

/// A lane that skipped a load, or loaded something else, ends elsewhere.
void check_places(const Lanes& lanes, const std::vector<ChaseLog>& logs, const std::string& what) {
  for (std::uint32_t lane = 0; lane < logs.size(); ++lane) {
    const ChaseLog& log = logs[lane];
    if (log.runs != logs.front().runs) {
      throw WrongResult(what + ": lane " + std::to_string(lane) + " ran " +
                        std::to_string(log.runs) + " times instead of " +
                        std::to_string(logs.front().runs));
    }
    for (std::uint32_t run = 0; run < std::min(log.runs, kMaxChaseRuns); ++run) {
      if (log.run[run].place != lanes.place_after(lane, run + 1)) {
        throw WrongResult(what + ": lane " + std::to_string(lane) + " is at place " +
                          std::to_string(log.run[run].place) + " after run " + std::to_string(run));
      }
    }
  }
}

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
    samples.least.push_back(in_cycles->least);
    samples.most.push_back(in_cycles->most);
    samples.middle_ns.push_back(in_ns->middle);
  }
  return samples;
}

std::size_t sms_of(const std::vector<ChaseLog>& logs) {
  std::set<std::uint64_t> sms;
  for (const ChaseLog& log : logs) sms.insert(log.run[0].smid);
  return sms.size();
}

}  // namespace

LaneChase chase_on_each_sm(const Device& device, const DeviceBuffer<std::uint64_t>& memory,
                           int timed_rounds, int runs, const char* what) {
  const Lanes lanes(device, memory, timed_rounds);
  const auto blocks = static_cast<unsigned>(lanes.logs.size());
  const Timing timing = watch(
      device,
      [&](cudaStream_t stream) {
        enqueue_lanes(ChaseLoad::l2, memory.data(), lanes.steps, lanes.logs.data(), blocks, stream);
      },
      runs);
  const std::vector<ChaseLog> logs = lanes.logs.download();
  check_places(lanes, logs, what);
  return {timing, samples_of(logs, static_cast<double>(kChaseUnroll) * timed_rounds), sms_of(logs)};
}

}  // namespace assay
