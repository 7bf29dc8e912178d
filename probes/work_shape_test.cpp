// SPDX-License-Identifier: Apache-2.0
// Is the work that the arithmetic probes claim per call what their loops' shapes amount to?
#include <gtest/gtest.h>

#include "probes/fma_shape.h"
#include "probes/mma_keys.h"
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

TEST(WorkShape, AnInstructionOnTwoHalvesCountsTwice) {
  EXPECT_EQ(kFmaShape<HalfPair>.flops_per_call(132, 1000), 2.0 * 2 * 512 * 1024 * 132 * 1000);
}

TEST(WorkShape, AnIntegerInstructionCountsOnce) {
  EXPECT_EQ(integer_operations(132, 1000), 256.0 * 1024 * 132 * 1000);
}

TEST(WorkShape, FmaLoopsHaveEnoughChainsAndWarpsToFillThePipes) {
  for (const FmaShape& shape :
       {kFmaShape<float>, kFmaShape<double>, kFmaShape<HalfPair>, kIntegerShape}) {
    EXPECT_GE(shape.chains, 8);
    EXPECT_GE(shape.threads / 32, 16);
  }
}

TEST(WorkShape, MmaSyncShapesFollowTheComputeCapability) {
  EXPECT_EQ(mma_sync_shape(MmaKind::f16_f32, 75), (MmaShape{16, 8, 8}));
  EXPECT_EQ(mma_sync_shape(MmaKind::f16_f16, 75), (MmaShape{16, 8, 8}));
  EXPECT_EQ(mma_sync_shape(MmaKind::f16_f32, 80), (MmaShape{16, 8, 16}));
  EXPECT_EQ(mma_sync_shape(MmaKind::bf16_f32, 120), (MmaShape{16, 8, 16}));
  EXPECT_EQ(mma_sync_shape(MmaKind::tf32_f32, 90), (MmaShape{16, 8, 8}));
  EXPECT_EQ(mma_sync_shape(MmaKind::s8_s32, 90), (MmaShape{16, 8, 32}));
  EXPECT_EQ(mma_sync_shape(MmaKind::sparse, 90), (MmaShape{16, 8, 32}));
  EXPECT_EQ(mma_sync_shape(MmaKind::f64_f64, 90), (MmaShape{16, 8, 16}));
  for (const int cc : {80, 89, 100, 120}) {
    EXPECT_EQ(mma_sync_shape(MmaKind::f64_f64, cc), (MmaShape{8, 8, 4}));
  }
}

TEST(WorkShape, OnlyAdaAndConsumerBlackwellHaveE4m3InMmaSync) {
  for (const int cc : {89, 120, 121}) {
    EXPECT_FALSE(mma_sync_is_emulated(MmaKind::e4m3_f32, cc)) << cc;
  }
  for (const int cc : {90, 100, 103}) {
    EXPECT_TRUE(mma_sync_is_emulated(MmaKind::e4m3_f32, cc)) << cc;
  }
  EXPECT_FALSE(mma_sync_is_emulated(MmaKind::f16_f32, 90));
  EXPECT_EQ(mma_sync_key(MmaKind::e4m3_f32, 90), "mma_sync_e4m3_f32_emulated");
  EXPECT_EQ(mma_sync_key(MmaKind::e4m3_f32, 89), "mma_sync_e4m3_f32");
  EXPECT_EQ(mma_sync_key(MmaKind::e4m3_f32, 80), "mma_sync_e4m3_f32");
  EXPECT_EQ(mma_sync_key(MmaKind::sparse, 90), "mma_sync_f16_f32_sparse");
  EXPECT_EQ(wgmma_key(MmaKind::sparse), "wgmma_f16_f32_sparse");
}

TEST(WorkShape, MmaSyncClaimsItsInstructionsInEveryWarp) {
  EXPECT_EQ(mma_sync_per_trip(), 64);
  EXPECT_EQ(mma_sync_flops_per_call(MmaKind::f16_f32, 90, 132, 10), 4096.0 * 64 * 10 * 16 * 132);
  EXPECT_EQ(mma_sync_flops_per_call(MmaKind::tf32_f32, 90, 132, 10), 2048.0 * 64 * 10 * 16 * 132);
  EXPECT_EQ(mma_sync_flops_per_call(MmaKind::f64_f64, 90, 132, 10), 4096.0 * 64 * 10 * 8 * 132);
  EXPECT_EQ(mma_sync_flops_per_call(MmaKind::f64_f64, 80, 132, 10), 512.0 * 64 * 10 * 8 * 132);
}

TEST(WorkShape, ASparseProductCountsAsTheDenseOne) {
  EXPECT_EQ(mma_sync_shape(MmaKind::sparse, 80).flops(),
            2 * mma_sync_shape(MmaKind::f16_f32, 80).flops());
  EXPECT_EQ(wgmma_shape(MmaKind::sparse).flops(), 2 * wgmma_shape(MmaKind::f16_f32).flops());
  EXPECT_EQ(stored_k(MmaKind::sparse, 32), 16);
  EXPECT_EQ(stored_k(MmaKind::f16_f32, 16), 16);
}

TEST(WorkShape, WgmmaClaimsItsInstructionsInEveryWarpgroup) {
  EXPECT_EQ(kWgmmaPerTrip, 8);
  EXPECT_EQ(wgmma_shape(MmaKind::f16_f32), (MmaShape{64, 256, 16}));
  EXPECT_EQ(wgmma_shape(MmaKind::f16_f16), (MmaShape{64, 256, 16}));
  EXPECT_EQ(wgmma_shape(MmaKind::bf16_f32), (MmaShape{64, 256, 16}));
  EXPECT_EQ(wgmma_shape(MmaKind::tf32_f32), (MmaShape{64, 256, 8}));
  EXPECT_EQ(wgmma_shape(MmaKind::s8_s32), (MmaShape{64, 256, 32}));
  EXPECT_EQ(wgmma_shape(MmaKind::e4m3_f32), (MmaShape{64, 256, 32}));
  EXPECT_EQ(wgmma_shape(MmaKind::sparse), (MmaShape{64, 256, 32}));
  EXPECT_EQ(wgmma_flops_per_call(wgmma_shape(MmaKind::f16_f32), 132, 7),
            524288.0 * 8 * 2 * 7 * 132);
}

TEST(WorkShape, ATripOfWgmmaTakes2048ClocksAtFullRate) {
  // Two warpgroups, 8 instructions each, 128 clocks an instruction, in all types.
  const auto trip = [](MmaKind kind) { return wgmma_flops_per_call(wgmma_shape(kind), 1, 1); };
  EXPECT_EQ(trip(MmaKind::f16_f32) / 4096.0, 2048.0);
  EXPECT_EQ(trip(MmaKind::tf32_f32) / 2048.0, 2048.0);
  EXPECT_EQ(trip(MmaKind::s8_s32) / 8192.0, 2048.0);
  EXPECT_EQ(trip(MmaKind::sparse) / 8192.0, 2048.0);
}

TEST(WorkShape, WgmmaOperandsFillWholeRowsOfTheirTiles) {
  for (const MmaKind kind : {MmaKind::f16_f32, MmaKind::tf32_f32, MmaKind::s8_s32}) {
    EXPECT_EQ(wgmma_depth(kind) * operand_bytes(kind), kWgmmaRowBytes * wgmma_tiles_a(kind));
    EXPECT_EQ(wgmma_depth(kind) * operand_bytes(kind), kWgmmaRowBytes * wgmma_tiles_b(kind));
    EXPECT_EQ(wgmma_bytes(kind), 96 * 1024);
  }
  EXPECT_EQ(wgmma_depth(MmaKind::sparse) * 2, kWgmmaRowBytes * wgmma_tiles_b(MmaKind::sparse));
  EXPECT_EQ(wgmma_bytes(MmaKind::sparse), 128 * 1024);
}

}  // namespace
}  // namespace assay
