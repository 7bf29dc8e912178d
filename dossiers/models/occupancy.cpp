// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel live on one SM at once, and what keeps more of them out?
#include "dossiers/models/occupancy.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace assay {
namespace {

template <typename T>
T ceil_div(T value, T unit) {
  return (value + unit - 1) / unit;
}

template <typename T>
T round_up(T value, T unit) {
  return ceil_div(value, unit) * unit;
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument(what);
}

void check(const SmLimits& sm, const Launch& launch) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;  // keeps every product far from overflow
  require(launch.block >= 1, "block size " + std::to_string(launch.block) + ": want 1 to 1024");
  require(launch.block <= 1 << 20,
          "block size " + std::to_string(launch.block) + ": want 1 to 1024");
  require(launch.regs >= 0 && launch.regs <= kMaxRegsPerThread,
          std::to_string(launch.regs) + " registers: a thread has 0 to 255");
  require(launch.smem_static >= 0 && launch.smem_static <= kMost,
          "static shared memory of " + std::to_string(launch.smem_static) +
              " B: want 0 B to 1073741824 B");
  require(launch.smem_dynamic >= 0 && launch.smem_dynamic <= kMost,
          "dynamic shared memory of " + std::to_string(launch.smem_dynamic) +
              " B: want 0 B to 1073741824 B");
  require(launch.carveout >= -1 && launch.carveout <= 100,
          "carve-out " + std::to_string(launch.carveout) + ": want 0 to 100 per cent, or -1");
  require(launch.barriers >= 0 && launch.barriers <= 16,
          std::to_string(launch.barriers) + " barriers: a block has 0 to 16");
  require(launch.cluster >= 1 && launch.cluster <= sm.max_cluster,
          "cluster of " + std::to_string(launch.cluster) + " blocks: compute capability " +
              sm.cc() +
              (sm.max_cluster == 1 ? " has no clusters"
                                   : " has clusters of 1 to " + std::to_string(sm.max_cluster)));
}

int warps_per_block(const Launch& launch) {
  return ceil_div(launch.block, kWarpSize);
}

int warp_limit(const SmLimits& sm, const Launch& launch) {
  if (launch.block > kMaxThreadsPerBlock) return 0;
  return sm.max_threads / kWarpSize / warps_per_block(launch);
}

/// Registers that one warp is given.
int regs_per_warp(const SmLimits& sm, const Launch& launch) {
  return round_up(launch.regs * kWarpSize, sm.reg_granularity);
}

std::optional<int> register_limit(const SmLimits& sm, const Launch& launch) {
  const std::int64_t per_warp = regs_per_warp(sm, launch);
  if (per_warp == 0) return std::nullopt;
  // A warp lives in one sub-partition. The driver's own launch check, which counts a block's warps
  // rounded up to the sub-partitions, refuses just what gets 0 blocks here.
  const std::int64_t per_partition = sm.regs / sm.sub_partitions / per_warp;
  return static_cast<int>(per_partition * sm.sub_partitions / warps_per_block(launch));
}

/// The smallest carve-out of the hardware that holds `bytes`; `bytes` is at most the largest.
std::int64_t config_for(const SmLimits& sm, std::int64_t bytes) {
  const auto at = std::lower_bound(sm.smem_configs.begin(), sm.smem_configs.end(), bytes);
  return at == sm.smem_configs.end() ? sm.smem_configs.back() : *at;
}

std::int64_t smem_allocated(const SmLimits& sm, const Launch& launch) {
  return round_up(launch.smem_static + sm.smem_reserved + launch.smem_dynamic, sm.smem_granularity);
}

/// What one block may have, the reserve included.
std::int64_t smem_allowed(const SmLimits& sm, const Launch& launch) {
  // The opt-in allows the dynamic part all that the static part leaves, so it is the larger limit
  // that counts, whatever this launch asks for.
  return (launch.optin ? sm.smem_optin : kSmemDefaultPerBlock) + sm.smem_reserved;
}

std::int64_t carveout_bytes(const SmLimits& sm, const Launch& launch, std::int64_t allocated) {
  const std::int64_t preferred =
      launch.carveout < 0 ? sm.smem : config_for(sm, launch.carveout * sm.smem / 100);
  // A preference below one block is overruled by the smallest carve-out that holds one.
  return preferred >= allocated ? preferred : config_for(sm, allocated);
}

std::optional<int> smem_limit(const SmLimits& sm, const Launch& launch) {
  const std::int64_t allocated = smem_allocated(sm, launch);
  if (allocated > smem_allowed(sm, launch)) return 0;
  if (allocated == 0) return std::nullopt;
  return static_cast<int>(carveout_bytes(sm, launch, allocated) / allocated);
}

std::optional<int> barrier_limit(const SmLimits& sm, const Launch& launch) {
  if (!sm.barriers || launch.barriers == 0) return std::nullopt;
  return *sm.barriers / launch.barriers;
}

struct NamedLimit {
  const char* name;
  std::optional<int> blocks;
};

std::array<NamedLimit, 5> named(const BlockLimits& limits) {
  return {{{"warps", limits.warps},
           {"registers", limits.registers},
           {"shared_memory", limits.shared_memory},
           {"blocks", limits.blocks},
           {"barriers", limits.barriers}}};
}

}  // namespace

Occupancy occupancy_of(const SmLimits& sm, const Launch& launch) {
  check(sm, launch);
  Occupancy result;
  result.limits = {warp_limit(sm, launch), register_limit(sm, launch), smem_limit(sm, launch),
                   sm.max_blocks, barrier_limit(sm, launch)};
  result.blocks_per_sm = sm.max_blocks;
  for (const NamedLimit& limit : named(result.limits)) {
    result.blocks_per_sm = std::min(result.blocks_per_sm, limit.blocks.value_or(sm.max_blocks));
  }
  for (const NamedLimit& limit : named(result.limits)) {
    if (limit.blocks == result.blocks_per_sm) result.limiters.emplace_back(limit.name);
  }
  result.max_warps = sm.max_threads / kWarpSize;
  result.active_warps = result.blocks_per_sm * warps_per_block(launch);
  result.regs_per_block =
      static_cast<std::int64_t>(regs_per_warp(sm, launch)) * warps_per_block(launch);
  result.smem_per_block = smem_allocated(sm, launch);
  result.smem_config = carveout_bytes(sm, launch, result.smem_per_block);
  return result;
}

std::int64_t max_clusters(const Occupancy& occupancy, int cluster,
                          const std::vector<int>& gpc_sms) {
  require(cluster >= 1, "a cluster has at least one block");
  std::int64_t clusters = 0;
  for (const int sms : gpc_sms) {
    require(sms >= 0 && sms <= 1024, std::to_string(sms) + " SMs in a GPC: want 0 to 1024");
    clusters += static_cast<std::int64_t>(sms) * occupancy.blocks_per_sm / cluster;
  }
  return clusters;
}

}  // namespace assay
