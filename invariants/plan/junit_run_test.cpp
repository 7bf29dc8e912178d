// SPDX-License-Identifier: Apache-2.0
// The JUnit of a run that plain ctest made: failures, skips and reasons are those of the run, not
// ctest's.
#include <filesystem>
#include <map>
#include <regex>

#include <gtest/gtest.h>

#include "dossiers/test_support.h"
#include "invariants/plan/failopen/planted.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class JunitRunTest : public PlantedTree {
 protected:
  void SetUp() override {
    PlantedTree::SetUp();
    use_small_plan();
  }
  void TestBody() override {}
  /// junit.xml of a run under ctest.
  std::string by_ctest() {
    run_ctest({"--output-junit", (work_ / "ctest.xml").string()});
    return text_of(only_run("mine/out") / "junit.xml");
  }
};

/// "passed", "failed: <message>" or "skipped: <message>" by the case's name.
std::map<std::string, std::string> results_in(const std::string& junit) {
  std::map<std::string, std::string> results;
  const std::regex one("<testcase classname=\"assay\" name=\"([^\"]*)\"[^>]*>([^]*?)</testcase>");
  const std::regex why("<(failure|skipped) message=\"([^\"]*)\"");
  for (std::sregex_iterator it(junit.begin(), junit.end(), one), end; it != end; ++it) {
    const std::string body = (*it)[2];
    std::smatch found;
    const bool other = std::regex_search(body, found, why);
    results[(*it)[1]] = !other                  ? "passed"
                        : found[1] == "failure" ? "failed: " + found[2].str()
                                                : "skipped: " + found[2].str();
  }
  return results;
}

std::string word(const std::string& result) {
  return result.substr(0, result.find(':'));
}

TEST_F(JunitRunTest, SaysOfEachStepWhatAssayCertifySays) {
  tell("latency", "swap=latency.l1,latency.l2");
  tell("launch", "not_applicable");
  certify();
  const auto own = results_in(text_of(only_run() / "junit.xml"));
  const auto from_ctest = results_in(by_ctest());
  ASSERT_EQ(own.size(), from_ctest.size());
  for (const auto& [name, result] : own) {
    EXPECT_EQ(word(result), word(from_ctest.at(name))) << name << ": " << from_ctest.at(name);
  }
  EXPECT_EQ(word(own.at("probe.launch")), "skipped");
  EXPECT_TRUE(holds(from_ctest.at("probe.launch"), "no code for sm_90"));
  EXPECT_TRUE(holds(from_ctest.at("invariant.latency.order"), "failed: fail: latency.l2"));
}

TEST_F(JunitRunTest, KeepsTheFiguresAndCountsWhatItHolds) {
  const std::string junit = by_ctest();
  EXPECT_TRUE(holds(junit, "<property name=\"latency.l2\" value=\"281.4\"/>"));
  EXPECT_TRUE(holds(junit, "tests=\"9\" failures=\"0\" errors=\"0\" skipped=\"0\""));
  EXPECT_EQ(results_in(junit).size(), 9u);
}

TEST_F(JunitRunTest, WhatACrashBlockedFailedAndIsNotSkipped) {
  tell("latency", "segv");
  const std::string junit = by_ctest();
  const auto results = results_in(junit);
  EXPECT_TRUE(holds(results.at("probe.latency"), "failed: "));
  EXPECT_TRUE(holds(results.at("probe.latency"), "signal 11"));
  EXPECT_TRUE(holds(results.at("invariant.latency.order"),
                    "failed: its step did not run; the evidence says no_evidence: "));
  EXPECT_TRUE(holds(results.at("certificate"), "failed: "));
  EXPECT_FALSE(holds(junit, "<skipped"));
  // The reason for all this: ctest's own file counts the blocked ones as skipped.
  EXPECT_TRUE(holds(text_of(work_ / "ctest.xml"), "<skipped"));
}

TEST_F(JunitRunTest, IsWrittenAlsoWhenTheDeviceFailedAndNothingElseRan) {
  tell("device", "crash");
  const auto results = results_in(by_ctest());
  EXPECT_EQ(results.size(), 9u);
  for (const auto& [name, result] : results) {
    EXPECT_EQ(word(result), "failed") << name;
  }
  EXPECT_TRUE(holds(results.at("certificate"), "no certificate was made"));
}

TEST_F(JunitRunTest, EvidenceThatIsRefusedFailsEveryCaseByName) {
  tell("latency", "other_run");
  const auto results = results_in(by_ctest());
  EXPECT_TRUE(holds(results.at("certificate"), "latency.json"));
}

}  // namespace
}  // namespace assay
