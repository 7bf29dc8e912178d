// SPDX-License-Identifier: Apache-2.0
// How long does one dependent load take from shared memory, from the L1, from the L2 and from DRAM?
#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "probes/chase.cuh"
#include "probes/harness/probe.h"
#include "probes/memory_plan.h"
#include "probes/pointer_ring.h"

namespace assay {
namespace {

constexpr std::uint64_t kL1RingBytes = 16 * 1024;
/// Rounds not divisible by a ring's laps, so that a run ends away from where it began.
constexpr int kFastRounds = 4097;
constexpr int kSlowRounds = 1025;
constexpr int kDramWarmRounds = 8;

/// What is measured on, and what has been found.
struct Session {
  const Device& device;
  Measurements facts = {};
  std::set<std::uint32_t> sms = {};  ///< that ran the lane
};

/// One latency: the key of its facts, how it is read, and how far the lane runs.
struct Chase {
  const char* key;
  const char* method;
  ChaseSteps steps;
};

/// Turns successors into addresses, one a line.
__global__ void link_ring(std::uint64_t* ring, const std::uint32_t* next, std::uint32_t places) {
  constexpr std::uint32_t kWords = kLineBytes / sizeof(std::uint64_t);
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= places) return;
  const std::uint64_t* successor = ring + std::size_t{next[i]} * kWords;
  ring[std::size_t{i} * kWords] = reinterpret_cast<std::uint64_t>(successor);
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

/// The successors in device memory, there for certain: the copy may return before it has landed.
DeviceBuffer<std::uint32_t> upload_successors(const std::vector<std::uint32_t>& next) {
  DeviceBuffer<std::uint32_t> buffer(next.size());
  buffer.upload(next);
  ASSAY_CUDA(cudaDeviceSynchronize());
  return buffer;
}

/// A linked ring in device memory, and the order that its places follow.
struct Ring {
  explicit Ring(std::uint64_t bytes)
      : next(single_cycle(static_cast<std::uint32_t>(bytes / kLineBytes), bytes)),
        memory(bytes / sizeof(std::uint64_t)) {
    const auto successors = upload_successors(next);
    const auto places = static_cast<std::uint32_t>(next.size());
    link_ring<<<(places + 255) / 256, 256>>>(memory.data(), successors.data(), places);
    ASSAY_CUDA(cudaGetLastError());
    ASSAY_CUDA(cudaDeviceSynchronize());
  }

  std::vector<std::uint32_t> next;
  DeviceBuffer<std::uint64_t> memory;
};

/// Fills the L2 with something else: linking left the end of the ring there, a twentieth of a
/// gibibyte. By reading, because dirty lines would be written back in the middle of the chase.
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

/// Walks the ring on the host. A chase that skipped a load, or loaded something else, ends
/// elsewhere.
void check_places(const ChaseLog& log, const std::vector<std::uint32_t>& next, const Chase& chase) {
  const std::uint64_t steps = std::uint64_t{kChaseUnroll} *
                              std::uint64_t(chase.steps.warm_rounds + chase.steps.timed_rounds);
  std::uint32_t place = 0;
  for (std::uint32_t run = 0; run < std::min(log.runs, kMaxChaseRuns); ++run) {
    place = follow(next, place, steps);
    if (log.run[run].place != place) {
      throw WrongResult(std::string("the ") + chase.key + " chase is at place " +
                        std::to_string(log.run[run].place) + " instead of " +
                        std::to_string(place) + " after run " + std::to_string(run));
    }
  }
}

std::string cycles_path(const Chase& chase) {
  return std::string("latency.") + chase.key;
}
std::string ns_path(const Chase& chase) {
  return cycles_path(chase) + "_ns";
}

void add_absent(Session& session, const Chase& chase, const NullReason& reason) {
  session.facts.add(cycles_path(chase), absent(Unit::cycles, chase.method, reason));
  session.facts.add(ns_path(chase), absent(Unit::ns, chase.method, reason));
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
    add_absent(session, chase, {NullKind::clock_lost, "clock64 or globaltimer stood still"});
    return;
  }
  session.facts.add(cycles_path(chase),
                    measured(*cycles, Unit::cycles, chase.method, *clock_ghz, samples.cycles));
  session.facts.add(ns_path(chase), measured(*ns, Unit::ns, chase.method, *clock_ghz, samples.ns));
}

using Launch = std::function<void(ChaseLog*, cudaStream_t)>;

/// Runs the chase under watch, checks where it went, and adds its two facts.
void measure(Session& session, const Chase& chase, const std::vector<std::uint32_t>& next,
             const Launch& launch) {
  DeviceBuffer<ChaseLog> device_log(1);
  device_log.clear();
  ASSAY_CUDA(cudaDeviceSynchronize());
  const int runs = session.device.level() == Level::quick ? 9 : 45;
  const Timing timing = watch(
      session.device, [&](cudaStream_t stream) { launch(device_log.data(), stream); }, runs);
  const ChaseLog log = device_log.download().front();
  check_places(log, next, chase);
  session.sms.insert(log.smid);
  if (timing.spoiled) {
    add_absent(session, chase, *timing.spoiled);
  } else {
    add_facts(session, chase, samples_of(log, chase));
  }
}

template <typename Load>
void measure_ring(Session& session, const Chase& chase, const Ring& ring) {
  measure(session, chase, ring.next, [&](ChaseLog* log, cudaStream_t stream) {
    chase_global<Load><<<1, 1, 0, stream>>>(ring.memory.data(), chase.steps, log);
    ASSAY_CUDA(cudaGetLastError());
  });
}

void measure_shared(Session& session) {
  const Chase chase{"shared",
                    "one lane, 32-bit shared addresses in a 4 KiB ring, random single cycle",
                    {kSharedPlaces / kChaseUnroll, kFastRounds}};
  const auto next = single_cycle(kSharedPlaces, 1);
  const auto successors = upload_successors(next);
  measure(session, chase, next, [&](ChaseLog* log, cudaStream_t stream) {
    chase_shared<SharedLoad><<<1, kSharedPlaces, 0, stream>>>(successors.data(), chase.steps, log);
    ASSAY_CUDA(cudaGetLastError());
  });
}

/// Rounds that visit each place of `ring` once.
int lap_rounds(const Ring& ring) {
  return static_cast<int>(ring.next.size() / kChaseUnroll);
}

void measure_l1(Session& session) {
  const Ring ring(kL1RingBytes);
  measure_ring<L1Load>(session,
                       {"l1",
                        "one lane, ld.global.ca of 64-bit pointers, 16 KiB ring of 128 B lines, "
                        "random single cycle",
                        {lap_rounds(ring), kFastRounds}},
                       ring);
}

void measure_l2(Session& session) {
  constexpr const char* kMethod =
      "one lane, ld.global.cg of 64-bit pointers, ring of min(2 MiB, L2 / 4) in 128 B lines, "
      "random single cycle";
  const auto bytes = l2_ring_bytes(session.device.l2_bytes());
  if (!bytes) {
    add_absent(session, {"l2", kMethod, {}},
               {NullKind::not_available, "the driver states no L2 size"});
    return;
  }
  const Ring ring(*bytes);
  measure_ring<L2Load>(session, {"l2", kMethod, {lap_rounds(ring), kSlowRounds}}, ring);
}

void measure_dram(Session& session) {
  const Chase chase{"dram",
                    "one lane, ld.global.cg of 64-bit pointers, ring of 1 GiB (at least 8 x L2) in "
                    "128 B lines, random single cycle",
                    {kDramWarmRounds, kSlowRounds}};
  const auto bytes = dram_ring_bytes(session.device.free_bytes(), session.device.l2_bytes());
  if (!bytes) {
    add_absent(session, chase, {NullKind::not_available, "free memory does not hold 8 x L2 twice"});
    return;
  }
  const Ring ring(*bytes);
  evict_l2(session.device);
  measure_ring<L2Load>(session, chase, ring);
}

/// The distance to the L2 and to DRAM differs from SM to SM.
std::string sm_note(const std::set<std::uint32_t>& sms) {
  std::string text = "the lane ran on SM";
  for (const std::uint32_t sm : sms) text.append(" ").append(std::to_string(sm));
  return text;
}

}  // namespace

Measurements run_probe(const Device& device) {
  Session session{device};
  measure_shared(session);
  measure_l1(session);
  measure_l2(session);
  measure_dram(session);
  session.facts.note("latency", sm_note(session.sms));
  return session.facts;
}

}  // namespace assay
