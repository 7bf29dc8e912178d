// SPDX-License-Identifier: Apache-2.0
// How do the blocks of a cluster find each other? Clusters exist from compute capability 9.0 on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <cuda_runtime.h>

#include "dossiers/measurement.h"
#include "probes/harness/check.h"
#include "probes/harness/device.h"

namespace assay {

inline constexpr int kClusterCc = 90;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// Waits for every thread of the cluster; what they wrote before is visible after.
__device__ inline void cluster_sync() {
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
}

__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank = 0;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Which cluster of the grid this is.
__device__ inline std::uint32_t cluster_number() {
  std::uint32_t number = 0;
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(number));
  return number;
}

/// The generic address of the same variable in the block of that rank.
__device__ inline std::uint64_t address_in_block(const void* shared, std::uint32_t rank) {
  std::uint64_t address = 0;
  asm volatile("mapa.u64 %0, %1, %2;"
               : "=l"(address)
               : "l"(reinterpret_cast<std::uint64_t>(shared)), "r"(rank));
  return address;
}
#endif

/// A launch of one cluster of `blocks` blocks. Refers to itself: build it where it is used.
struct ClusterLaunch {
  ClusterLaunch(int blocks, int threads, std::size_t shared_bytes, cudaStream_t stream) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  ClusterLaunch(const ClusterLaunch&) = delete;
  ClusterLaunch& operator=(const ClusterLaunch&) = delete;

  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config{};
};

/// Clusters of `kernel` in this shape that the device holds at once; 0 where it holds none.
template <typename Kernel>
int clusters_at_once(Kernel* kernel, int blocks, int threads, std::size_t shared_bytes) {
  const ClusterLaunch launch(blocks, threads, shared_bytes, nullptr);
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config) == cudaSuccess) {
    return clusters;
  }
  static_cast<void>(cudaGetLastError());
  return 0;
}

/// Why the device cannot run one cluster of `kernel` in this shape; nullopt when it can.
template <typename Kernel>
std::optional<NullReason> cluster_obstacle(const Device& device, Kernel* kernel, int blocks,
                                           int threads, std::size_t shared_bytes) {
  if (device.cc() < kClusterCc) {
    return NullReason{NullKind::not_supported, "thread block clusters need 9.0"};
  }
  if (clusters_at_once(kernel, blocks, threads, shared_bytes) > 0) return std::nullopt;
  return NullReason{NullKind::not_supported,
                    "no cluster of " + std::to_string(blocks) + " blocks fits this device"};
}

}  // namespace assay
