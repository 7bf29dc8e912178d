// SPDX-License-Identifier: Apache-2.0
// Do verdicts combine without ever passing on nothing, and do verdict files come back as written?
#include "invariants/verdict.h"

#include <gtest/gtest.h>

#include "invariants/test_support.h"

namespace {

using assay::combine;
using assay::Outcome;
using assay::Verdict;
using assay::VerdictFile;

constexpr Outcome kAll[] = {Outcome::fail, Outcome::no_evidence, Outcome::inconclusive,
                            Outcome::pass, Outcome::waived,      Outcome::not_applicable};

TEST(Verdict, TheStrongerOutcomeWinsInEveryPair) {
  for (std::size_t i = 0; i < std::size(kAll); ++i) {
    for (std::size_t j = 0; j < std::size(kAll); ++j) {
      EXPECT_EQ(combine({kAll[i], kAll[j]}), kAll[std::min(i, j)]);
    }
  }
}

TEST(Verdict, NothingIsNoEvidence) {
  EXPECT_EQ(combine({}), Outcome::no_evidence);
}

TEST(Verdict, NotApplicableStaysOnlyWhenAlone) {
  EXPECT_EQ(combine({Outcome::not_applicable, Outcome::not_applicable}), Outcome::not_applicable);
  EXPECT_EQ(combine({Outcome::not_applicable, Outcome::pass}), Outcome::pass);
}

TEST(Verdict, ExitCodes) {
  EXPECT_EQ(assay::exit_code(Outcome::pass), 0);
  EXPECT_EQ(assay::exit_code(Outcome::waived), 0);
  EXPECT_EQ(assay::exit_code(Outcome::fail), 1);
  EXPECT_EQ(assay::exit_code(Outcome::no_evidence), 1);
  EXPECT_EQ(assay::exit_code(Outcome::inconclusive), 75);
  EXPECT_EQ(assay::exit_code(Outcome::not_applicable), 77);
}

TEST(Verdict, NamesComeBack) {
  for (const Outcome outcome : kAll) {
    EXPECT_EQ(assay::outcome_from(assay::to_string(outcome)), outcome);
  }
  EXPECT_FALSE(assay::outcome_from("PASS").has_value());
  EXPECT_FALSE(assay::outcome_from("").has_value());
}

VerdictFile sample() {
  Verdict verdict;
  verdict.id = "latency.order";
  verdict.outcome = Outcome::fail;
  verdict.reason = "latency.l2 261 cycles is not >= 3 x latency.l1 243 cycles";
  verdict.claim = "latency.l2 >= 3 x latency.l1";
  verdict.measured = 1.074;
  verdict.low = 3.0;
  verdict.margin = -0.642;
  verdict.inputs = {{"latency.l2", 261.0, assay::Unit::cycles},
                    {"latency.l1", {}, assay::Unit::none},
                    {"device.sm_count", std::int64_t{132}, assay::Unit::count}};
  return {"run-1", {"0.1.0", "abc", true}, verdict};
}

TEST(VerdictFile, ComesBackAsWritten) {
  const auto file = assay::test::fresh_dir() / "v.json";
  assay::write_verdict(sample(), file);
  const VerdictFile read = assay::read_verdict(file);
  EXPECT_EQ(read.run_id, "run-1");
  EXPECT_EQ(read.suite, sample().suite);
  EXPECT_EQ(read.verdict, sample().verdict);
  EXPECT_EQ(assay::verdict_text(read), assay::verdict_text(sample()));
}

TEST(VerdictFile, RefusesWhatTheSchemaDoesNotAllow) {
  const auto file = assay::test::fresh_dir() / "v.json";
  const std::string good = assay::verdict_text(sample());
  const std::pair<std::string, std::string> edits[] = {
      {"\"fail\"", "\"failed\""},
      {"\"claim\": \"latency", "\"extra\": 1, \"claim\": \"latency"},
      {"\"measured\": 1.074", "\"measured\": \"1.074\""},
      {"\"measured\": 1.074", "\"measured\": NaN"},
      {"\"cycles\"", "\"parsecs\""},
      {"\"kind\": \"verdict\"", "\"kind\": \"dossier\""},
      {"\"schema\": \"1.0.0\"", "\"schema\": \"2.0.0\""},
  };
  for (const auto& [from, to] : edits) {
    assay::test::write_text(file, assay::test::replaced(good, from, to));
    EXPECT_NE(assay::test::refusal([&] { assay::read_verdict(file); }), "") << to;
  }
}

TEST(VerdictFile, AFailureWithoutAReasonIsRefused) {
  VerdictFile silent = sample();
  silent.verdict.reason.clear();
  const auto file = assay::test::fresh_dir() / "v.json";
  assay::write_verdict(silent, file);
  EXPECT_THROW(assay::read_verdict(file), assay::DataError);
}

}  // namespace
