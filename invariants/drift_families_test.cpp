// SPDX-License-Identifier: Apache-2.0
// Is each family of facts judged against its pin on its own, and none left out?
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "invariants/certificate.h"
#include "invariants/evaluate.h"
#include "invariants/test_support.h"

namespace {

using assay::Dossier;
using assay::Outcome;
using assay::Verdict;

Verdict judged(const std::string& family, const Dossier& dossier, const Dossier* pinned) {
  return assay::evaluate(assay::test::shipped_catalog(),
                         *assay::test::shipped_catalog().find("drift." + family), dossier, pinned);
}

/// Every fact of the entry as the probe leaves it where the device cannot have it.
void make_impossible(Dossier& dossier, const std::string& entry) {
  for (auto& [key, fact] : dossier.entries.at(entry).facts) {
    fact = assay::absent(fact.units, "m", {assay::NullKind::not_supported, "no clusters"});
  }
}

std::set<std::string> families() {
  std::set<std::string> entries;
  for (const assay::Invariant& invariant : assay::test::shipped_catalog().invariants) {
    const std::string& entry = invariant.check.entry;
    if (entry.empty()) continue;
    EXPECT_EQ(invariant.id, "drift." + entry);
    EXPECT_TRUE(entries.insert(entry).second) << entry << " is there twice";
  }
  return entries;
}

TEST(DriftFamilies, AreTheEntriesThatAPinnedDossierMeasures) {
  std::set<std::string> measured;
  for (const auto& file :
       std::filesystem::directory_iterator(assay::test::source_dir() / "dossiers/pinned")) {
    const Dossier pinned = assay::read_dossier(file.path());
    for (const auto& entry : compare_dossiers(pinned, pinned).entries) {
      measured.insert(entry.path.substr(0, entry.path.find('.')));
    }
  }
  EXPECT_EQ(families(), measured);
}

TEST(DriftFamilies, AMoveFailsItsFamilyAndNoOther) {
  const Dossier pinned = assay::test::example();
  Dossier moved = pinned;
  moved.entries.at("latency").facts.at("l2").value = 400.0;
  for (const std::string& family : families()) {
    const Verdict verdict = judged(family, moved, &pinned);
    EXPECT_EQ(verdict.outcome, family == "latency" ? Outcome::fail : Outcome::pass)
        << family << ": " << verdict.reason;
  }
  EXPECT_NE(judged("latency", moved, &pinned).reason.find("latency.l2"), std::string::npos);
}

TEST(DriftFamilies, WhatIsPinnedAndGoneIsNoEvidence) {
  const Dossier pinned = assay::test::example();
  Dossier gone = pinned;
  gone.entries.at("latency").facts.erase("l2");
  EXPECT_EQ(judged("latency", gone, &pinned).outcome, Outcome::no_evidence);
  EXPECT_EQ(judged("dram_bw", gone, &pinned).outcome, Outcome::pass);
  gone.entries.erase("latency");
  EXPECT_EQ(judged("latency", gone, &pinned).outcome, Outcome::no_evidence);
}

TEST(DriftFamilies, WhatNothingPinsIsNoEvidence) {
  const Dossier dossier = assay::test::example();
  EXPECT_EQ(judged("latency", dossier, nullptr).outcome, Outcome::no_evidence);
  Dossier without = dossier;
  without.entries.erase("latency");
  const Verdict verdict = judged("latency", dossier, &without);
  EXPECT_EQ(verdict.outcome, Outcome::no_evidence);
  EXPECT_NE(verdict.reason.find("latency: no fact to compare"), std::string::npos)
      << verdict.reason;
}

TEST(DriftFamilies, WhatTheDeviceCannotHaveDoesNotApply) {
  Dossier dossier = assay::test::example();
  const Dossier pinned = dossier;
  make_impossible(dossier, "cluster_barrier");
  EXPECT_EQ(judged("cluster_barrier", dossier, &pinned).outcome, Outcome::no_evidence)
      << "it could when it was pinned";
  const Verdict verdict = judged("cluster_barrier", dossier, &dossier);
  EXPECT_EQ(verdict.outcome, Outcome::not_applicable);
  EXPECT_NE(verdict.reason.find("no clusters"), std::string::npos) << verdict.reason;
  dossier.entries.erase("cluster_barrier");
  EXPECT_EQ(judged("cluster_barrier", dossier, &dossier).outcome, Outcome::no_evidence);
  dossier.probes.at("barriers").status = assay::ProbeStatus::not_applicable;
  EXPECT_EQ(judged("cluster_barrier", dossier, &dossier).outcome, Outcome::not_applicable);
}

TEST(DriftFamilies, FactsOfLowConfidenceAloneDecideNothing) {
  const Dossier pinned = assay::test::example();
  Dossier unsure = pinned;
  for (auto& [key, fact] : unsure.entries.at("launch_overhead").facts) {
    fact.confidence = assay::Confidence::low;
  }
  EXPECT_EQ(judged("launch_overhead", unsure, &pinned).outcome, Outcome::inconclusive);
}

TEST(DriftFamilies, ForeignWorkReachesOnlyTheFamiliesOfItsProbe) {
  const Dossier pinned = assay::test::example();
  Dossier busy = pinned;
  busy.probes.at("latency").conditions->contended = true;
  EXPECT_EQ(judged("latency", busy, &pinned).outcome, Outcome::inconclusive);
  EXPECT_EQ(judged("dram_bw", busy, &pinned).outcome, Outcome::pass);
}

TEST(DriftFamilies, BootstrapLeavesThemAllOut) {
  const assay::Certificate certificate =
      assay::make_certificate(assay::test::rules(), assay::test::example(), nullptr, {false, true});
  EXPECT_EQ(find_verdict(certificate, "drift.latency")->outcome, Outcome::no_evidence);
  EXPECT_EQ(certificate.verdict, Outcome::pass);
  EXPECT_TRUE(certificate.provisional);
}

}  // namespace
