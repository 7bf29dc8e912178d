// SPDX-License-Identifier: Apache-2.0
// The small files and texts around a run: verbs, probes, JUnit, the prepared folder.
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "dossiers/test_support.h"
#include "invariants/plan/certification.h"
#include "invariants/plan/facts_text.h"
#include "invariants/plan/junit.h"
#include "invariants/plan/layout.h"
#include "invariants/plan/prepare.h"
#include "invariants/plan/probe_list.h"
#include "invariants/plan/verb_list.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path file_with(const std::string& text) {
  fs::path file =
      fs::path(::testing::TempDir()) / ("text_files_test_" + std::to_string(::getpid()));
  std::ofstream(file) << text;
  return file;
}

TEST(VerbList, IsSortedAndHoldsHelp) {
  const auto verbs = read_verbs(file_with("probe\tmeasure\ncertify\tjudge all\n"));
  ASSERT_EQ(verbs.size(), 3u);
  EXPECT_EQ(verbs[0].name, "certify");
  EXPECT_EQ(verbs[1].name, "help");
  EXPECT_EQ(verbs[2].summary, "measure");
  EXPECT_TRUE(contains(help_text(verbs), "  certify  judge all\n"));
}

TEST(VerbList, RefusesALineThatIsNoVerb) {
  EXPECT_THROW(read_verbs(file_with("certify judge all\n")), std::runtime_error);
  EXPECT_THROW(read_verbs("/nonexistent/verbs.txt"), std::runtime_error);
}

TEST(ProbeList, KeepsTheOrder) {
  const auto probes = read_probes(
      file_with(R"([{"name": "device", "timeout_s": 30}, {"name": "fma", "timeout_s": 60}])"));
  ASSERT_EQ(probes.size(), 2u);
  EXPECT_EQ(probes[1].name, "fma");
  EXPECT_DOUBLE_EQ(probes[0].timeout_s, 30.0);
}

TEST(ProbeList, RefusesWhatCannotBeARun) {
  for (const char* bad :
       {"[]", R"([{"name": "fma", "timeout_s": 60}])", R"([{"name": "device", "timeout_s": 0}])",
        R"([{"name": "device", "timeout_s": 60}, {"name": "device", "timeout_s": 60}])",
        R"([{"name": "device", "timeout_s": 60}, {"name": "../x", "timeout_s": 60}])",
        R"([{"name": "device"}])", R"([{"name": "device", "timeout_s": 60, "more": 1}])"}) {
    EXPECT_THROW(read_probes(file_with(bad)), DataError) << bad;
  }
}

TEST(Layout, IsFoundFromEitherFolder) {
  EXPECT_EQ(layout_around("/opt/assay/bin/assay").root, "/opt/assay");
  EXPECT_EQ(layout_around("/opt/assay/libexec/assay/assay-probe").root, "/opt/assay");
  EXPECT_EQ(layout_around("/opt/assay/bin/assay").probe("fma"),
            "/opt/assay/libexec/assay/probes/fma");
  EXPECT_THROW(layout_around("/tmp/assay"), std::runtime_error);
}

Measurements sample_facts() {
  Measurements facts;
  facts.add("latency.l2", measured(281.4, Unit::cycles, "ring", 1.98, {281.0, 281.4, 281.9}));
  facts.add("latency.dram", absent(Unit::cycles, "ring", {NullKind::contended, "trainer"}));
  facts.add("device.name", stated(std::string("<H200> & \"co\""), Unit::none, "driver"));
  return facts;
}

TEST(FactsText, ShowsValueUnitSpreadAndReason) {
  const std::string text = facts_text(sample_facts());
  EXPECT_TRUE(contains(text, "latency.l2")) << text;
  EXPECT_TRUE(contains(text, "281.4 cycles (spread ")) << text;
  EXPECT_TRUE(contains(text, "null cycles: contended: trainer")) << text;
}

TEST(FactsText, GivesCTestNumbersOnly) {
  EXPECT_EQ(ctest_measurements(sample_facts()),
            "<CTestMeasurement type=\"numeric/double\" name=\"latency.l2\">281.4"
            "</CTestMeasurement>\n");
}

TEST(JUnit, CountsPassedFailedAndSkippedApart) {
  JUnitSuite suite;
  suite.name = "assay";
  suite.cases = {{"device", CaseResult::passed, 1.0, "", "", {{"latency.l2", "281.4"}}},
                 {"probe.a", CaseResult::failed, 1.0, "signal 11", "", {}},
                 {"probe.b", CaseResult::failed, 0.0, "not run", "", {}},
                 {"probe.c", CaseResult::skipped, 0.0, "no code", "", {}}};
  const std::string text = junit_text(suite);
  EXPECT_TRUE(contains(text, R"(tests="4" failures="2" errors="0" skipped="1")")) << text;
  EXPECT_TRUE(contains(text, R"(<property name="passed" value="1"/>)"));
  EXPECT_TRUE(contains(text, R"(<property name="latency.l2" value="281.4"/>)"));
  EXPECT_TRUE(contains(text, R"(<failure message="signal 11"/>)"));
  EXPECT_TRUE(contains(text, R"(<skipped message="no code"/>)"));
}

TEST(JUnit, EscapesForeignText) {
  JUnitSuite suite;
  suite.cases = {{"a\"b", CaseResult::failed, 0.0, "<x> & y", "]]>\x1b[0m", {}}};
  const std::string text = junit_text(suite);
  EXPECT_TRUE(contains(text, "name=\"a&quot;b\""));
  EXPECT_TRUE(contains(text, "message=\"&lt;x&gt; &amp; y\""));
  EXPECT_TRUE(contains(text, "]]&gt;?[0m"));
}

Step step_that(bool may_skip) {
  Step step;
  step.name = "probe.fma";
  step.may_skip = may_skip;
  return step;
}

Ended ended_with(int code, const std::string& output = "") {
  Ended ended;
  ended.exit_code = code;
  ended.output = output;
  return ended;
}

TEST(CaseOf, OnlyAStepThatMaySkipIsSkipped) {
  EXPECT_EQ(case_of(step_that(true), ended_with(77)).result, CaseResult::skipped);
  EXPECT_EQ(case_of(step_that(false), ended_with(77)).result, CaseResult::failed);
  EXPECT_EQ(case_of(step_that(true), ended_with(75)).result, CaseResult::failed);
  EXPECT_EQ(case_of(step_that(true), ended_with(0)).result, CaseResult::passed);
}

TEST(CaseOf, SaysWhyInOneLine) {
  const auto failed = case_of(step_that(true), ended_with(1, "a 1\nfma: failed: wrong\n"));
  EXPECT_EQ(failed.message, "fma: failed: wrong");
  Ended killed;
  killed.signal = 9;
  EXPECT_TRUE(contains(case_of(step_that(true), killed).message, "signal 9"));
}

TEST(Prepare, TakesInTheGraphAndLetsTheEnvironmentWin) {
  Preparation preparation;
  preparation.graph = "/opt/with space/share/assay/graph.cmake";
  preparation.device = "GPU-1";
  preparation.level = Level::full;
  const std::string text = prepared_text(preparation);
  EXPECT_TRUE(contains(text, "include([==[/opt/with space/share/assay/graph.cmake]==])"));
  EXPECT_TRUE(contains(text, "if(NOT DEFINED ENV{ASSAY_DEVICE})"));
  EXPECT_TRUE(contains(text, "set(ENV{ASSAY_LEVEL} [==[full]==])"));
  EXPECT_FALSE(contains(text, "ASSAY_BOOTSTRAP"));
}

TEST(Prepare, RefusesAPathThatWouldEndItsQuotes) {
  Preparation preparation;
  preparation.graph = "/tmp/]==])message(x)";
  EXPECT_THROW(prepared_text(preparation), std::runtime_error);
}

}  // namespace
}  // namespace assay
