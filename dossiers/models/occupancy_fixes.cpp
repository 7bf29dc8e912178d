// SPDX-License-Identifier: Apache-2.0
// Which single change of a launch lets more warps live on the SM?
#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "dossiers/models/occupancy.h"

namespace assay {
namespace {

constexpr std::initializer_list<int> kSweep{64, 128, 192, 256, 384, 512, 768, 1024};

using Member = void (*)(Launch&, std::int64_t);

/// The first of `candidates` that gives more active warps than `now`.
template <typename Candidates>
std::optional<Fix> first_better(const SmLimits& sm, const Launch& launch, int now,
                                const char* resource, std::int64_t from, Member set,
                                const Candidates& candidates) {
  for (const std::int64_t to : candidates) {
    Launch changed = launch;
    set(changed, to);
    Occupancy result = occupancy_of(sm, changed);
    if (result.active_warps > now) return Fix{resource, from, to, std::move(result)};
  }
  return std::nullopt;
}

std::vector<std::int64_t> below(std::int64_t from, std::int64_t step) {
  std::vector<std::int64_t> values;
  // Rounded down to the step first, so that a byte too many is answered with the next round size.
  for (std::int64_t value = (from - 1) / step * step; from > 0 && value > 0; value -= step) {
    values.push_back(value);
  }
  if (from > 0) values.push_back(0);
  return values;
}

std::optional<Fix> better_block(const SmLimits& sm, const Launch& launch, int now) {
  std::optional<Fix> best;
  for (int block = kWarpSize; block <= kMaxThreadsPerBlock; block += kWarpSize) {
    Launch changed = launch;
    changed.block = block;
    Occupancy result = occupancy_of(sm, changed);
    const int least = best ? best->result.active_warps : now;
    const bool nearer = best && result.active_warps == least &&
                        std::abs(block - launch.block) < std::abs(best->to - launch.block);
    if (result.active_warps > least || nearer) {
      best = Fix{"block", launch.block, block, std::move(result)};
    }
  }
  return best;
}

void add(std::vector<Fix>& fixes, std::optional<Fix> fix) {
  if (fix) fixes.push_back(std::move(*fix));
}

}  // namespace

std::vector<SweepPoint> sweep_blocks(const SmLimits& sm, const Launch& launch) {
  std::vector<SweepPoint> points;
  for (const int block : kSweep) {
    Launch changed = launch;
    changed.block = block;
    points.push_back({block, occupancy_of(sm, changed)});
  }
  return points;
}

std::vector<Fix> occupancy_fixes(const SmLimits& sm, const Launch& launch) {
  std::vector<Fix> fixes;
  const int now = occupancy_of(sm, launch).active_warps;
  if (!launch.optin) {
    add(fixes, first_better(
                   sm, launch, now, "optin", 0, [](Launch& l, std::int64_t) { l.optin = true; },
                   std::vector<std::int64_t>{1}));
  }
  add(fixes, first_better(
                 sm, launch, now, "registers", launch.regs,
                 [](Launch& l, std::int64_t to) { l.regs = static_cast<int>(to); },
                 below(launch.regs, 1)));
  // More shared memory than any SM has need not be walked down byte by byte.
  const std::int64_t dynamic = std::min(launch.smem_dynamic, sm.smem + 1);
  add(fixes, first_better(
                 sm, launch, now, "shared_memory", launch.smem_dynamic,
                 [](Launch& l, std::int64_t to) { l.smem_dynamic = to; },
                 below(dynamic, sm.smem_granularity)));
  add(fixes, first_better(
                 sm, launch, now, "carveout", launch.carveout,
                 [](Launch& l, std::int64_t to) { l.carveout = static_cast<int>(to); },
                 std::vector<std::int64_t>{100}));
  add(fixes, first_better(
                 sm, launch, now, "barriers", launch.barriers,
                 [](Launch& l, std::int64_t to) { l.barriers = static_cast<int>(to); },
                 below(launch.barriers, 1)));
  add(fixes, better_block(sm, launch, now));
  return fixes;
}

}  // namespace assay
