// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel live on one SM at once, and what keeps more of them out?
// The rules are those that NVIDIA publishes with the CUDA Toolkit (cuda_occupancy.h, CUDA 13.0);
// occupancy_header_test.cpp holds this model against that header over a grid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// What one SM of a compute capability has. Sizes in bytes.
struct SmLimits {
  int major = 0, minor = 0;
  int max_threads = 0;             ///< resident threads per SM
  int max_blocks = 0;              ///< resident blocks per SM
  std::int64_t smem = 0;           ///< shared memory per SM at the largest carve-out
  std::int64_t smem_optin = 0;     ///< per block, after the opt-in attribute was set
  std::int64_t smem_reserved = 0;  ///< taken by the driver for every block
  std::int64_t smem_granularity = 0;
  std::vector<std::int64_t> smem_configs;  ///< carve-outs the hardware has, ascending
  int regs = 65536;
  int reg_granularity = 256;    ///< registers are given to a warp in this unit
  int sub_partitions = 4;       ///< a warp lives in one; each has regs / sub_partitions
  std::optional<int> barriers;  ///< named barriers per SM; nullopt: not counted (before 9.0)
  int max_cluster = 1;          ///< blocks of the largest portable cluster; 1: no clusters

  std::string cc() const { return std::to_string(major) + "." + std::to_string(minor); }
};

inline constexpr int kWarpSize = 32;
inline constexpr int kMaxThreadsPerBlock = 1024;
inline constexpr int kMaxRegsPerThread = 255;
inline constexpr std::int64_t kSmemDefaultPerBlock =
    std::int64_t{48} * 1024;  ///< without the opt-in attribute

/// The compute capabilities that the model knows, ascending: "7.0" to "12.1".
std::vector<std::string> known_capabilities();
/// The limits of "9.0". Throws std::invalid_argument on anything that is not in the table: there is
/// no falling back to a neighbour.
const SmLimits& sm_limits(std::string_view cc);

/// One launch. Sizes in bytes.
struct Launch {
  int block = 0;  ///< threads per block
  int regs = 0;   ///< registers per thread; 0: the kernel uses none
  std::int64_t smem_static = 0;
  std::int64_t smem_dynamic = 0;
  int carveout = -1;  ///< per cent of shared memory preferred; -1: the driver's choice
  int barriers = 1;   ///< named barriers per block
  bool optin = true;  ///< the kernel was allowed all the dynamic shared memory there is
  int cluster = 1;    ///< blocks per cluster
};

/// Blocks per SM by each resource alone; nullopt: the resource does not limit.
struct BlockLimits {
  std::optional<int> warps, registers, shared_memory, blocks, barriers;
  bool operator==(const BlockLimits&) const = default;
};

struct Occupancy {
  int blocks_per_sm = 0;
  int active_warps = 0;
  int max_warps = 0;
  BlockLimits limits;
  std::vector<std::string> limiters;  ///< every resource whose own limit equals blocks_per_sm
  std::int64_t regs_per_block = 0;    ///< as allocated
  std::int64_t smem_per_block = 0;    ///< as allocated, the reserve included; bytes
  std::int64_t smem_config = 0;       ///< the carve-out in force; bytes

  bool launchable() const { return blocks_per_sm > 0; }
  double occupancy() const { return static_cast<double>(active_warps) / max_warps; }
};

/// Throws std::invalid_argument on a launch that cannot be asked for: no threads, more than 255
/// registers, negative sizes, a carve-out outside -1..100, a cluster that the device has not. A
/// launch that the device refuses (too many threads, too much memory) has 0 blocks.
Occupancy occupancy_of(const SmLimits& sm, const Launch& launch);

/// The occupancy of the same launch at another block size.
struct SweepPoint {
  int block = 0;
  Occupancy result;
};
/// Block sizes 64 128 192 256 384 512 768 1024, the rest of the launch as it is.
std::vector<SweepPoint> sweep_blocks(const SmLimits& sm, const Launch& launch);

/// One change of one resource that lets more warps live on the SM.
struct Fix {
  std::string resource;  ///< "registers", "shared_memory", "block", "carveout", "barriers", "optin"
  std::int64_t from = 0, to = 0;
  Occupancy result;
};
/// The smallest change of each single resource that raises the active warps; empty when the SM is
/// full or when only a change of several at once would help.
std::vector<Fix> occupancy_fixes(const SmLimits& sm, const Launch& launch);

/// Clusters of `launch` that fit a device at once, at most: a cluster lives in one GPC, so each GPC
/// holds floor(SMs x blocks per SM / cluster size). `gpc_sms`: SMs of each GPC. An upper bound: the
/// hardware may place fewer; cudaOccupancyMaxActiveClusters knows.
std::int64_t max_clusters(const Occupancy& occupancy, int cluster, const std::vector<int>& gpc_sms);

}  // namespace assay
