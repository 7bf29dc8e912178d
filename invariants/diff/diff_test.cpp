// SPDX-License-Identifier: Apache-2.0
// Does a diff name what changed, and nothing else?
#include "invariants/diff/diff.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dossiers/cli/verb_test_support.h"
#include "dossiers/schema/testing/follows_schema.h"
#include "invariants/test_support.h"

namespace {

using assay::CertifiedRun;
using assay::Outcome;
using Json = nlohmann::json;

CertifiedRun run() {
  return assay::read_certified_run(assay::test::example_dir() / "certificate.json");
}

double& value_of(CertifiedRun& run, const std::string& entry, const std::string& key) {
  return std::get<double>(run.dossier.entries.at(entry).facts.at(key).value);
}

/// Another driver: one invariant fails, one fact is slower, one faster, the clock is held back.
CertifiedRun changed() {
  CertifiedRun after = run();
  after.dossier.run_id = "after";
  after.dossier.device.driver = "590.10";
  after.verdict = after.invariants.at("latency.order") = Outcome::fail;
  value_of(after, "dram_bw", "read") *= 0.94;
  value_of(after, "latency", "l2") *= 0.90;
  auto& window = after.dossier.probes.at("latency").conditions;
  window->throttle_reasons = {"sw_power_cap"};
  window->clock_median_ghz = 1.9;
  return after;
}

TEST(Diff, OfARunWithItselfIsEmpty) {
  const auto diff = assay::diff_certificates(run(), run());
  EXPECT_FALSE(diff.worse);
  EXPECT_TRUE(diff.verdicts.empty());
  EXPECT_TRUE(diff.conditions.empty());
  EXPECT_GT(diff.drift.compared, 100);
  EXPECT_EQ(diff.drift.over_tol, 0);
}

TEST(Diff, NamesVerdictsFactsAndConditionsThatChanged) {
  const CertifiedRun before = run(), after = changed();
  const auto diff = assay::diff_certificates(before, after);
  EXPECT_TRUE(diff.worse);
  ASSERT_EQ(diff.verdicts.size(), 1u);
  EXPECT_EQ(diff.verdicts[0].invariant, "latency.order");
  EXPECT_TRUE(diff.verdicts[0].worse);
  EXPECT_EQ(diff.drift.over_tol, 2);
  std::vector<std::string> what;
  for (const auto& change : diff.conditions) what.push_back(change.what);
  EXPECT_EQ(what, (std::vector<std::string>{"driver", "latency: held back by",
                                            "latency: SM clock, GHz"}));
  const std::string table = assay::diff_table(before, after, diff);
  for (const char* part :
       {"worse: 1 verdicts changed, 2 of", "590.10", "dram_bw.read", "-6.00 %", "sw_power_cap"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part << "\n" << table;
  }
}

TEST(Diff, AGainAloneIsNoWorse) {
  CertifiedRun after = run();
  value_of(after, "latency", "l2") *= 0.90;
  EXPECT_FALSE(assay::diff_certificates(run(), after).worse);
  value_of(after, "latency", "l2") *= 1.25;
  EXPECT_TRUE(assay::diff_certificates(run(), after).worse);
}

TEST(Diff, WhatIsGoneIsWorse) {
  CertifiedRun no_fact = run(), no_invariant = run();
  no_fact.dossier.entries.at("latency").facts.erase("l2");
  EXPECT_TRUE(assay::diff_certificates(run(), no_fact).worse);
  no_invariant.invariants.erase("latency.order");
  EXPECT_TRUE(assay::diff_certificates(run(), no_invariant).worse);
  EXPECT_FALSE(assay::diff_certificates(no_invariant, run()).worse);
}

TEST(Diff, OfTwoProductsComparesNothingAndIsNoPass) {
  CertifiedRun other = run();
  other.dossier.device.name = "another";
  const auto diff = assay::diff_certificates(run(), other);
  EXPECT_EQ(diff.drift.compared, 0);
  EXPECT_TRUE(diff.worse);
}

TEST(Diff, IsTheWorkedExampleAndAsItsSchemaSays) {
  const CertifiedRun before = run(), after = changed();
  const std::string text = assay::diff_json(before, after, assay::diff_certificates(before, after));
  const Json ours = Json::parse(text);
  const auto file = assay::test::example_dir() / "diff.json";
  Json example = Json::parse(assay::read_file(file));
  example["suite"] = ours["suite"];
  if (example != ours) {
    const auto left = assay::test::fresh_dir() / "diff.json";
    assay::test::write_text(left, text);
    ADD_FAILURE() << file << " is not what the code writes; that is in " << left;
  }
  EXPECT_TRUE(assay::is_valid("diff", ours));
  for (const auto& item : ours.items()) {
    Json bad = ours;
    bad.erase(item.key());
    EXPECT_FALSE(assay::is_valid("diff", bad)) << item.key();
  }
}

TEST(DiffVerb, TheExampleOfTheHelpWorks) {
  const auto ended = assay::run_built_verb(assay::example_of_help("diff"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("no worse: 0 verdicts changed, 0 of ")) << ended.out;
}

TEST(DiffVerb, RefusesInOneLine) {
  const auto dir = assay::test::fresh_dir();
  const std::string good = (assay::test::example_dir() / "certificate.json").string();
  assay::test::write_text(dir / "certificate.json", assay::read_file(good));
  assay::test::write_text(dir / "dossier.json", "{}");
  for (const std::string& bad : {good, good + " nowhere", good + " '" + dir.string() + "'",
                                 good + " '" + (dir / "dossier.json").string() + "'"}) {
    const auto ended = assay::run_built_verb("diff " + bad);
    EXPECT_EQ(ended.code, 2) << bad;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

}  // namespace
