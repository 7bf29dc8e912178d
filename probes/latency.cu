// SPDX-License-Identifier: Apache-2.0
// How long does one dependent load take from shared memory, from the L1, from the L2 and from DRAM?
#include <cstdint>
#include <set>
#include <string>

#include <cuda_runtime.h>

#include "probes/chase.cuh"
#include "probes/chase_session.h"
#include "probes/latency_parts.h"
#include "probes/memory_plan.h"

namespace assay {
namespace {

constexpr std::uint64_t kL1RingBytes = 16 * 1024;
/// Rounds not divisible by a ring's laps, so that a run ends away from where it began.
constexpr int kFastRounds = 4097;
/// Half as many at level quick: 16 thousand random lines differ by 60 cycles each, their mean by
/// 0.1 %.
constexpr int kDramRounds = 1025;
constexpr int kQuickDramRounds = 513;
constexpr int kDramWarmRounds = 8;

/// A ring of all the lines of its memory.
struct Ring {
  explicit Ring(std::uint64_t bytes)
      : route{single_cycle(static_cast<std::uint32_t>(bytes / kLineBytes), bytes)},
        memory(bytes / sizeof(std::uint64_t)) {
    link_route(memory.data(), route);
  }

  Route route;
  DeviceBuffer<std::uint64_t> memory;
};

void measure_ring(Session& session, const Chase& chase, ChaseLoad load, const Ring& ring) {
  measure_route(session, chase, load, ring.route, ring.memory.data());
}

void measure_shared(Session& session) {
  const Chase chase{"shared",
                    "one lane, 32-bit shared addresses in a 4 KiB ring, random single cycle",
                    {kSharedPlaces / kChaseUnroll, kFastRounds}};
  const Route route{single_cycle(kSharedPlaces, 1)};
  const auto successors = upload_words(route.next);
  measure_chase(session, chase, route, [&](ChaseLog* log, cudaStream_t stream) {
    chase_shared<SharedLoad><<<1, kSharedPlaces, 0, stream>>>(successors.data(), chase.steps, log);
    ASSAY_CUDA(cudaGetLastError());
  });
}

/// Rounds that visit each place of `ring` once.
int lap_rounds(const Ring& ring) {
  return static_cast<int>(ring.route.next.size() / kChaseUnroll);
}

void measure_l1(Session& session) {
  const Ring ring(kL1RingBytes);
  measure_ring(session,
               {"l1",
                "one lane, ld.global.ca of 64-bit pointers, 16 KiB ring of 128 B lines, "
                "random single cycle",
                {lap_rounds(ring), kFastRounds}},
               ChaseLoad::l1, ring);
}

Chase dram_chase(const char* key, const std::string& load, Level level) {
  return {key,
          "one lane, " + load +
              " of 64-bit pointers, ring of 1 GiB (at least 8 x L2) in 128 B lines, random single "
              "cycle",
          {kDramWarmRounds, level == Level::quick ? kQuickDramRounds : kDramRounds}};
}

/// Past the L1 and through it: looking it up first costs what it costs.
void measure_dram(Session& session) {
  const Chase past = dram_chase("dram", "ld.global.cg", session.device.level());
  const Chase through = dram_chase("dram_ca", "ld.global.ca", session.device.level());
  const auto bytes = dram_ring_bytes(session.device.free_bytes(), session.device.l2_bytes());
  if (!bytes) {
    const NullReason reason{NullKind::not_available, "free memory does not hold 8 x L2 twice"};
    add_absent_chase(session, past, reason);
    add_absent_chase(session, through, reason);
    return;
  }
  const Ring ring(*bytes);
  evict_l2(session.device);
  measure_ring(session, past, ChaseLoad::l2, ring);
  evict_l2(session.device);
  measure_ring(session, through, ChaseLoad::l1, ring);
}

/// The distance to DRAM differs from SM to SM.
std::string sm_note(const std::set<std::uint64_t>& sms) {
  std::string text = "single lanes ran on SM";
  for (const std::uint64_t sm : sms) text.append(" ").append(std::to_string(sm));
  return text;
}

}  // namespace

Measurements run_probe(const Device& device) {
  Session session{device};
  measure_shared(session);
  measure_constant(session);
  measure_l1(session);
  measure_l2(session);
  measure_dram(session);
  // After the L1: its kernel takes all of the shared memory, and an SM may leave it so divided.
  measure_dsmem(session);
  measure_op_latencies(session);
  if (device.level() == Level::full) {
    measure_l2_partitions(session);
    measure_tlb_reach(session);
  }
  const std::string where = sm_note(session.sms);
  session.facts.note("latency", session.note.empty() ? where : where + "; " + session.note);
  return session.facts;
}

}  // namespace assay
