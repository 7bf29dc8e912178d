// SPDX-License-Identifier: Apache-2.0
// Does a claim over every pair of a matrix forget none, and count none that cannot be reached?
#include "invariants/rows.h"

#include <gtest/gtest.h>

#include "invariants/evaluate.h"
#include "invariants/test_support.h"

namespace assay {
namespace {

using Paths = std::vector<std::string>;

Check range_of(const std::string& path) {
  Check check;
  check.kind = CheckKind::range;
  check.paths = {path};
  return check;
}

Verdict judged(const std::string& id, const Dossier& dossier) {
  const Catalog catalog = test::rules().catalog;
  return evaluate(catalog, *catalog.find(id), dossier, nullptr);
}

TEST(Rows, StandForEveryPairThatCanBeReached) {
  const Check check = with_rows(range_of("peer_read.*"), test::example_with_peers());
  EXPECT_EQ(check.paths, (Paths{"peer_read.0>1", "peer_read.0>2"}));
}

TEST(Rows, TermsKeepToOnePair) {
  Check check;
  check.kind = CheckKind::ratio;
  check.terms = {{{"peer_latency_ns.*"}, {"latency.dram_ns"}}};
  const Check written = with_rows(check, test::example_with_peers());
  ASSERT_EQ(written.terms.size(), 2u);
  EXPECT_EQ(written.terms[1].over, (Paths{"peer_latency_ns.0>2"}));
  EXPECT_EQ(written.terms[1].under, (Paths{"latency.dram_ns"}));
}

TEST(Rows, APairMissingFromOneEntryIsMissingAndNotLeftOut) {
  Dossier dossier = test::example_with_peers();
  dossier.entries.at("peer_read").facts.erase("0>2");
  EXPECT_EQ(with_rows(range_of("peer_read.*"), dossier).paths,
            (Paths{"peer_read.0>1", "peer_read.0>2"}));
  EXPECT_EQ(judged("peer.link", dossier).outcome, Outcome::no_evidence);
  dossier.entries.erase("peer_latency_ns");
  EXPECT_EQ(judged("peer.latency", dossier).outcome, Outcome::no_evidence);
}

TEST(Rows, ChecksWithoutThemAndDossiersWithoutPairsStayAsTheyAre) {
  EXPECT_EQ(with_rows(range_of("latency.l2"), test::example_with_peers()).paths,
            (Paths{"latency.l2"}));
  EXPECT_EQ(with_rows(range_of("peer_read.*"), test::example()).paths, (Paths{"peer_read.*"}));
}

/// The worst of a matrix is the worst of the pairs that exist: a null is no 0.
TEST(Rows, CaseA05_AnUnreachablePairNeverEntersTheLeast) {
  const Verdict verdict = judged("peer.link", test::example_with_peers());
  EXPECT_EQ(verdict.outcome, Outcome::pass) << verdict.reason;
  ASSERT_TRUE(verdict.measured);
  EXPECT_GT(*verdict.measured, 0.0);
  for (const Input& input : verdict.inputs) {
    EXPECT_EQ(input.path.find("0>3"), std::string::npos) << input.path;
  }
}

TEST(Rows, NoPairThatCanBeReachedIsNotApplicableAndNoPass) {
  Dossier dossier = test::example_with_peers();
  for (auto& [entry, measurement] : dossier.entries) {
    if (!entry.starts_with("peer_")) continue;
    const Fact unreachable = measurement.facts.at("0>3");
    for (auto& [pair, fact] : measurement.facts) fact = unreachable;
  }
  EXPECT_EQ(judged("peer.link", dossier).outcome, Outcome::not_applicable);
  EXPECT_EQ(judged("peer.link", test::example()).outcome, Outcome::not_applicable) << "one GPU";
}

TEST(Rows, APairThatWasDisturbedIsNotLeftOut) {
  Dossier dossier = test::example_with_peers();
  dossier.entries.at("peer_read").facts.at("0>2") =
      absent(Unit::gb_per_s, "m", {NullKind::contended, "pid 4711"});
  EXPECT_EQ(judged("peer.link", dossier).outcome, Outcome::inconclusive);
}

}  // namespace
}  // namespace assay
