// SPDX-License-Identifier: Apache-2.0
// Are runs counted as they came, and what is not comparable kept apart?
#include "invariants/rates/repeat.h"

#include <gtest/gtest.h>

#include "invariants/certificate.h"
#include "invariants/test_support.h"

namespace assay {
namespace {

Verdict verdict_of(const std::string& id, Outcome outcome) {
  Verdict verdict;
  verdict.id = id;
  verdict.outcome = outcome;
  return verdict;
}

Judgement judged(Outcome verdict, const std::string& id, Outcome outcome) {
  Judgement judgement;
  judgement.verdict = verdict;
  judgement.verdicts = {verdict_of(id, outcome), verdict_of("steady", Outcome::pass)};
  return judgement;
}

Dossier with_read(double value) {
  Dossier dossier;
  dossier.run_id = "run-" + std::to_string(static_cast<int>(value));
  dossier.entries["dram_bw"].facts["read"] =
      measured(value, Unit::gb_per_s, "test", 1.98, {value, value, value});
  dossier.entries["dram_bw"].facts["peak"] = stated(4915.0, Unit::gb_per_s, "test");
  return dossier;
}

RepeatSession session_of(const std::string& id, std::int64_t asked) {
  RepeatSession session;
  session.id = id;
  session.device = "sha256:0123456789abcdef";
  session.driver = "580.1";
  session.started_utc = session.ended_utc = "2026-11-30T02:14:07Z";
  session.asked = asked;
  return session;
}

Repeat repeat_with(const RepeatSession& session) {
  const Dossier example = test::example();
  Repeat repeat =
      repeat_of(example.suite, example.device, example.level, std::string(64, 'a'), false);
  repeat.sessions = {session};
  return repeat;
}

/// Three passes, a failure, an inconclusive run.
Repeat five_runs() {
  RepeatTally tally(session_of("one", 5));
  for (const double read : {100.0, 101.0, 103.0}) {
    tally.add(judged(Outcome::pass, "dram.read", Outcome::pass), with_read(read));
  }
  tally.add(judged(Outcome::fail, "dram.read", Outcome::fail), with_read(50.0));
  tally.add(Outcome::inconclusive);
  return repeat_with(tally.session());
}

TEST(Repeat, CountsEveryVerdictOfRunsAndInvariants) {
  const RepeatTotals totals = totals_of(five_runs());
  EXPECT_EQ(totals.runs, 5);
  EXPECT_EQ(totals.decided, 4);
  EXPECT_EQ(totals.failed, 1);
  EXPECT_EQ(count_of(totals.invariants.at("dram.read"), Outcome::pass), 3);
  EXPECT_EQ(count_of(totals.invariants.at("dram.read"), Outcome::fail), 1);
  EXPECT_EQ(count_of(totals.verdicts, Outcome::waived), 0);
  EXPECT_DOUBLE_EQ(totals.bound->upper, clopper_pearson(1, 4, 0.95).upper);
}

TEST(Repeat, AFactsSpreadIsRobustAndOverMeasuredRunsAlone) {
  const Repeat repeat = five_runs();
  const auto& facts = repeat.sessions.front().facts;
  EXPECT_EQ(facts.count("dram_bw.peak"), 0u);
  const FactSpread& read = facts.at("dram_bw.read");
  EXPECT_EQ(read.runs, 4);
  EXPECT_EQ(read.low, 50.0);
  EXPECT_EQ(read.high, 103.0);
  EXPECT_DOUBLE_EQ(read.median, 100.5);
  // Distances from the median: 0.5, 0.5, 2.5, 50.5; the one wild run does not count.
  EXPECT_DOUBLE_EQ(*read.robust_cv, 1.4826 * 1.5 / 100.5);
}

TEST(Repeat, NoEvidenceIsAFalseAlarmAndInconclusiveIsNone) {
  RepeatTally tally(session_of("one", 3));
  tally.add(judged(Outcome::no_evidence, "dram.read", Outcome::no_evidence), with_read(1.0));
  tally.add(Outcome::inconclusive);
  tally.add(Outcome::not_applicable);
  const Repeat repeat = repeat_with(tally.session());
  EXPECT_EQ(totals_of(repeat).decided, 1);
  EXPECT_EQ(totals_of(repeat).failed, 1);
  EXPECT_EQ(repeat.sessions.front().failures.front().invariants,
            std::vector<std::string>{"dram.read"});
}

TEST(Repeat, SessionsAddUpAndNoneCountsTwice) {
  Repeat all = five_runs();
  merge(all, five_runs());
  EXPECT_EQ(totals_of(all).runs, 5);
  Repeat other = five_runs();
  other.sessions.front().id = "two";
  merge(all, other);
  EXPECT_EQ(totals_of(all).runs, 10);
  EXPECT_EQ(totals_of(all).failed, 2);
}

TEST(Repeat, OnlyLikeIsCountedWithLike) {
  const std::vector<void (*)(Repeat&)> edits{[](Repeat& repeat) { repeat.suite.commit = "other"; },
                                             [](Repeat& repeat) { repeat.product = "NVIDIA H20"; },
                                             [](Repeat& repeat) { repeat.cc_minor = 3; },
                                             [](Repeat& repeat) { repeat.level = Level::full; },
                                             [](Repeat& repeat) { repeat.judging_sha256[0] = 'b'; },
                                             [](Repeat& repeat) { repeat.replay = true; }};
  for (const auto& edit : edits) {
    Repeat other = five_runs();
    other.sessions.front().id = "two";
    edit(other);
    Repeat all = five_runs();
    EXPECT_NE(test::refusal([&] { merge(all, other); }), "");
    EXPECT_EQ(totals_of(all).runs, 5);
  }
}

TEST(Repeat, IsReadAsItWasWritten) {
  const auto file = test::fresh_dir() / "repeat.json";
  const std::string text = repeat_text(five_runs());
  test::write_text(file, text);
  EXPECT_EQ(repeat_text(read_repeat(file)), text);
}

TEST(Repeat, WhatIsMeasuredOtherwiseSinceSaysNothingOfToday) {
  Repeat repeat = five_runs();
  EXPECT_EQ(repeat.spreads_of("dram_bw.read").size(), 1u);
  EXPECT_TRUE(repeat.spreads_of("dram_bw.peak").empty());
  repeat.outdated_facts = {"dram_bw.re"};
  EXPECT_TRUE(repeat.spreads_of("dram_bw.read").empty());
  const auto file = test::fresh_dir() / "repeat.json";
  test::write_text(file, repeat_text(repeat));
  EXPECT_EQ(read_repeat(file).outdated_facts, repeat.outdated_facts);
  Repeat all = five_runs();
  merge(all, repeat);
  EXPECT_EQ(all.outdated_facts, repeat.outdated_facts) << "one part's is all's";
  repeat.outdated_facts = {"dram_bw"};
  test::write_text(file, repeat_text(repeat));
  EXPECT_NE(test::refusal([&] { read_repeat(file); }), "") << "a whole entry is too much";
}

TEST(Repeat, TotalsThatTheSessionsDoNotMakeAreRefused) {
  const auto file = test::fresh_dir() / "repeat.json";
  const std::string text = repeat_text(five_runs());
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"failed\": 1", "\"failed\": 0"},
           {"\"decided\": 4", "\"decided\": 5"},
           {"\"upper\": 0.7", "\"upper\": 0.1"},
           {"\"ran\": 5", "\"ran\": 4"},
           {"\"source\": \"device\"", "\"source\": \"replay\""}}) {
    test::write_text(file, test::replaced(text, from, to));
    EXPECT_NE(test::refusal([&] { read_repeat(file); }), "") << from;
  }
}

TEST(Repeat, TheTableSaysWhatFailedAndHowOftenItMay) {
  const std::string text = repeat_table(five_runs());
  for (const char* part :
       {"3 pass, 1 fail, 1 inconclusive", "failed    1 of 4 (at most", "run run-50: dram.read",
        "dram.read", "dram_bw.read", "one-sided 95 %"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Repeat, AReplayStatesNoRate) {
  Repeat repeat = five_runs();
  repeat.replay = true;
  EXPECT_FALSE(totals_of(repeat).bound);
  EXPECT_EQ(repeat_table(repeat).find("at most"), std::string::npos);
}

}  // namespace
}  // namespace assay
