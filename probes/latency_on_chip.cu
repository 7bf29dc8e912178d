// SPDX-License-Identifier: Apache-2.0
// How long does one dependent load take from the constant cache, and from another SM's shared
// memory?
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "probes/chase.cuh"
#include "probes/chase_session.h"
#include "probes/cluster.cuh"
#include "probes/latency_parts.h"

namespace assay {
namespace {

/// 1 KiB: the first-level constant cache holds 2 KiB since Volta.
constexpr std::uint32_t kConstantPlaces = 256;
constexpr int kConstantRounds = 4097;
constexpr int kDsmemRounds = 1025;

__constant__ std::uint32_t constant_ring[kConstantPlaces];

__device__ std::uint32_t constant_base() {
  return static_cast<std::uint32_t>(__cvta_generic_to_constant(constant_ring));
}

__global__ void tell_constant_base(std::uint32_t* base) {
  *base = constant_base();
}

/// For one thread.
__global__ void chase_constant(ChaseSteps steps, ChaseLog* log) {
  timed_chase<ConstantLoad>(constant_base(), sizeof(std::uint32_t), steps, log);
}

/// The ring's addresses, where the chase will read them.
void link_constant(const Route& route) {
  const DeviceBuffer<std::uint32_t> told(1);
  tell_constant_base<<<1, 1>>>(told.data());
  ASSAY_CUDA(cudaGetLastError());
  const std::uint32_t base = told.download().front();
  std::vector<std::uint32_t> ring;
  for (const std::uint32_t successor : route.next) {
    ring.push_back(base + successor * static_cast<std::uint32_t>(sizeof(std::uint32_t)));
  }
  ASSAY_CUDA(cudaMemcpyToSymbol(constant_ring, ring.data(), ring.size() * sizeof(std::uint32_t)));
  ASSAY_CUDA(cudaDeviceSynchronize());
}

/// For a cluster of two blocks of kSharedPlaces threads: the first block's lane walks a ring in the
/// second block's shared memory. 64-bit generic pointers, because a 32-bit cluster address costs
/// two moves a step.
__global__ void __launch_bounds__(kSharedPlaces)
    chase_peer(const std::uint32_t* next, ChaseSteps steps, ChaseLog* log, std::uint32_t* sms) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  extern __shared__ std::uint64_t peer_ring[];
  const std::uint64_t base = address_in_block(peer_ring, 1);
  constexpr std::uint32_t kStride = sizeof(std::uint64_t);
  peer_ring[threadIdx.x] = base + next[threadIdx.x] * kStride;
  if (threadIdx.x == 0) sms[cluster_rank()] = read_smid();
  cluster_sync();
  if (cluster_rank() == 0 && threadIdx.x == 0) timed_chase<GenericLoad>(base, kStride, steps, log);
  cluster_sync();  // shared memory is its block's, and goes with it
#else
  __trap();  // never launched: the probe states that clusters need 9.0
#endif
}

/// All the shared memory that a block may have, so that an SM holds one block: in one SM the ring
/// would be the lane's own.
std::size_t whole_shared_memory(const Device& device) {
  return static_cast<std::size_t>(device.attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
}

void chase_dsmem(Session& session, const Chase& chase, std::size_t shared_bytes) {
  const Route route{single_cycle(kSharedPlaces, 2)};
  const auto successors = upload_words(route.next);
  const auto sms = upload_words({0, 0});
  measure_chase(session, chase, route, [&](ChaseLog* log, cudaStream_t stream) {
    const ClusterLaunch launch(2, kSharedPlaces, shared_bytes, stream);
    const std::uint32_t* const next = successors.data();
    ASSAY_CUDA(cudaLaunchKernelEx(&launch.config, chase_peer, next, chase.steps, log, sms.data()));
  });
  const auto ran = sms.download();
  if (ran[0] == ran[1]) {
    throw WrongResult("both blocks of the cluster ran on SM " + std::to_string(ran[0]));
  }
}

}  // namespace

void measure_constant(Session& session) {
  const Chase chase{"constant",
                    "one lane, ld.const of 32-bit addresses in a 1 KiB ring, random single cycle",
                    {kConstantPlaces / kChaseUnroll, kConstantRounds}};
  const Route route{single_cycle(kConstantPlaces, 3)};
  link_constant(route);
  measure_chase(session, chase, route, [&](ChaseLog* log, cudaStream_t stream) {
    chase_constant<<<1, 1, 0, stream>>>(chase.steps, log);
    ASSAY_CUDA(cudaGetLastError());
  });
}

void measure_dsmem(Session& session) {
  const Chase chase{
      "dsmem",
      "one lane, 64-bit generic pointers in an 8 KiB ring in the other block's shared "
      "memory, cluster of 2 blocks on 2 SMs, random single cycle",
      {kSharedPlaces / kChaseUnroll, kDsmemRounds}};
  const std::size_t bytes = whole_shared_memory(session.device);
  if (session.device.cc() >= kClusterCc) {
    ASSAY_CUDA(cudaFuncSetAttribute(chase_peer, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
  }
  if (const auto obstacle = cluster_obstacle(session.device, chase_peer, 2, kSharedPlaces, bytes)) {
    add_absent_chase(session, chase, *obstacle);
    return;
  }
  chase_dsmem(session, chase, bytes);
}

}  // namespace assay
