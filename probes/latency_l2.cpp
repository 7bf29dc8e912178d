// SPDX-License-Identifier: Apache-2.0
// How long does one dependent load from the L2 take, on the middle SM of the device? One SM is up
// to 7 cycles nearer to the L2 than the middle one, or 8 further.
#include <cstdint>
#include <string>
#include <vector>

#include "probes/chase_lanes.h"
#include "probes/chase_session.h"
#include "probes/latency_parts.h"
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

void add_facts(Session& session, const LaneSamples& samples) {
  std::vector<double> clocks_ghz;
  for (std::size_t run = 0; run < samples.middle.size(); ++run) {
    clocks_ghz.push_back(samples.middle[run] / samples.middle_ns[run]);
  }
  const auto clock_ghz = median(clocks_ghz);
  if (!clock_ghz) {
    add_absent(session, {NullKind::clock_lost, "clock64 or globaltimer stood still"});
    return;
  }
  const auto add = [&](const SmFact& fact, const std::vector<double>& of_runs) {
    session.facts.add(fact.path,
                      measured(*median(of_runs), fact.units, method_of(fact), *clock_ghz, of_runs));
  };
  add(kMiddleCycles, samples.middle);
  add(kMiddleNs, samples.middle_ns);
  add(kLeast, samples.least);
  add(kMost, samples.most);
}

}  // namespace

void measure_l2(Session& session) {
  const auto bytes = l2_ring_bytes(session.device.l2_bytes());
  if (!bytes) {
    add_absent(session, {NullKind::not_available, "the driver states no L2 size"});
    return;
  }
  const DeviceBuffer<std::uint64_t> memory(*bytes / sizeof(std::uint64_t));
  const LaneChase chase = chase_on_each_sm(session.device, memory, kRounds,
                                           chase_runs(session.device.level()), "the l2 chase");
  session.add_note("l2: lanes on " + std::to_string(chase.sms) + " SMs");
  if (chase.timing.spoiled) {
    add_absent(session, *chase.timing.spoiled);
  } else {
    add_facts(session, chase.samples);
  }
}

}  // namespace assay
