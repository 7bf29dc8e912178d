// SPDX-License-Identifier: Apache-2.0
// Is every fault counter told with its unit and its reason, and a fault between two looks seen?
#include "dossiers/driver/health.h"

#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace assay {
namespace {

class Health : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("ASSAY_LIBNVML", FAKE_NVML, 1);
    std::string why;
    nvml_ = load_nvml(why);
    ASSERT_NE(nvml_, nullptr) << why;
    device_ = nvml_->devices().value.value().at(0).handle;
  }
  void TearDown() override {
    for (const char* name :
         {"ASSAY_LIBNVML", "ASSAY_FAKE_SCENARIO", "ASSAY_FAKE_REPLAYS", "ASSAY_FAKE_LINK_RETRIES",
          "ASSAY_FAKE_LINK_RECOVERIES", "ASSAY_FAKE_XIDS"}) {
      unsetenv(name);
    }
  }
  HealthCounters look() const { return read_health(*nvml_, device_); }
  /// The facts of a piece of work during which `name` became `value`.
  Measurements facts_when(const char* name, const char* value) {
    XidWatch watch(nvml_, device_);
    const HealthCounters before = look();
    setenv(name, value, 1);
    return health_facts(before, look(), watch.events());
  }
  static std::int64_t number(const Measurements& facts, const std::string& path) {
    return std::get<std::int64_t>(facts.find(path)->value);
  }

  std::shared_ptr<const Nvml> nvml_;
  NvmlHandle device_ = nullptr;
};

TEST_F(Health, NothingHappened) {
  const Measurements facts = facts_when("ASSAY_FAKE_REPLAYS", "11");
  for (const char* name : {"ecc_corrected", "ecc_uncorrected", "pcie_replays", "nvlink_retries",
                           "nvlink_recoveries", "rows_remapped"}) {
    EXPECT_EQ(number(facts, std::string("health.") + name + "_delta"), 0) << name;
  }
  EXPECT_EQ(number(facts, "health.ecc_uncorrected_before"), 2);
  EXPECT_EQ(number(facts, "health.rows_remapped_after"), 4);
  EXPECT_EQ(number(facts, "health.rows_pending"), 0);
  EXPECT_EQ(number(facts, "health.rows_failed"), 0);
  EXPECT_EQ(number(facts, "health.xid_events"), 0);
}

TEST_F(Health, ReplaysInBetweenAreCounted) {
  const Measurements replays = facts_when("ASSAY_FAKE_REPLAYS", "14");
  EXPECT_EQ(number(replays, "health.pcie_replays_before"), 11);
  EXPECT_EQ(number(replays, "health.pcie_replays_after"), 14);
  EXPECT_EQ(number(replays, "health.pcie_replays_delta"), 3);
}

TEST_F(Health, LinkRetriesAreNoRecoveries) {
  const Measurements retries = facts_when("ASSAY_FAKE_LINK_RETRIES", "5");
  EXPECT_EQ(number(retries, "health.nvlink_retries_delta"), 5);
  EXPECT_EQ(number(retries, "health.nvlink_recoveries_delta"), 0);
  unsetenv("ASSAY_FAKE_LINK_RETRIES");
  const Measurements recoveries = facts_when("ASSAY_FAKE_LINK_RECOVERIES", "2");
  EXPECT_EQ(number(recoveries, "health.nvlink_retries_delta"), 0);
  EXPECT_EQ(number(recoveries, "health.nvlink_recoveries_delta"), 2);
}

TEST_F(Health, XidEventsInBetweenAreCountedAndNamed) {
  const Measurements facts = facts_when("ASSAY_FAKE_XIDS", "79,48");
  EXPECT_EQ(number(facts, "health.xid_events"), 2);
  EXPECT_EQ(facts.entries().at("health").note, "Xid 79, 48");
}

TEST_F(Health, AWatchTellsEachEventOnceAndRemembersIt) {
  XidWatch watch(nvml_, device_);
  EXPECT_TRUE(watch.events().value->empty());
  setenv("ASSAY_FAKE_XIDS", "13", 1);
  EXPECT_EQ(watch.events().value->size(), 1U);
  EXPECT_EQ(watch.events().value->size(), 1U);
}

TEST_F(Health, ACounterThatWentBackIsUnknownAndNotNegative) {
  const Fact delta = *facts_when("ASSAY_FAKE_REPLAYS", "0").find("health.pcie_replays_delta");
  ASSERT_TRUE(delta.reason);
  EXPECT_EQ(delta.reason->kind, NullKind::not_available);
}

TEST_F(Health, RowsThatWaitOrCouldNotBeReplacedAreSaid) {
  setenv("ASSAY_FAKE_SCENARIO", "row_pending row_failed", 1);
  const Measurements facts = health_facts(look(), look(), XidWatch(nvml_, device_).events());
  EXPECT_EQ(number(facts, "health.rows_pending"), 1);
  EXPECT_EQ(number(facts, "health.rows_failed"), 1);
}

TEST_F(Health, WhatTheDeviceDoesNotHaveIsNotSupportedAndNeverZero) {
  setenv("ASSAY_FAKE_SCENARIO", "fields_unsupported", 1);
  const Measurements facts = health_facts(look(), look(), XidWatch(nvml_, device_).events());
  for (const auto& [key, fact] : facts.entries().at("health").facts) {
    ASSERT_TRUE(fact.reason) << key;
    EXPECT_EQ(fact.reason->kind, NullKind::not_supported) << key;
  }
}

TEST_F(Health, WithoutLinksThereIsNoCountOfTheirErrors) {
  setenv("ASSAY_FAKE_SCENARIO", "no_links", 1);
  EXPECT_EQ(look().nvlink_retries.why, "Not Supported");
}

TEST_F(Health, ALinkThatIsUpAndWillNotSayIsUnknown) {
  setenv("ASSAY_FAKE_SCENARIO", "link_lost", 1);
  const Measurements facts = health_facts(look(), look(), {});
  EXPECT_EQ(facts.find("health.nvlink_recoveries_delta")->reason->kind, NullKind::not_available);
}

TEST_F(Health, WithoutNvmlEverythingIsUnknown) {
  const HealthCounters none = unknown_health("NVML is not loaded");
  const Measurements facts = health_facts(none, none, XidWatch(nullptr, nullptr).events());
  for (const auto& [key, fact] : facts.entries().at("health").facts) {
    ASSERT_TRUE(fact.reason) << key;
    EXPECT_EQ(fact.reason->kind, NullKind::not_available) << key;
  }
}

}  // namespace
}  // namespace assay
