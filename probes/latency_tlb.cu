// SPDX-License-Identifier: Apache-2.0
// How much longer does a DRAM load take when its page is one of thousands?
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <cuda_runtime.h>

#include "probes/chase_session.h"
#include "probes/latency_parts.h"
#include "probes/latency_plan.h"

namespace assay {
namespace {

constexpr std::array<std::uint32_t, 5> kWorkingSetsGiB{2, 4, 8, 16, 32};
/// All runs together stay below one lap of kTlbPlaces: no line is read twice.
constexpr int kTimedRounds = 257;
constexpr int kWarmRounds = 8;
constexpr std::uint64_t kSeed = 0x71b;

static_assert((kTimedRounds + kWarmRounds) * kChaseUnroll * 47 < kTlbPlaces);

/// Reads the first line of each page, which is in no ring: the TLBs learn the pages, the L2 does
/// not learn the ring's lines. For one warp.
__global__ void touch_pages(const std::uint64_t* memory, std::uint32_t pages, std::uint64_t guard,
                            std::uint64_t* sink) {
  std::uint64_t seen = 0;
  for (std::uint32_t page = threadIdx.x; page < pages; page += blockDim.x) {
    seen ^= __ldcg(memory + std::size_t{page} * (kTlbPageBytes / sizeof(std::uint64_t)));
  }
  if (seen == guard) *sink = seen;
}

Route tlb_route(std::uint32_t pages) {
  Route route{single_cycle(kTlbPlaces, kSeed)};
  for (std::uint32_t place = 0; place < kTlbPlaces; ++place) {
    route.lines.push_back(tlb_line(place, pages));
  }
  return route;
}

Chase tlb_chase(std::uint32_t gib) {
  return {
      "tlb_" + std::to_string(gib) + "GiB",
      "one lane, ld.global.cg of 64-bit pointers, random single cycle through 2^19 lines spread "
      "evenly over the 2 MiB pages of the working set, no line twice",
      {kWarmRounds, kTimedRounds}};
}

void measure_reach(Session& session, std::uint32_t gib, const DeviceBuffer<std::uint64_t>& memory) {
  const auto pages = static_cast<std::uint32_t>(tlb_set_bytes(gib) / kTlbPageBytes);
  const Route route = tlb_route(pages);
  link_route(memory.data(), route);
  evict_l2(session.device);
  const DeviceBuffer<std::uint64_t> sink(1);
  touch_pages<<<1, 32>>>(memory.data(), pages, 0x5eed1234u, sink.data());
  ASSAY_CUDA(cudaGetLastError());
  ASSAY_CUDA(cudaDeviceSynchronize());
  measure_route(session, tlb_chase(gib), ChaseLoad::l2, route, memory.data());
}

}  // namespace

void measure_tlb_reach(Session& session) {
  const std::uint64_t free_bytes = session.device.free_bytes();
  const auto fits = [&](std::uint32_t gib) {
    return tlb_fits(free_bytes, session.device.l2_bytes(), gib);
  };
  std::uint32_t largest = 0;
  for (const std::uint32_t gib : kWorkingSetsGiB) largest = fits(gib) ? gib : largest;
  std::optional<DeviceBuffer<std::uint64_t>> memory;
  if (largest > 0) memory.emplace(tlb_set_bytes(largest) / sizeof(std::uint64_t));
  for (const std::uint32_t gib : kWorkingSetsGiB) {
    if (memory && gib <= largest) {
      measure_reach(session, gib, *memory);
    } else {
      add_absent_chase(session, tlb_chase(gib),
                       {NullKind::not_available, std::to_string(free_bytes >> 20) +
                                                     " MiB free, too little for " +
                                                     std::to_string(gib) + " GiB"});
    }
  }
}

}  // namespace assay
