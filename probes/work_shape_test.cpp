// SPDX-License-Identifier: Apache-2.0
// Is the work that the arithmetic probes claim per call what their loops' shapes amount to?
#include <gtest/gtest.h>

#include "probes/fma_shape.h"
#include "probes/mma_shape.h"

namespace assay {
namespace {

TEST(WorkShape, AnFmaCountsAsTwoOperations) {
  constexpr FmaShape kOne{.chains = 1, .steps = 1, .threads = 1};
  EXPECT_EQ(kOne.flops_per_call(1, 1), 2.0);
  EXPECT_EQ(kOne.flops_per_call(3, 5), 30.0);
}

TEST(WorkShape, FmaLoopsClaimChainsTimesStepsPerThreadAndTrip) {
  EXPECT_EQ(kFmaShape<float>.fmas_per_trip(), 512);
  EXPECT_EQ(kFmaShape<double>.fmas_per_trip(), 128);
  EXPECT_EQ(kFmaShape<float>.flops_per_call(132, 1000), 2.0 * 512 * 1024 * 132 * 1000);
  EXPECT_EQ(kFmaShape<double>.flops_per_call(132, 1000), 2.0 * 128 * 1024 * 132 * 1000);
}

TEST(WorkShape, FmaLoopsHaveEnoughChainsAndWarpsToFillThePipes) {
  for (const FmaShape& shape : {kFmaShape<float>, kFmaShape<double>}) {
    EXPECT_GE(shape.chains, 8);
    EXPECT_GE(shape.threads / 32, 16);
  }
}

TEST(WorkShape, MmaSyncShapesFollowTheComputeCapability) {
  EXPECT_EQ(mma_sync_shape(MmaInput::f16, 75).flops(), 2.0 * 16 * 8 * 8);
  EXPECT_EQ(mma_sync_shape(MmaInput::f16, 80).flops(), 2.0 * 16 * 8 * 16);
  EXPECT_EQ(mma_sync_shape(MmaInput::f16, 120).flops(), 4096.0);
  EXPECT_EQ(mma_sync_shape(MmaInput::tf32, 90).flops(), 2048.0);
}

TEST(WorkShape, MmaSyncClaimsItsInstructionsInEveryWarp) {
  EXPECT_EQ(mma_sync_per_trip(), 64);
  const MmaShape f16 = mma_sync_shape(MmaInput::f16, 90);
  EXPECT_EQ(mma_sync_flops_per_call(f16, 132, 10), 4096.0 * 64 * 10 * 16 * 132);
  const MmaShape tf32 = mma_sync_shape(MmaInput::tf32, 90);
  EXPECT_EQ(mma_sync_flops_per_call(tf32, 132, 10), 2048.0 * 64 * 10 * 16 * 132);
}

TEST(WorkShape, WgmmaClaimsItsInstructionsInEveryWarpgroup) {
  EXPECT_EQ(wgmma_per_trip(), 8);
  EXPECT_EQ(wgmma_shape(MmaInput::f16).flops(), 524288.0);
  EXPECT_EQ(wgmma_shape(MmaInput::tf32).flops(), 262144.0);
  EXPECT_EQ(wgmma_flops_per_call(wgmma_shape(MmaInput::f16), 132, 7), 524288.0 * 8 * 2 * 7 * 132);
}

TEST(WorkShape, ATripOfWgmmaTakes2048ClocksAtFullRate) {
  // Two warpgroups, 8 instructions each, 128 clocks an instruction, in both types.
  EXPECT_EQ(wgmma_flops_per_call(wgmma_shape(MmaInput::f16), 1, 1) / 4096.0, 2048.0);
  EXPECT_EQ(wgmma_flops_per_call(wgmma_shape(MmaInput::tf32), 1, 1) / 2048.0, 2048.0);
}

TEST(WorkShape, WgmmaOperandsFillWholeRowsOfBothTiles) {
  EXPECT_EQ(wgmma_depth(MmaInput::f16) * 2, kWgmmaRowBytes * kWgmmaTiles);
  EXPECT_EQ(wgmma_depth(MmaInput::tf32) * 4, kWgmmaRowBytes * kWgmmaTiles);
  EXPECT_EQ(kWgmmaBytes, 96 * 1024);
}

}  // namespace
}  // namespace assay
