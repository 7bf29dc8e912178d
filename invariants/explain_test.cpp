// SPDX-License-Identifier: Apache-2.0
// Does the explanation say the claim, the device's band and what to do, and the README the same?
#include "invariants/explain.h"

#include <gtest/gtest.h>

#include "invariants/test_support.h"

namespace {

using assay::Catalog;
using assay::Invariant;

std::string explained(const std::string& id, const std::optional<assay::DeviceIdentity>& device) {
  return assay::explanation(assay::test::shipped_catalog(),
                            *assay::test::shipped_catalog().find(id), device);
}

::testing::AssertionResult holds(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << text << "\" lacks \"" << part << "\"";
}

TEST(Explain, SaysClaimBandsReasonAndWhatToDo) {
  const Invariant& invariant = *assay::test::shipped_catalog().find("clock.below_max");
  const std::string text =
      assay::explanation(assay::test::shipped_catalog(), invariant, std::nullopt);
  EXPECT_TRUE(holds(text, "clock.below_max: " + invariant.title));
  EXPECT_TRUE(holds(text, "clock.sm_ghz / clock.max_ghz"));
  EXPECT_TRUE(holds(text, "in 0.3 to 1.01 for 8.0, 9.0"));
  EXPECT_TRUE(holds(text, "usually   " + invariant.usually.substr(0, 20)));
  EXPECT_TRUE(holds(text, "next      " + invariant.next.substr(0, 20)));
}

TEST(Explain, SaysTheBandOfADeviceOrWhyThereIsNone) {
  assay::DeviceIdentity device = assay::test::example().device;
  EXPECT_TRUE(
      holds(explained("fma.f64_lanes", device), "NVIDIA H200 (9.0): in 0.93 to 1.01 of 128"));
  device.name = "NVIDIA H20";
  EXPECT_TRUE(holds(explained("fma.f64_lanes", device), "NVIDIA H20 (9.0): not applicable"));
  device.cc_major = 8;
  EXPECT_TRUE(holds(explained("mma.wgmma_zeros", device), "not for compute capability 8.0"));
}

TEST(Explain, EveryCheckHasWordsAndNoLineIsLong) {
  for (const Invariant& invariant : assay::test::shipped_catalog().invariants) {
    EXPECT_FALSE(assay::claims_of(invariant.check).empty()) << invariant.id;
    const std::string text =
        assay::explanation(assay::test::shipped_catalog(), invariant, std::nullopt);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      ASSERT_NE(end, std::string::npos) << invariant.id;
      EXPECT_LE(end - at, 110U) << text.substr(at, end - at);
      at = end + 1;
    }
  }
}

TEST(Explain, LevelAndFeaturesAreConditions) {
  const auto conditions = [](const std::string& id) {
    std::string all;
    for (const auto& condition : assay::conditions_of(assay::test::shipped_catalog(),
                                                      *assay::test::shipped_catalog().find(id))) {
      all += condition + "; ";
    }
    return all;
  };
  EXPECT_EQ(conditions("latency.tlb"), "level full only; ");
  EXPECT_EQ(conditions("mma.sync_bf16"), "compute capability 8.0 and up; tensor cores; ");
  EXPECT_EQ(conditions("health.ecc"), "ECC on; ");
  EXPECT_EQ(conditions("latency.order"), "");
}

TEST(Explain, TheReadmeHoldsTheTableAndNothingElseOfItsKind) {
  const std::string readme = assay::read_file(assay::test::rules_dir() / "README.md");
  const std::string table = assay::markdown_table(assay::test::shipped_catalog());
  const std::size_t at = readme.find("| id | what must hold |");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(readme.substr(at), table)
      << "write it anew: `assay explain --markdown` from \"| id |\" to the end of the file";
}

}  // namespace
