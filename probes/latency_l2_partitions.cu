// SPDX-License-Identifier: Apache-2.0
// How far is the near partition of the L2, and how far the other one?
//
// A partition keeps copies of the other one's lines, so that loads alone find nearly everything
// near. Atomics are done where the line is at home and leave no copy elsewhere: their round trip
// tells which lines are whose, and one of them on every line before each run leaves each line in
// its home only.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "probes/chase_session.h"
#include "probes/harness/device_clock.cuh"
#include "probes/latency_parts.h"
#include "probes/latency_plan.h"
#include "probes/two_clusters.h"

namespace assay {
namespace {

constexpr int kMapPasses = 2;
constexpr int kMapAtomics = 8;
constexpr int kWarmRounds = 2;
constexpr std::uint32_t kCounter =
    2;  ///< in 32-bit words from the start of a line: past its pointer
constexpr std::uint32_t kLineWords = kLineBytes / sizeof(std::uint32_t);

constexpr const char* kMethod =
    "one lane, ld.global.cg of 64-bit pointers, first touch of each line since an atomic left it "
    "in "
    "its home partition; lines of min(8 MiB, L2 / 8) told apart by the round trip of atomics from "
    "the same SM (groups at least 1.2 apart)";

__device__ std::uint32_t* counter_of(std::uint64_t* memory, std::uint32_t line) {
  return reinterpret_cast<std::uint32_t*>(memory) + std::size_t{line} * kLineWords + kCounter;
}

/// Leaves there what the last one found, which is 0: each waits for the one before. Not an add:
/// ptxas puts a scan over the warp before adds to one address.
__device__ void exchange(std::uint32_t* counter, std::uint32_t& found) {
  asm volatile("atom.global.exch.b32 %0, [%1], %0;" : "+r"(found) : "l"(counter) : "memory");
}

/// Cycles of kMapAtomics exchanges in each line, the least of some passes; for one thread.
__global__ void map_lines(std::uint64_t* memory, std::uint32_t lines, std::uint32_t* cycles,
                          std::uint32_t* sm_and_found) {
  std::uint32_t found = 0;
#pragma unroll 1
  for (std::uint32_t line = 0; line < lines; ++line) {
    std::uint32_t* const counter = counter_of(memory, line);
    exchange(counter, found);
    std::uint64_t least = ~std::uint64_t{0};
#pragma unroll 1
    for (int pass = 0; pass < kMapPasses; ++pass) {
      const std::uint64_t start = read_sm_clock();
#pragma unroll
      for (int i = 0; i < kMapAtomics; ++i) exchange(counter, found);
      const std::uint64_t taken = read_sm_clock() - start;
      least = taken < least ? taken : least;
    }
    cycles[line] = static_cast<std::uint32_t>(least);
  }
  sm_and_found[0] = read_smid();
  sm_and_found[1] = found;
}

/// Takes every line home. `zero` is 0, known at run time only.
__global__ void visit_lines(std::uint64_t* memory, std::uint32_t lines, std::uint32_t zero) {
  const std::uint32_t line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counter_of(memory, line)), "r"(zero)
               : "memory");
}

/// What atomics from one SM say about each line.
struct Map {
  std::vector<double> cycles;  ///< of one atomic, by line
  std::uint64_t sm = 0;
};

Map map_of(const DeviceBuffer<std::uint64_t>& memory, std::uint32_t lines) {
  const DeviceBuffer<std::uint32_t> cycles(lines);
  const DeviceBuffer<std::uint32_t> sm_and_found(2);
  map_lines<<<1, 1>>>(memory.data(), lines, cycles.data(), sm_and_found.data());
  ASSAY_CUDA(cudaGetLastError());
  const auto told = sm_and_found.download();
  if (told[1] != 0)
    throw WrongResult("an atomic exchange of nothing found " + std::to_string(told[1]));
  Map map{{}, told[0]};
  for (const std::uint32_t taken : cycles.download()) {
    map.cycles.push_back(static_cast<double>(taken) / kMapAtomics);
  }
  return map;
}

/// A random ring through the lines that `wanted` names.
template <typename Wanted>
Route route_through(const Map& map, const Wanted& wanted) {
  Route route;
  for (std::uint32_t line = 0; line < map.cycles.size(); ++line) {
    if (wanted(map.cycles[line])) route.lines.push_back(line);
  }
  route.next = single_cycle(static_cast<std::uint32_t>(route.lines.size()), route.lines.size());
  return route;
}

/// Less than a lap a run: no line is touched twice.
ChaseSteps steps_for(const Route& route) {
  const int lap = static_cast<int>(route.next.size() / kChaseUnroll);
  return {kWarmRounds, std::max(1, lap - kWarmRounds - 1)};
}

void measure_group(Session& session, const char* key, const Route& route, const Map& map,
                   const DeviceBuffer<std::uint64_t>& memory) {
  const auto lines = static_cast<std::uint32_t>(map.cycles.size());
  link_route(memory.data(), route);
  measure_route(session, {key, kMethod, steps_for(route), map.sm}, ChaseLoad::l2, route,
                memory.data(), [&memory, lines](cudaStream_t stream) {
                  visit_lines<<<(lines + 255) / 256, 256, 0, stream>>>(memory.data(), lines, 0);
                });
}

std::string map_note(const Map& map, const std::optional<TwoClusters>& groups, std::size_t near) {
  const std::string lines =
      std::to_string(map.cycles.size()) + " lines mapped from SM " + std::to_string(map.sm);
  if (!groups) return lines + ": one L2 partition";
  const auto whole = [](double cycles) { return std::to_string(static_cast<int>(cycles + 0.5)); };
  return lines + ": " + std::to_string(near) + " near, an atomic takes " + whole(groups->near) +
         " and " + whole(groups->far) + " cycles";
}

}  // namespace

void measure_l2_partitions(Session& session) {
  const auto bytes = l2_map_bytes(session.device.l2_bytes());
  if (!bytes) {
    for (const char* key : {"l2_near", "l2_far"}) {
      add_absent_chase(session, {key, kMethod, {}},
                       {NullKind::not_available, "the driver states no L2 size"});
    }
    return;
  }
  const auto lines = static_cast<std::uint32_t>(*bytes / kLineBytes);
  DeviceBuffer<std::uint64_t> memory(*bytes / sizeof(std::uint64_t));
  memory.clear();
  const Map map = map_of(memory, lines);
  const auto groups = two_clusters(map.cycles);
  const Route near =
      route_through(map, [&](double cycles) { return !groups || cycles <= groups->split; });
  session.add_note(map_note(map, groups, near.lines.size()));
  measure_group(session, "l2_near", near, map, memory);
  if (!groups) {
    add_absent_chase(session, {"l2_far", kMethod, {}},
                     {NullKind::not_supported, "one L2 partition: the lines are equally far"});
    return;
  }
  const Route far = route_through(map, [&](double cycles) { return cycles > groups->split; });
  measure_group(session, "l2_far", far, map, memory);
}

}  // namespace assay
