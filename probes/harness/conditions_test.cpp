// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/conditions.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TelemetrySnapshot snapshot(std::uint64_t reasons, double celsius) {
  TelemetrySnapshot now;
  now.clock_reasons = reasons;
  now.temperature_c = celsius;
  return now;
}

Fact good() {
  return measured(4000.0, Unit::gb_per_s, "read", 1.98, {3999.0, 4000.0, 4001.0});
}

Measurements one_of_each() {
  Measurements facts;
  facts.add("dram_bw.read", good());
  facts.add("dram_bw.write",
            absent(Unit::gb_per_s, "write", {NullKind::contended, "7 of 11 windows disturbed"}));
  facts.add("dram_bw.peak", stated(4814.3, Unit::gb_per_s, "driver attribute"));
  facts.add("fma_f64", absent(Unit::tflop_per_s, "fma", {NullKind::not_supported, "no FP64"}));
  facts.note("dram_bw", "a note");
  return facts;
}

TEST(Conditions, SumUpTheWindow) {
  TelemetrySnapshot before = snapshot(0x1, 40.0);
  before.power_cap_ns = 1'000'000;
  before.other_processes = std::vector<Process>{{7, "x"}};
  TelemetrySnapshot after = snapshot(0x204, 38.0);
  after.power_cap_ns = 4'000'000;
  after.power_w = 650.0;
  after.other_processes = std::vector<Process>{{7, "x"}, {9, ""}};
  TimerLog log;
  log.clock_median_ghz = 1.9;
  log.rejected = 2;
  log.contended = true;
  const Conditions conditions = conditions_of({before, snapshot(0x0, 45.0), after}, log);
  EXPECT_EQ(conditions.throttle_mask, 0x205U);
  EXPECT_EQ(conditions.throttle_reasons,
            (std::vector<std::string>{"idle", "power cap", "unknown 0x200"}));
  EXPECT_EQ(conditions.temperature_max_c, 45.0);
  EXPECT_EQ(conditions.power_max_w, 650.0);
  EXPECT_EQ(conditions.power_cap_ms, 3.0);
  EXPECT_EQ(conditions.other_processes, (std::vector<Process>{{7, "x"}, {9, ""}}));
  EXPECT_EQ(conditions.clock_median_ghz, 1.9);
  EXPECT_EQ(conditions.samples_rejected, 2);
  EXPECT_TRUE(conditions.contended);
}

TEST(Conditions, ThatNobodyCouldReadAreUnknownAndNotZero) {
  const Conditions conditions = conditions_of({{}, {}}, {});
  EXPECT_FALSE(conditions.throttle_mask.has_value());
  EXPECT_FALSE(conditions.power_cap_ms.has_value());
  EXPECT_FALSE(conditions.temperature_max_c.has_value());
}

TEST(Conditions, DoNotSubtractACounterThatWasReset) {
  TelemetrySnapshot before;
  before.power_cap_ns = 5;
  TelemetrySnapshot after;
  after.power_cap_ns = 4;
  EXPECT_FALSE(conditions_of({before, after}, {}).power_cap_ms.has_value());
}

TEST(Contention, NamesTheProcesses) {
  Conditions conditions;
  conditions.other_processes = {{4242, "python3"}, {17, ""}};
  const Measurements facts = under(conditions, one_of_each());
  EXPECT_EQ(to_string(*facts.find("dram_bw.write")->reason),
            "contended: process 4242 (python3), process 17: 7 of 11 windows disturbed");
  EXPECT_EQ(as_number(facts.find("dram_bw.read")->value), 4000.0) << "its canaries were quiet";
  EXPECT_EQ(facts.entries().at("dram_bw").note, "a note");
  const Outcome outcome = outcome_of(facts);
  EXPECT_EQ(outcome.status, ProbeStatus::inconclusive);
  EXPECT_EQ(outcome.reason,
            "dram_bw.write: contended: process 4242 (python3), process 17: 7 of 11 windows "
            "disturbed");
}

TEST(Throttling, TakesMeasuredFactsAwayAndLeavesStatedOnes) {
  for (const std::uint64_t bit : {0x8U, 0x10U, 0x20U, 0x40U, 0x80U}) {
    Conditions conditions;
    conditions.throttle_mask = bit | 0x1U;
    const Measurements facts = under(conditions, one_of_each());
    const Fact* read = facts.find("dram_bw.read");
    ASSERT_TRUE(read->reason.has_value()) << bit;
    EXPECT_EQ(read->reason->kind, NullKind::throttled);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(read->value));
    EXPECT_EQ(read->raw.size(), 3U);
    EXPECT_FALSE(facts.find("dram_bw.peak")->reason.has_value());
    EXPECT_EQ(facts.find("fma_f64")->reason->kind, NullKind::not_supported);
    EXPECT_EQ(outcome_of(facts).status, ProbeStatus::inconclusive);
  }
}

TEST(Throttling, IsNotThePowerCapOrAnIdleOrUnknownBit) {
  for (const std::uint64_t mask : {0x0U, 0x1U, 0x2U, 0x4U, 0x100U, 0x200U}) {
    Conditions conditions;
    conditions.throttle_mask = mask;
    const Measurements facts = under(conditions, one_of_each());
    EXPECT_FALSE(facts.find("dram_bw.read")->reason.has_value()) << mask;
  }
}

TEST(Outcome, IsMeasuredWithAbsencesThatTheDeviceExplains) {
  Measurements facts;
  facts.add("fma_f32", measured(60.0, Unit::tflop_per_s, "fma", 1.98, {60.0}));
  facts.add("fma_f64", absent(Unit::tflop_per_s, "fma", {NullKind::not_supported, "no FP64"}));
  EXPECT_EQ(outcome_of(facts).status, ProbeStatus::measured);
  EXPECT_EQ(outcome_of(facts).reason, "");
}

TEST(Outcome, OfNoFactsIsAFailure) {
  EXPECT_EQ(outcome_of({}).status, ProbeStatus::failed);
}

TEST(Outcome, IsInconclusiveForEachReasonOfConditions) {
  for (const NullKind kind :
       {NullKind::contended, NullKind::throttled, NullKind::unsteady, NullKind::clock_lost}) {
    Measurements facts;
    facts.add("fma_f32", absent(Unit::tflop_per_s, "fma", {kind, ""}));
    EXPECT_EQ(outcome_of(facts).status, ProbeStatus::inconclusive);
  }
}

}  // namespace
}  // namespace assay
