// SPDX-License-Identifier: Apache-2.0
// Does evaluation give each outcome for its own reason, and never a pass without evidence?
#include "invariants/evaluate.h"

#include <limits>

#include <gtest/gtest.h>

#include "invariants/rows.h"
#include "invariants/test_support.h"

namespace {

using assay::Catalog;
using assay::Dossier;
using assay::NullKind;
using assay::Outcome;
using assay::ProbeRecord;
using assay::ProbeStatus;
using assay::Verdict;

class Evaluate : public ::testing::Test {
 protected:
  Verdict judge(const std::string& id) const {
    return assay::evaluate(catalog_, *catalog_.find(id), dossier_, &pinned_);
  }
  assay::Fact& fact(const std::string& entry, const std::string& key) {
    return dossier_.entries.at(entry).facts.at(key);
  }
  void drop_probe_facts(const std::string& entry, ProbeStatus status, const std::string& reason,
                        const std::string& probe) {
    dossier_.entries.erase(entry);
    dossier_.probes.at(probe).status = status;
    dossier_.probes.at(probe).reason = reason;
  }
  const Catalog catalog_ = assay::load_catalog(assay::test::rules_dir() / "catalog.json");
  const Dossier pinned_ = assay::test::example();
  Dossier dossier_ = pinned_;
};

::testing::AssertionResult says(const Verdict& verdict, const std::string& wanted) {
  if (verdict.reason.find(wanted) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << verdict.reason << "\" lacks \"" << wanted << "\"";
}

TEST_F(Evaluate, AFailureNamesClaimBothNumbersAndMargin) {
  fact("latency", "l2").value = 261.0;
  fact("latency", "l1").value = 243.0;
  const Verdict verdict = judge("latency.order");
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(verdict.reason,
            "latency.l2 261 cycles is not >= 3 x latency.l1 243 cycles (margin -64.2 %)");
  EXPECT_EQ(verdict.claim, "latency.l2 >= 3 x latency.l1");
  EXPECT_DOUBLE_EQ(*verdict.measured, 261.0 / 243.0);
  EXPECT_DOUBLE_EQ(*verdict.low, 3.0);
  EXPECT_LT(*verdict.margin, 0.0);
  EXPECT_EQ(verdict.inputs.size(), 4U);
}

TEST_F(Evaluate, NullsFollowTheirReason) {
  const std::pair<NullKind, Outcome> table[] = {
      {NullKind::contended, Outcome::inconclusive},
      {NullKind::throttled, Outcome::inconclusive},
      {NullKind::unsteady, Outcome::inconclusive},
      {NullKind::clock_lost, Outcome::inconclusive},
      {NullKind::not_supported, Outcome::not_applicable},
      {NullKind::no_code, Outcome::not_applicable},
      {NullKind::blank, Outcome::inconclusive},
      {NullKind::not_available, Outcome::inconclusive},
      {NullKind::out_of_range, Outcome::inconclusive},
      {NullKind::no_permission, Outcome::inconclusive},
      {NullKind::unstated, Outcome::inconclusive},
  };
  for (const auto& [kind, outcome] : table) {
    fact("l2_bw", "read") = assay::absent(assay::Unit::gb_per_s, "m", {kind, "because"});
    const Verdict verdict = judge("l2.beats_dram");
    EXPECT_EQ(verdict.outcome, outcome) << assay::to_string({kind, ""});
    EXPECT_TRUE(says(verdict, "because"));
  }
}

TEST_F(Evaluate, AMissingFactIsNoEvidence) {
  dossier_.entries.at("l2_bw").facts.erase("read");
  EXPECT_EQ(judge("l2.beats_dram").outcome, Outcome::no_evidence);
  dossier_.probes.erase("l2_bandwidth");
  const Verdict verdict = judge("l2.beats_dram");
  EXPECT_EQ(verdict.outcome, Outcome::no_evidence);
  EXPECT_TRUE(says(verdict, "no record of the probe l2_bandwidth"));
}

TEST_F(Evaluate, TheProbesRecordExplainsWhatItDidNotYield) {
  drop_probe_facts("l2_bw", ProbeStatus::not_applicable, "no code for sm_90", "l2_bandwidth");
  EXPECT_EQ(judge("l2.beats_dram").outcome, Outcome::not_applicable);
  EXPECT_TRUE(says(judge("l2.beats_dram"), "no code for sm_90"));
  drop_probe_facts("l2_bw", ProbeStatus::inconclusive, "clock lost", "l2_bandwidth");
  EXPECT_EQ(judge("l2.beats_dram").outcome, Outcome::inconclusive);
}

TEST_F(Evaluate, AnotherProbesAbsenceExcusesNothing) {
  dossier_.entries.at("dram_bw").facts.erase("read");
  drop_probe_facts("l2_bw", ProbeStatus::not_applicable, "no code for sm_90", "l2_bandwidth");
  EXPECT_EQ(judge("l2.beats_dram").outcome, Outcome::no_evidence);
}

TEST_F(Evaluate, ACrashIsNoEvidenceWithItsSignalAndStderr) {
  ProbeRecord& record = dossier_.probes.at("l2_bandwidth");
  record.status = ProbeStatus::failed;
  record.reason = "crashed";
  record.exit_code.reset();
  record.signal = 11;
  record.stderr_tail = "one\nSegmentation fault\n";
  const Verdict verdict = judge("l2.beats_dram");
  EXPECT_EQ(verdict.outcome, Outcome::no_evidence) << "facts it left behind prove nothing";
  EXPECT_TRUE(says(verdict, "signal 11"));
  EXPECT_TRUE(says(verdict, "Segmentation fault"));
  record.timed_out = true;
  EXPECT_TRUE(says(judge("l2.beats_dram"), "timed out"));
  record = ProbeRecord{};
  record.exit_code = 1;
  EXPECT_TRUE(says(judge("l2.beats_dram"), "exit status 1"));
}

TEST_F(Evaluate, SpreadConfidenceAndContentionAreInconclusive) {
  fact("l2_bw", "read").rel_spread = 0.051;
  EXPECT_EQ(judge("l2.beats_dram").outcome, Outcome::inconclusive);
  fact("l2_bw", "read").rel_spread = 0.05;
  EXPECT_EQ(judge("l2.beats_dram").outcome, Outcome::pass);
  fact("l2_bw", "read").rel_spread = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(judge("l2.beats_dram").outcome, Outcome::inconclusive);
  fact("l2_bw", "read").rel_spread.reset();
  EXPECT_EQ(judge("l2.beats_dram").outcome, Outcome::inconclusive) << "unknown is not zero";
  fact("l2_bw", "read").rel_spread = 0.001;
  fact("l2_bw", "read").confidence = assay::Confidence::low;
  EXPECT_EQ(judge("l2.beats_dram").outcome, Outcome::inconclusive);
}

TEST_F(Evaluate, AContendedProbeSpoilsOnlyWhatStandsOnIt) {
  assay::Conditions& window = *dossier_.probes.at("l2_bandwidth").conditions;
  window.contended = true;
  window.other_processes = {{4711, "train.py"}};
  const Verdict verdict = judge("l2.beats_dram");
  EXPECT_EQ(verdict.outcome, Outcome::inconclusive);
  EXPECT_TRUE(says(verdict, "pid 4711 (train.py)"));
  EXPECT_EQ(judge("latency.order").outcome, Outcome::pass);
}

TEST_F(Evaluate, AThrottledProbeSpoilsOnlyWhatStandsOnIt) {
  assay::Conditions& window = *dossier_.probes.at("l2_bandwidth").conditions;
  window.throttle_mask = 0x4 | 0x20;  // the power cap alone is the normal state of tensor work
  const Verdict verdict = judge("l2.beats_dram");
  EXPECT_EQ(verdict.outcome, Outcome::inconclusive);
  EXPECT_TRUE(says(verdict, "ran throttled: SW thermal"));
  EXPECT_EQ(judge("latency.order").outcome, Outcome::pass);
  window.throttle_mask = 0x4;
  EXPECT_EQ(judge("l2.beats_dram").outcome, Outcome::pass);
}

TEST_F(Evaluate, WhatIsNoPositiveNumberFails) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Dossier all = assay::test::example_with_peers();
  for (const double bad : {0.0, -1.0}) {
    fact("l2_bw", "read").value = bad;
    const Verdict verdict = judge("l2.beats_dram");
    EXPECT_EQ(verdict.outcome, Outcome::fail) << bad;
    EXPECT_TRUE(says(verdict, "l2_bw.read is "));
  }
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInf, -kInf}) {
    for (const auto& invariant : catalog_.invariants) {
      for (const std::string& path : assay::paths_of(assay::with_rows(invariant.check, all))) {
        dossier_ = all;
        const std::size_t dot = path.find('.');
        fact(path.substr(0, dot), dot == std::string::npos ? "" : path.substr(dot + 1)).value = bad;
        EXPECT_NE(judge(invariant.id).outcome, Outcome::pass) << invariant.id << " " << path;
      }
    }
  }
}

TEST_F(Evaluate, TextWhereANumberBelongsIsNoEvidence) {
  fact("l2_bw", "read").value = std::string("8200");
  EXPECT_EQ(judge("l2.beats_dram").outcome, Outcome::no_evidence);
}

TEST_F(Evaluate, ExactClaimsNeedWholeNumbers) {
  fact("mma_tile", "mma_sync_f16_f32").value = 0.0;
  EXPECT_EQ(judge("mma.tile").outcome, Outcome::pass) << "0.0 is zero";
  fact("mma_tile", "mma_sync_f16_f32").value = 0.5;
  EXPECT_EQ(judge("mma.tile").outcome, Outcome::fail);
  fact("mma_tile", "mma_sync_f16_f32").value = std::uint64_t{1} << 63;
  EXPECT_EQ(judge("mma.tile").outcome, Outcome::fail);
}

TEST_F(Evaluate, FlagsAreTrueOrFalseAndNothingElse) {
  EXPECT_EQ(judge("numerics.fma").outcome, Outcome::pass);
  fact("numerics", "fma_f64_fused").value = false;
  EXPECT_EQ(judge("numerics.fma").outcome, Outcome::fail);
  EXPECT_TRUE(says(judge("numerics.fma"), "numerics.fma_f64_fused is not true"));
  for (const assay::Value& other : {assay::Value(1.0), assay::Value("true")}) {
    fact("numerics", "fma_f64_fused").value = other;
    EXPECT_EQ(judge("numerics.fma").outcome, Outcome::no_evidence);
  }
}

TEST_F(Evaluate, WhatOnlyLevelFullMeasuresIsMissedThereAlone) {
  dossier_.level = assay::Level::full;
  EXPECT_EQ(judge("latency.partitions").outcome, Outcome::pass);
  dossier_.entries.at("latency").facts.erase("l2_far");
  EXPECT_EQ(judge("latency.partitions").outcome, Outcome::no_evidence);
  EXPECT_EQ(judge("drift.pinned").outcome, Outcome::no_evidence) << "it was pinned";
  dossier_.level = assay::Level::quick;
  EXPECT_EQ(judge("latency.partitions").outcome, Outcome::not_applicable);
  EXPECT_TRUE(says(judge("latency.partitions"), "latency.l2_far is measured at level full only"));
  EXPECT_EQ(judge("drift.pinned").outcome, Outcome::pass) << judge("drift.pinned").reason;
}

TEST_F(Evaluate, CountersOfEccNeedEcc) {
  EXPECT_EQ(judge("health.ecc").outcome, Outcome::pass);
  dossier_.device.ecc = false;
  EXPECT_EQ(judge("health.ecc").outcome, Outcome::not_applicable);
  dossier_.device.ecc.reset();
  EXPECT_EQ(judge("health.ecc").outcome, Outcome::not_applicable);
}

TEST_F(Evaluate, BandsAreChosenByCapabilityAndProduct) {
  dossier_.device.cc_minor = 9;
  EXPECT_TRUE(says(judge("fma.f32_lanes"), "no band for compute capability 9.9"));
  EXPECT_EQ(judge("fma.f32_lanes").outcome, Outcome::not_applicable);
  dossier_ = pinned_;
  dossier_.device.name = "NVIDIA H800";
  EXPECT_EQ(judge("fma.f64_lanes").outcome, Outcome::not_applicable);
  EXPECT_EQ(judge("fma.f32_lanes").outcome, Outcome::pass);
  dossier_.device.name = "NVIDIA GeForce RTX 4090";
  dossier_.device.cc_major = 8;
  dossier_.device.cc_minor = 9;
  EXPECT_TRUE(says(judge("mma.sync_per_clock"), "of 512")) << "GeForce halves fp32 accumulators";
  dossier_.device.name = "NVIDIA L40S";
  EXPECT_TRUE(says(judge("mma.sync_per_clock"), "of 1024"));
  dossier_.device.name = "NVIDIA L40";
  EXPECT_TRUE(says(judge("mma.sync_per_clock"), "of 512"));
}

TEST_F(Evaluate, ABufferInsideTheL2IsNotDram) {
  fact("device", "l2_bytes").value = std::int64_t{33554432};
  fact("device", "dram_peak_gbs").value = 288.0;
  fact("dram_bw", "working_set_bytes").value = std::int64_t{25165824};
  fact("dram_bw", "read").value = 968.0;
  EXPECT_EQ(judge("dram.working_set").outcome, Outcome::fail);
  EXPECT_EQ(judge("dram.peak").outcome, Outcome::fail);
  fact("dram_bw", "working_set_bytes").value = std::int64_t{1073741824};
  for (const char* key : {"read", "write", "copy", "triad_4B", "triad_8B", "triad_16B"}) {
    fact("dram_bw", key).value = 262.0;
  }
  EXPECT_EQ(judge("dram.working_set").outcome, Outcome::pass);
  EXPECT_EQ(judge("dram.peak").outcome, Outcome::pass);
}

TEST_F(Evaluate, DriftWithoutAPinIsNoEvidence) {
  const Verdict verdict =
      assay::evaluate(catalog_, *catalog_.find("drift.pinned"), dossier_, nullptr);
  EXPECT_EQ(verdict.outcome, Outcome::no_evidence);
  EXPECT_TRUE(says(verdict, "no pinned dossier for NVIDIA H200"));
}

TEST_F(Evaluate, DriftOfALowConfidenceFactIsInconclusive) {
  fact("dram_bw", "read").value = 3000.0;
  EXPECT_EQ(judge("drift.pinned").outcome, Outcome::fail);
  fact("dram_bw", "read").confidence = assay::Confidence::low;
  EXPECT_EQ(judge("drift.pinned").outcome, Outcome::inconclusive);
}

TEST_F(Evaluate, DriftOfACountFailsAtOne) {
  constexpr int kTiles = 132;
  for (const char* key : {"mma_sync_f16_f32", "mma_sync_f16_f32_sms"}) {
    fact("mma_tile", key).samples = kTiles;
  }
  const Dossier pinned = dossier_;
  const auto drift = [&] {
    return assay::evaluate(catalog_, *catalog_.find("drift.pinned"), dossier_, &pinned);
  };
  EXPECT_EQ(drift().outcome, Outcome::pass) << drift().reason;
  fact("mma_tile", "mma_sync_f16_f32_sms").value = std::int64_t{131};
  EXPECT_EQ(drift().outcome, Outcome::fail);
  EXPECT_TRUE(says(drift(), "mma_tile.mma_sync_f16_f32_sms 131"));
  dossier_ = pinned;
  fact("mma_tile", "mma_sync_f16_f32").value = std::int64_t{1};
  EXPECT_EQ(drift().outcome, Outcome::fail);
}

/// One fact over its tolerance fails wherever it stands among the others.
TEST_F(Evaluate, DriftOfAnyFactIsFound) {
  for (const auto& [entry, measurement] : pinned_.entries) {
    for (const auto& [key, pinned] : measurement.facts) {
      const auto number = assay::as_number(pinned.value);
      if (!number || pinned.samples == 0) continue;
      dossier_ = pinned_;
      fact(entry, key).value = *number * 3.0 + (*number == 0.0 ? 1.0 : 0.0);
      EXPECT_EQ(judge("drift.pinned").outcome, Outcome::fail) << entry << "." << key;
    }
  }
}

TEST_F(Evaluate, DriftAgainstAnotherEccStateIsNoEvidence) {
  dossier_.device.ecc = false;
  const Verdict verdict = judge("drift.pinned");
  EXPECT_EQ(verdict.outcome, Outcome::no_evidence);
  EXPECT_TRUE(says(verdict, "ECC")) << verdict.reason;
}

TEST_F(Evaluate, DriftDoesNotExcuseWhatWasPinnedAndIsGone) {
  drop_probe_facts("l2_bw", ProbeStatus::not_applicable, "no code for sm_90", "l2_bandwidth");
  EXPECT_EQ(judge("drift.pinned").outcome, Outcome::no_evidence);
}

}  // namespace
