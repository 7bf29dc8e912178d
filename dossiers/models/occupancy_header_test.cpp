// SPDX-License-Identifier: Apache-2.0
// Does the model agree with the toolkit's own cuda_occupancy.h over a grid of launches? Needs the
// toolkit's headers and no GPU.
#include <cstddef>

#include <climits>
#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include "dossiers/models/occupancy.h"

namespace assay {
namespace {

cudaOccDeviceProp properties_of(const SmLimits& sm) {
  cudaOccDeviceProp properties;
  properties.computeMajor = sm.major;
  properties.computeMinor = sm.minor;
  properties.maxThreadsPerBlock = kMaxThreadsPerBlock;
  properties.maxThreadsPerMultiprocessor = sm.max_threads;
  properties.regsPerBlock = sm.regs;
  properties.regsPerMultiprocessor = sm.regs;
  properties.warpSize = kWarpSize;
  properties.sharedMemPerBlock = static_cast<std::size_t>(kSmemDefaultPerBlock);
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(sm.smem);
  properties.numSms = 1;
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(sm.smem_optin);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(sm.smem_reserved);
  return properties;
}

/// The header's blocks per SM; -1 when it refuses.
int by_header(const SmLimits& sm, const Launch& launch) {
  const cudaOccDeviceProp properties = properties_of(sm);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = launch.regs;
  attributes.sharedSizeBytes = static_cast<std::size_t>(launch.smem_static);
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = launch.optin ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
  attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(
      (launch.optin ? sm.smem_optin : kSmemDefaultPerBlock) - launch.smem_static);
  attributes.numBlockBarriers = launch.barriers;
  cudaOccDeviceState state;
  state.carveoutConfig = launch.carveout;
  cudaOccResult result;
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, launch.block,
      static_cast<std::size_t>(launch.smem_dynamic));
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

std::string described(const SmLimits& sm, const Launch& launch) {
  return sm.cc() + " block " + std::to_string(launch.block) + " regs " +
         std::to_string(launch.regs) + " smem " + std::to_string(launch.smem_static) + "+" +
         std::to_string(launch.smem_dynamic) + " carveout " + std::to_string(launch.carveout) +
         " barriers " + std::to_string(launch.barriers) + (launch.optin ? " optin" : "");
}

/// Counts the points of the grid; every one must agree.
int compare(const SmLimits& sm, const Launch& launch) {
  EXPECT_EQ(occupancy_of(sm, launch).blocks_per_sm, by_header(sm, launch)) << described(sm, launch);
  return 1;
}

int registers_and_blocks(const SmLimits& sm) {
  int points = 0;
  for (int block = 1; block <= 1056; block += 31) {
    for (int regs = 0; regs <= kMaxRegsPerThread; regs += 3) {
      Launch launch;
      launch.block = block;
      launch.regs = regs;
      points += compare(sm, launch);
    }
  }
  return points;
}

int memory_and_barriers(const SmLimits& sm) {
  int points = 0;
  for (std::int64_t dynamic = 0; dynamic <= sm.smem + 4096; dynamic += 1777) {
    for (const int carveout : {-1, 0, 1, 25, 50, 77, 100}) {
      for (const std::int64_t fixed : {std::int64_t{0}, std::int64_t{5000}}) {
        for (const bool optin : {true, false}) {
          Launch launch;
          launch.block = 64;
          launch.regs = 32;
          launch.smem_static = fixed;
          launch.smem_dynamic = dynamic;
          launch.carveout = carveout;
          launch.optin = optin;
          launch.barriers = static_cast<int>(dynamic % 17);
          points += compare(sm, launch);
        }
      }
    }
  }
  return points;
}

TEST(OccupancyHeader, AgreesOverAGridOfLaunchesOnEveryCapability) {
  int points = 0;
  for (const std::string& cc : known_capabilities()) {
    points += registers_and_blocks(sm_limits(cc)) + memory_and_barriers(sm_limits(cc));
  }
  EXPECT_GT(points, 60000);
}

}  // namespace
}  // namespace assay
