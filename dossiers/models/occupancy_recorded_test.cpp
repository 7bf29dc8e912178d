// SPDX-License-Identifier: Apache-2.0
// Does the model say what a real device said? The recorded dossiers hold, of each launch, the
// answer of the occupancy API and the blocks that were alive at once.
#include <cstdio>
#include <filesystem>

#include <gtest/gtest.h>

#include "dossiers/dossier.h"
#include "dossiers/models/occupancy.h"

namespace assay {
namespace {

/// The launch that "t256_s0_r128" and "..., 128 registers a thread" stand for.
std::optional<Launch> launch_of(const std::string& key, const std::string& method) {
  Launch launch;
  launch.carveout = 100;  // as the probe sets it
  int smem = 0;
  if (std::sscanf(key.c_str(), "t%d_s%d", &launch.block, &smem) != 2) return std::nullopt;
  launch.smem_dynamic = smem;
  const std::size_t comma = method.rfind(", ");
  if (comma == std::string::npos ||
      std::sscanf(method.c_str() + comma, ", %d registers", &launch.regs) != 1) {
    return std::nullopt;
  }
  return launch;
}

int compare(const Dossier& dossier) {
  const SmLimits& sm = sm_limits(std::to_string(dossier.device.cc_major) + "." +
                                 std::to_string(dossier.device.cc_minor));
  int points = 0;
  const auto& facts = dossier.entries.at("occupancy_blocks_per_sm").facts;
  for (const auto& [key, fact] : facts) {
    const auto launch = launch_of(key, fact.method);
    if (!launch) continue;
    const Occupancy got = occupancy_of(sm, *launch);
    EXPECT_EQ(as_number(fact.value), got.blocks_per_sm) << key << ": " << fact.method;
    EXPECT_EQ(as_number(facts.at(key + "_alive").value), got.blocks_per_sm) << key << " alive";
    ++points;
  }
  return points;
}

TEST(OccupancyRecorded, TheApiAndTheBlocksAliveOfARealDeviceAgreeWithTheModel) {
  int dossiers = 0;
  for (const auto& folder : std::filesystem::directory_iterator(
           std::filesystem::path(ASSAY_TEST_SOURCE_DIR) / "dossiers/recorded")) {
    const auto file = folder.path() / "dossier.json";
    if (!std::filesystem::exists(file)) continue;
    EXPECT_GE(compare(read_dossier(file)), 10) << file;
    ++dossiers;
  }
  EXPECT_GT(dossiers, 0);
}

}  // namespace
}  // namespace assay
