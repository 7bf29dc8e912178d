// SPDX-License-Identifier: Apache-2.0
// Does the model say what cuda_occupancy.h says? testdata/occupancy_truth.json holds that header's
// answers (CUDA 13.0), each limit included.
#include "dossiers/models/occupancy.h"

#include <cmath>
#include <filesystem>
#include <stdexcept>

#include <gtest/gtest.h>

#include "dossiers/json/json_reader.h"

namespace assay {
namespace {

JsonNode truth() {
  return read_json(std::filesystem::path(ASSAY_TEST_SOURCE_DIR) /
                   "dossiers/models/testdata/occupancy_truth.json");
}

Launch launch_of(const JsonNode& entry) {
  Launch launch;
  launch.block = static_cast<int>(entry.at("block").integer());
  launch.regs = static_cast<int>(entry.at("regs").integer());
  launch.smem_static = entry.at("smem_static").integer();
  launch.smem_dynamic = entry.at("smem_dynamic").integer();
  launch.carveout = static_cast<int>(entry.at("carveout").integer());
  launch.barriers = static_cast<int>(entry.at("barriers").integer());
  launch.optin = entry.at("optin").boolean();
  return launch;
}

std::optional<int> limit_of(const JsonNode& limits, const char* name) {
  const auto node = limits.value(name);
  if (!node) return std::nullopt;
  return static_cast<int>(node->integer());
}

void expect_entry(const JsonNode& entry) {
  SCOPED_TRACE(entry.at("id").text());
  const Occupancy got = occupancy_of(sm_limits(entry.at("cc").text()), launch_of(entry));
  EXPECT_EQ(got.blocks_per_sm, entry.at("blocks_per_sm").integer());
  EXPECT_EQ(got.active_warps, entry.at("active_warps").integer());
  EXPECT_EQ(got.max_warps, entry.at("max_warps").integer());
  EXPECT_NEAR(got.occupancy(), entry.at("occupancy").number(), 5.1e-7);
  EXPECT_EQ(got.limiters, entry.at("limiters").strings());
  const JsonNode limits = entry.at("limits");
  EXPECT_EQ(got.limits.warps, limit_of(limits, "warps"));
  EXPECT_EQ(got.limits.registers, limit_of(limits, "registers"));
  EXPECT_EQ(got.limits.shared_memory, limit_of(limits, "shared_memory"));
  EXPECT_EQ(got.limits.blocks, limit_of(limits, "blocks"));
  EXPECT_EQ(got.limits.barriers, limit_of(limits, "barriers"));
  EXPECT_EQ(got.regs_per_block, entry.at("regs_per_block").integer());
  EXPECT_EQ(got.smem_per_block, entry.at("smem_per_block").integer());
  EXPECT_EQ(got.launchable(), entry.at("launchable").boolean());
}

int blocks(const char* cc, int block, int regs, std::int64_t dynamic = 0, int carveout = -1) {
  Launch launch;
  launch.block = block;
  launch.regs = regs;
  launch.smem_dynamic = dynamic;
  launch.carveout = carveout;
  return occupancy_of(sm_limits(cc), launch).blocks_per_sm;
}

TEST(OccupancyTruth, EveryEntryAgreesInEveryLimit) {
  const auto cases = truth().at("cases").items();
  EXPECT_EQ(cases.size(), 37U);
  for (const JsonNode& entry : cases) expect_entry(entry);
}

TEST(OccupancyTruth, EveryCapabilityHasTheLimitsOfTheHeader) {
  const auto all = truth().at("limits").items();
  EXPECT_EQ(all.size(), known_capabilities().size());
  for (const JsonNode& entry : all) {
    SCOPED_TRACE(entry.at("cc").text());
    const SmLimits& sm = sm_limits(entry.at("cc").text());
    EXPECT_EQ(sm.max_threads, entry.at("max_threads").integer());
    EXPECT_EQ(sm.max_blocks, entry.at("max_blocks").integer());
    EXPECT_EQ(sm.smem, entry.at("smem").integer());
    EXPECT_EQ(sm.smem_optin, entry.at("smem_optin").integer());
    EXPECT_EQ(sm.smem_reserved, entry.at("smem_reserved").integer());
    EXPECT_EQ(sm.smem_granularity, entry.at("smem_granularity").integer());
    EXPECT_EQ(sm.barriers, limit_of(entry, "barriers"));
    std::vector<std::int64_t> configs;
    for (const JsonNode& kib : entry.at("smem_configs_kib").items()) {
      configs.push_back(kib.integer() * 1024);
    }
    EXPECT_EQ(sm.smem_configs, configs);
  }
}

TEST(CaseD03, RegistersAreRoundedPerWarpAndLiveInSubPartitions) {
  EXPECT_EQ(blocks("8.0", 224, 92), 2) << "65536 / (92 x 224) says 3";
  EXPECT_EQ(blocks("8.0", 256, 33), 6) << "without the rounding 7";
  EXPECT_EQ(blocks("8.0", 1024, 65), 0);
  EXPECT_EQ(blocks("9.0", 160, 56), 7);
  EXPECT_EQ(blocks("10.3", 128, 255), 2);
  EXPECT_EQ(blocks("8.6", 288, 176), 0) << "two warps a sub-partition are 8, not 9";
  EXPECT_EQ(blocks("9.0", 96, 40), 16) << "without sub-partitions 17";
}

TEST(CaseD03, NoRegistersAreNoLimitAndTooManyAreRefused) {
  Launch launch;
  launch.block = 128;
  EXPECT_EQ(occupancy_of(sm_limits("8.0"), launch).limits.registers, std::nullopt);
  launch.regs = 256;
  EXPECT_THROW(occupancy_of(sm_limits("9.0"), launch), std::invalid_argument);
}

TEST(CaseD04, SharedMemoryAndBlockSlotsOfTheNewerArchitectures) {
  EXPECT_EQ(blocks("8.0", 128, 32, 32768), 4) << "without the reserve 5";
  EXPECT_EQ(blocks("8.0", 128, 32, 166912), 1);
  EXPECT_EQ(blocks("8.0", 128, 32, 166913), 0);
  EXPECT_EQ(blocks("8.9", 64, 32), 24);
  EXPECT_EQ(blocks("8.6", 64, 32), 16);
  EXPECT_EQ(blocks("12.0", 32, 32), 24);
  EXPECT_EQ(blocks("12.0", 128, 32, 51200), 1);
  EXPECT_EQ(blocks("12.0", 128, 32, 101377), 0);
  EXPECT_EQ(blocks("9.0", 128, 32, 16384, 50), 7);
  EXPECT_EQ(blocks("7.5", 256, 64, 16384), 4) << "no reserve before 8.0";
}

TEST(Occupancy, WhatCannotBeAskedForIsRefusedAndWhatTheDeviceRefusesHasNoBlocks) {
  EXPECT_THROW(blocks("8.9", 0, 32), std::invalid_argument);
  EXPECT_THROW(blocks("8.9", 128, -1), std::invalid_argument);
  EXPECT_THROW(blocks("8.9", 128, 32, -1), std::invalid_argument);
  EXPECT_THROW(blocks("8.9", 128, 32, 0, 101), std::invalid_argument);
  EXPECT_THROW(blocks("13.0", 128, 32), std::invalid_argument);
  EXPECT_THROW(blocks("9", 128, 32), std::invalid_argument);
  Launch launch;
  launch.block = 1025;
  launch.regs = 32;
  const Occupancy got = occupancy_of(sm_limits("8.9"), launch);
  EXPECT_FALSE(got.launchable());
  EXPECT_EQ(got.limits.warps, 0) << "more than 1024 threads";
}

TEST(Occupancy, TheSweepOfAKnownExample) {
  Launch launch;
  launch.block = 256;
  launch.regs = 64;
  launch.smem_dynamic = 8192;
  std::vector<int> per_cent;
  for (const SweepPoint& point : sweep_blocks(sm_limits("8.6"), launch)) {
    per_cent.push_back(static_cast<int>(std::lround(100 * point.result.occupancy())));
  }
  EXPECT_EQ(per_cent, (std::vector<int>{46, 67, 63, 67, 50, 67, 50, 67}));
}

TEST(Occupancy, EveryFixHelpsAndTheNextSmallerChangeDoesNot) {
  Launch launch;
  launch.block = 256;
  launch.regs = 73;
  const SmLimits& sm = sm_limits("9.0");
  const int now = occupancy_of(sm, launch).active_warps;
  const std::vector<Fix> fixes = occupancy_fixes(sm, launch);
  ASSERT_EQ(fixes.size(), 1U) << "six warps a sub-partition whatever the block size";
  EXPECT_EQ(fixes[0].resource, "registers");
  EXPECT_EQ(fixes[0].to, 64);
  EXPECT_EQ(fixes[0].result.active_warps, 32);
  launch.regs = 65;
  EXPECT_EQ(occupancy_of(sm, launch).active_warps, now);
  launch.regs = 32;
  launch.block = 1000;
  const std::vector<Fix> of_block = occupancy_fixes(sm_limits("8.6"), launch);
  ASSERT_EQ(of_block.size(), 1U);
  EXPECT_EQ(of_block[0].to, 768) << "the nearest of the best";
  EXPECT_EQ(of_block[0].result.active_warps, 48);
}

TEST(Occupancy, AMissingOptInIsTheFirstFix) {
  Launch launch;
  launch.block = 128;
  launch.regs = 32;
  launch.smem_dynamic = 65536;
  launch.optin = false;
  const std::vector<Fix> fixes = occupancy_fixes(sm_limits("8.0"), launch);
  ASSERT_FALSE(fixes.empty());
  EXPECT_EQ(fixes.front().resource, "optin");
  EXPECT_EQ(fixes.front().result.blocks_per_sm, 2);
}

TEST(Occupancy, AFullSmNeedsNoFix) {
  Launch launch;
  launch.block = 256;
  launch.regs = 32;
  EXPECT_TRUE(occupancy_fixes(sm_limits("9.0"), launch).empty());
}

TEST(Occupancy, AClusterLivesInOneGpcAndNeedsCapability90) {
  Launch launch;
  launch.block = 1024;
  launch.regs = 32;
  launch.cluster = 4;
  const Occupancy got = occupancy_of(sm_limits("9.0"), launch);
  EXPECT_EQ(got.blocks_per_sm, 2);
  EXPECT_EQ(max_clusters(got, 4, {16, 18}), 8 + 9);
  EXPECT_EQ(max_clusters(got, 8, {3, 3}), 0) << "two halves of a cluster in two GPCs are none";
  EXPECT_THROW(occupancy_of(sm_limits("8.9"), launch), std::invalid_argument);
  launch.cluster = 9;
  EXPECT_THROW(occupancy_of(sm_limits("9.0"), launch), std::invalid_argument);
}

}  // namespace
}  // namespace assay
