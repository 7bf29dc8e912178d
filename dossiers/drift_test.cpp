// SPDX-License-Identifier: Apache-2.0
// Is a moved fact found, a like one left alone, and an unlike comparison refused?
#include "dossiers/drift.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "dossiers/test_support.h"

namespace assay {
namespace {

Dossier example() {
  return read_dossier(ASSAY_TEST_SOURCE_DIR "/dossiers/schema/examples/dossier.json");
}

Fact& fact_in(Dossier& dossier, const std::string& entry, const std::string& key) {
  return dossier.entries.at(entry).facts.at(key);
}

Dossier moved(const std::string& entry, const std::string& key, double factor) {
  Dossier dossier = example();
  Fact& fact = fact_in(dossier, entry, key);
  fact.value = factor * as_number(fact.value).value();
  return dossier;
}

const DriftEntry& entry_of(const Drift& drift, const std::string& path) {
  const auto found = std::find_if(drift.entries.begin(), drift.entries.end(),
                                  [&](const DriftEntry& entry) { return entry.path == path; });
  if (found == drift.entries.end()) {
    throw std::runtime_error("no drift entry " + path);
  }
  return *found;
}

int measured_facts(const Dossier& dossier) {
  int count = 0;
  for (const auto& [name, entry] : dossier.entries) {
    for (const auto& [key, fact] : entry.facts) count += fact.samples > 0 ? 1 : 0;
  }
  return count;
}

TEST(Drift, ADossierDoesNotDriftFromItself) {
  const Drift drift = compare_dossiers(example(), example());
  EXPECT_TRUE(drift.pass);
  EXPECT_TRUE(drift.same_device);
  EXPECT_EQ(drift.compared, static_cast<int>(drift.entries.size()));
  EXPECT_EQ(drift.compared, measured_facts(example()));
  EXPECT_EQ(drift.worst_rel, 0.0);
  EXPECT_TRUE(drift.missing.empty() && drift.added.empty() && drift.differences.empty());
  EXPECT_TRUE(std::is_sorted(drift.entries.begin(), drift.entries.end(),
                             [](const auto& a, const auto& b) { return a.path < b.path; }));
}

TEST(CaseA53, OneEntryMovedElevenPercentAtTenIsOver) {
  const Drift drift = compare_dossiers(moved("dram_bw", "copy", 1.11), example(), 0.10);
  EXPECT_EQ(drift.over_tol, 1);
  EXPECT_FALSE(drift.pass);
  EXPECT_NEAR(drift.worst_rel, 0.11, 1e-12);
  EXPECT_TRUE(entry_of(drift, "dram_bw.copy").over);
  EXPECT_TRUE(compare_dossiers(moved("dram_bw", "copy", 0.91), example(), 0.10).pass);
  EXPECT_FALSE(compare_dossiers(moved("dram_bw", "copy", 0.89), example(), 0.10).pass);
}

TEST(Drift, EachUnitHasItsOwnToleranceOnTheSameDevice) {
  struct Row {
    const char* entry;
    const char* key;
    double inside, outside;
  };
  for (const Row& row :
       {Row{"latency", "l2", 1.009, 1.011}, Row{"latency", "l2_ns", 1.019, 1.021},
        Row{"dram_bw", "read", 0.986, 0.984}, Row{"clock", "sm_ghz", 0.986, 0.984},
        Row{"mma_per_clock", "wgmma_f16_f32", 0.991, 0.989},
        Row{"mma", "wgmma_f16_f32", 0.91, 0.89}, Row{"launch_overhead", "stream", 1.59, 1.61},
        Row{"atomics_f32", "64", 0.951, 0.949}, Row{"fma_scaling", "f32", 1.019, 1.021},
        Row{"transfer_bw", "h2d_pinned", 0.91, 0.89},
        Row{"transfer_bw", "h2d_pageable", 0.26, 0.24},
        Row{"grid_barrier", "cooperative_cycles", 1.049, 1.051},
        Row{"smem_per_clock", "read_16B", 0.991, 0.989}}) {
    EXPECT_TRUE(compare_dossiers(moved(row.entry, row.key, row.inside), example()).pass)
        << row.entry;
    EXPECT_FALSE(compare_dossiers(moved(row.entry, row.key, row.outside), example()).pass)
        << row.entry;
  }
}

TEST(Drift, AnotherDeviceOfTheSkuHasTheWiderTier) {
  Dossier other = moved("latency", "l2", 1.02);
  EXPECT_FALSE(compare_dossiers(other, example()).pass);
  other.device.uuid = "GPU-00000000-0000-4000-8000-000000000002";
  const Drift drift = compare_dossiers(other, example());
  EXPECT_FALSE(drift.same_device);
  EXPECT_TRUE(drift.pass);
  EXPECT_DOUBLE_EQ(entry_of(drift, "latency.l2").tolerance, 0.06);
}

TEST(Drift, WhatADeviceGainsOverItsPinHasTheWiderRoom) {
  // 2 % less of the DRAM is damage; 2 % more, what another device of the product has.
  EXPECT_FALSE(compare_dossiers(moved("dram_bw", "read", 0.98), example()).pass);
  EXPECT_TRUE(compare_dossiers(moved("dram_bw", "read", 1.02), example()).pass);
  EXPECT_FALSE(compare_dossiers(moved("dram_bw", "read", 1.04), example()).pass);
  // Of a time the same the other way round.
  EXPECT_FALSE(compare_dossiers(moved("latency", "l2", 1.02), example()).pass);
  EXPECT_TRUE(compare_dossiers(moved("latency", "l2", 0.98), example()).pass);
  // A ratio has no better side.
  EXPECT_FALSE(compare_dossiers(moved("fma_scaling", "f32", 1.025), example()).pass);
  EXPECT_FALSE(compare_dossiers(moved("fma_scaling", "f32", 0.975), example()).pass);
}

TEST(Drift, TheDirectionOfAMoveIsSaid) {
  const auto said = [](const char* entry, const char* key, double factor) {
    const Drift drift = compare_dossiers(moved(entry, key, factor), example());
    return entry_of(drift, std::string(entry) + "." + key).drifted;
  };
  EXPECT_EQ(said("dram_bw", "read", 0.99), Drifted::worse);
  EXPECT_EQ(said("dram_bw", "read", 1.01), Drifted::better);
  EXPECT_EQ(said("latency", "l2", 1.01), Drifted::worse);
  EXPECT_EQ(said("latency", "l2", 1.0), Drifted::either);
  EXPECT_EQ(said("fma_scaling", "f32", 0.99), Drifted::either);
}

TEST(Drift, AnotherBuildOfTheProbesIsSaid) {
  Dossier older = example();
  older.suite.version = "0.0.9";
  const Drift drift = compare_dossiers(example(), older);
  EXPECT_TRUE(drift.pass);
  ASSERT_EQ(drift.differences.size(), 1u);
  EXPECT_TRUE(holds(drift.differences.front(), "suite: 0.1.0")) << drift.differences.front();
}

TEST(Drift, ARedactedPinIsKnownByItsHash) {
  EXPECT_TRUE(compare_dossiers(example(), redact(example())).same_device);
  EXPECT_TRUE(compare_dossiers(redact(example()), example()).same_device);
  Dossier nameless = example();
  nameless.device.uuid.clear();
  EXPECT_FALSE(compare_dossiers(nameless, nameless).same_device);
}

TEST(Drift, AFactsOwnSpreadWidensItsToleranceButNotWithoutEnd) {
  Dossier noisy = moved("dram_bw", "copy", 1.05);
  fact_in(noisy, "dram_bw", "copy").rel_spread = 0.01;
  EXPECT_DOUBLE_EQ(entry_of(compare_dossiers(noisy, example()), "dram_bw.copy").tolerance, 0.06);
  EXPECT_TRUE(compare_dossiers(noisy, example()).pass);
  noisy = moved("dram_bw", "copy", 0.5);
  fact_in(noisy, "dram_bw", "copy").rel_spread = 100.0;
  EXPECT_FALSE(compare_dossiers(noisy, example()).pass);
}

TEST(Drift, ALostFactFailsAndANewOneIsListed) {
  Dossier less = example();
  less.entries.at("latency").facts.erase("l2");
  less.entries.erase("fma_f32");
  const Drift lost = compare_dossiers(less, example());
  EXPECT_EQ(lost.missing, (std::vector<std::string>{"fma_f32", "latency.l2"}));
  EXPECT_FALSE(lost.pass);
  const Drift gained = compare_dossiers(example(), less);
  EXPECT_EQ(gained.added, (std::vector<std::string>{"fma_f32", "latency.l2"}));
  EXPECT_TRUE(gained.pass);
}

TEST(Drift, ANullOnOneSideIsMissing) {
  Dossier blind = example();
  fact_in(blind, "latency", "l2") = absent(Unit::cycles, "ring", {NullKind::contended, "x"});
  for (const Drift& drift :
       {compare_dossiers(blind, example()), compare_dossiers(example(), blind)}) {
    EXPECT_EQ(drift.missing, std::vector<std::string>{"latency.l2"});
    EXPECT_FALSE(drift.pass);
  }
  EXPECT_TRUE(compare_dossiers(blind, blind).pass);
}

TEST(Drift, StatedFactsAreIdentityNotDrift) {
  Dossier changed = example();
  fact_in(changed, "device", "memory_bytes").value = std::int64_t{1};
  fact_in(changed, "verified_k_lanes", "mma_sync_bf16_f32_k").value = std::int64_t{7};
  EXPECT_TRUE(compare_dossiers(changed, example()).pass);
}

TEST(Drift, OfOneEntryComparesNothingElse) {
  Dossier changed = example();
  fact_in(changed, "latency", "l2").value = 1.0;
  fact_in(changed, "dram_bw", "read").value = std::monostate{};
  const Drift drift = compare_dossiers(changed, example(), {}, "latency");
  EXPECT_EQ(drift.compared, example().entries.at("latency").facts.size());
  EXPECT_EQ(drift.over_tol, 1);
  EXPECT_TRUE(drift.missing.empty());
  EXPECT_EQ(compare_dossiers(changed, example(), {}, "lat").compared, 0);
}

TEST(Drift, CountsAreExactAndZeroIsTheirBaseline) {
  Dossier pin = example();
  for (const char* key : {"wgmma_f16_f32", "wgmma_f16_f32_sms"}) {
    fact_in(pin, "mma_tile", key).samples = 8;
    fact_in(pin, "mma_tile", key).clock_ghz = 1.98;
  }
  EXPECT_TRUE(compare_dossiers(pin, pin).pass);
  Dossier wrong = pin;
  fact_in(wrong, "mma_tile", "wgmma_f16_f32").value = std::int64_t{1};
  EXPECT_EQ(compare_dossiers(wrong, pin).over_tol, 1);
  EXPECT_EQ(entry_of(compare_dossiers(wrong, pin), "mma_tile.wgmma_f16_f32").rel, 1.0);
  Dossier fewer = pin;
  fact_in(fewer, "mma_tile", "wgmma_f16_f32_sms").value = std::int64_t{131};
  EXPECT_EQ(compare_dossiers(fewer, pin).over_tol, 1);
}

TEST(CaseA54, AnotherFingerprintIsNeverCompared) {
  for (const auto& edit : std::vector<std::function<void(DeviceIdentity&)>>{
           [](DeviceIdentity& device) { device.name = "NVIDIA H100 80GB HBM3"; },
           [](DeviceIdentity& device) { device.cc_major = 10; },
           [](DeviceIdentity& device) { device.ecc = false; },
           [](DeviceIdentity& device) { device.mig = true; }}) {
    Dossier other = example();
    edit(other.device);
    const Drift drift = compare_dossiers(other, example());
    EXPECT_EQ(drift.compared, 0);
    EXPECT_TRUE(drift.entries.empty());
    EXPECT_EQ(drift.differences.size(), 1U);
    EXPECT_FALSE(drift.pass);
  }
}

TEST(Drift, OtherConditionsAreSaid) {
  Dossier other = example();
  other.device.power_limit_w = 600.0;
  other.device.driver = "570.10";
  other.device.mig.reset();
  const Drift drift = compare_dossiers(other, example());
  ASSERT_EQ(drift.differences.size(), 3U);
  EXPECT_EQ(drift.differences[0], "MIG: unknown now, off pinned");
  EXPECT_EQ(drift.differences[1], "power cap: 600 W now, 700 W pinned");
  EXPECT_EQ(drift.differences[2], "driver branch: 570 now, 580 pinned");
  EXPECT_TRUE(drift.pass);
  other = example();
  other.device.power_limit_w = 700.5;
  other.device.driver = "580.12";
  EXPECT_TRUE(compare_dossiers(other, example()).differences.empty());
}

TEST(Drift, NothingComparedIsNoPass) {
  Dossier empty = example();
  empty.entries.clear();
  EXPECT_FALSE(compare_dossiers(empty, empty).pass);
  EXPECT_FALSE(compare_dossiers(example(), empty).pass);
}

TEST(Drift, ZeroBaselinesOtherUnitsAndNanNeverPass) {
  Dossier zero = example();
  fact_in(zero, "latency", "l2").value = 0.0;
  EXPECT_EQ(compare_dossiers(example(), zero).missing, std::vector<std::string>{"latency.l2"});
  Dossier other = example();
  fact_in(other, "latency", "l2").units = Unit::ns;
  EXPECT_FALSE(compare_dossiers(other, example()).pass);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(compare_dossiers(example(), example(), nan).pass);
}

}  // namespace
}  // namespace assay
