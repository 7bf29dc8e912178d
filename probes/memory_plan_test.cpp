// SPDX-License-Identifier: Apache-2.0
#include "probes/memory_plan.h"

#include <map>

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kGiB = 1024 * kMiB;
constexpr std::uint64_t kH200L2 = 62'914'560;
constexpr double kH200Peak = 4.8143e12;

TEST(DramStream, IsFourGibibytesOnAnH200) {
  EXPECT_EQ(dram_stream_bytes(140 * kGiB, kH200L2, kH200Peak), 4 * kGiB);
}

TEST(DramStream, IsOneMillisecondOfASlowMemory) {
  const auto bytes = dram_stream_bytes(15 * kGiB, 4 * kMiB, 320e9);  // T4
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes % (2 * kMiB), 0u);
  EXPECT_NEAR(static_cast<double>(*bytes), 320e9 * 0.9e-3, 2.0 * kMiB);
  EXPECT_GE(*bytes, 8 * 4 * kMiB);
}

TEST(DramStream, NeverFallsBelowEightTimesTheL2) {
  EXPECT_EQ(dram_stream_bytes(24 * kGiB, 96 * kMiB, 300e9), 768 * kMiB);  // Ada: large L2
  EXPECT_EQ(dram_stream_bytes(140 * kGiB, kH200L2, 1e9), 480 * kMiB);
}

TEST(DramStream, LeavesThreeStreamsRoomInTheFreeMemory) {
  const std::uint64_t free = 8 * kGiB + 12'345;
  const auto bytes = dram_stream_bytes(free, kH200L2, kH200Peak);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, 2 * kGiB);
  EXPECT_LT(3 * *bytes, free);
}

TEST(DramStream, IsRefusedWhenFreeMemoryIsTooSmallForTheL2) {
  EXPECT_FALSE(dram_stream_bytes(4 * 480 * kMiB - 1, kH200L2, kH200Peak));
  EXPECT_TRUE(dram_stream_bytes(4 * 480 * kMiB, kH200L2, kH200Peak));
  EXPECT_FALSE(dram_stream_bytes(0, kH200L2, kH200Peak));
}

TEST(DramStream, IsRefusedWhenTheL2SizeIsUnknown) {
  EXPECT_FALSE(dram_stream_bytes(140 * kGiB, 0, kH200Peak));
}

TEST(DramStream, DoesNotNeedThePeak) {
  EXPECT_EQ(dram_stream_bytes(140 * kGiB, kH200L2, 0.0), 1 * kGiB);
  EXPECT_EQ(dram_stream_bytes(140 * kGiB, kH200L2, 1e300), 4 * kGiB);
}

TEST(DramStream, FitsATinyMigSlice) {
  const auto bytes = dram_stream_bytes(16 * kGiB, kH200L2 / 8, kH200Peak / 8);
  ASSERT_TRUE(bytes);
  EXPECT_GE(*bytes, kH200L2);
  EXPECT_LE(*bytes, 4 * kGiB);
}

TEST(DramRing, IsOneGibibyteWhereItFits) {
  EXPECT_EQ(dram_ring_bytes(140 * kGiB, kH200L2), 1 * kGiB);
  EXPECT_EQ(dram_ring_bytes(15 * kGiB, 4 * kMiB), 1 * kGiB);
  EXPECT_EQ(dram_ring_bytes(140 * kGiB, 256 * kMiB), 2 * kGiB);
  EXPECT_EQ(dram_ring_bytes(1 * kGiB, 4 * kMiB), 512 * kMiB);
  EXPECT_FALSE(dram_ring_bytes(256 * kMiB, kH200L2));
  EXPECT_FALSE(dram_ring_bytes(140 * kGiB, 0));
}

TEST(L2Set, IsAQuarterWithinItsLimits) {
  EXPECT_EQ(l2_set_bytes(kH200L2), 15 * kMiB);
  EXPECT_EQ(l2_set_bytes(4 * kMiB), 1 * kMiB);
  EXPECT_EQ(l2_set_bytes(128 * kMiB), 16 * kMiB);
  EXPECT_EQ(l2_set_bytes(1536 * 1024), 512 * 1024u);
  EXPECT_EQ(l2_set_bytes(512 * 1024), 256 * 1024u) << "half the L2 at most";
  EXPECT_FALSE(l2_set_bytes(0));
}

TEST(L2Set, IsWholeVectorsOfWholeWarps) {
  for (const std::uint64_t l2 : {kH200L2, kH200L2 / 8, std::uint64_t{5'767'168}, 3 * kMiB + 77}) {
    ASSERT_TRUE(l2_set_bytes(l2));
    EXPECT_EQ(*l2_set_bytes(l2) % 512, 0u) << l2;
  }
}

TEST(L2Ring, IsTwoMebibytesOrAQuarter) {
  EXPECT_EQ(l2_ring_bytes(kH200L2), 2 * kMiB);
  EXPECT_EQ(l2_ring_bytes(4 * kMiB), 1 * kMiB);
  EXPECT_EQ(l2_ring_bytes(kH200L2 / 8), kH200L2 / 8 / 4096 / 4 * 4096);
  EXPECT_FALSE(l2_ring_bytes(0));
}

TEST(BytesPerCall, CountsWhatEachKernelReadsAndWrites) {
  constexpr std::uint64_t kStream = 64 * kMiB;
  EXPECT_EQ(bytes_per_call(StreamKernel::read, kStream), kStream);
  EXPECT_EQ(bytes_per_call(StreamKernel::write, kStream), kStream);
  EXPECT_EQ(bytes_per_call(StreamKernel::copy, kStream), 2 * kStream);
  EXPECT_EQ(bytes_per_call(StreamKernel::triad, kStream), 3 * kStream);
  EXPECT_EQ(bytes_per_call(StreamKernel::gather_4b, kStream), kStream / 16) << "useful bytes only";
  EXPECT_EQ(bytes_per_call(StreamKernel::gather_16b, kStream), kStream / 8);
  EXPECT_EQ(bytes_per_call(StreamKernel::gather_128b, kStream), kStream / 2);
}

TEST(GathersPerCall, FillWholeBlocks) {
  const std::map<std::uint64_t, std::uint64_t> rows_per_block{
      {4, std::uint64_t{kStreamThreads} * kGathersPerThread},
      {16, std::uint64_t{kStreamThreads} * kRowGathersPerThread},
      {128, std::uint64_t{kStreamThreads} / 8 * kRowGathersPerThread}};
  for (const auto& [row_bytes, block] : rows_per_block) {
    for (const std::uint64_t stream : {4 * kGiB, 288 * kMiB, 2 * kMiB, std::uint64_t{4096}}) {
      EXPECT_EQ(gathers_per_call(stream, row_bytes) % block, 0u) << row_bytes;
      EXPECT_GT(gathers_per_call(stream, row_bytes), 0u) << row_bytes;
    }
  }
}

TEST(BulkTile, DividesEveryStreamAndFitsStaticSharedMemory) {
  EXPECT_EQ(2 * kMiB % kBulkTileBytes, 0u);
  EXPECT_LE(kBulkTileBytes + kBulkChunks * sizeof(std::uint64_t), 48u * 1024);
  EXPECT_EQ(kBulkChunkVectors % kBulkThreads, 0);
}

TEST(StepsPerBlock, SweepTheSetAtLeastAsOftenAsAsked) {
  constexpr std::uint64_t kStep = 32 * 1024;
  const std::uint32_t steps = steps_per_block(15 * kMiB, kStep, 264, 256);
  EXPECT_GE(steps * kStep * 264, 256 * 15 * kMiB);
  EXPECT_LT((steps - 1) * kStep * 264, 256 * 15 * kMiB);
  EXPECT_EQ(steps_per_block(kStep, kStep, 264, 1), 1u) << "never none";
}

}  // namespace
}  // namespace assay
