// SPDX-License-Identifier: Apache-2.0
// Faults that other tools have let through, by their case numbers.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"
#include "invariants/certificate.h"
#include "invariants/evaluate.h"
#include "invariants/plan/failopen/planted.h"
#include "invariants/plan/junit.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = ASSAY_TEST_SOURCE_DIR;

/// The worked example with the memory of a 288 GB/s card that has an L2 of 32 MiB.
Dossier small_card(std::int64_t working_set, double read) {
  Dossier dossier = read_dossier(kSource / "dossiers/schema/examples/dossier.json");
  auto& device = dossier.entries.at("device").facts;
  auto& dram = dossier.entries.at("dram_bw").facts;
  device.at("l2_bytes").value = std::int64_t{33554432};
  device.at("dram_peak_gbs").value = 288.0;
  const double factor = read / *as_number(dram.at("read").value);
  for (auto& [key, fact] : dram) {
    if (fact.units == Unit::gb_per_s) fact.value = factor * *as_number(fact.value);
  }
  dram.at("working_set_bytes").value = working_set;
  return dossier;
}

Verdict judged(const Dossier& dossier, const char* id) {
  const Catalog catalog = load_catalog(kSource / "invariants/catalog.json");
  return evaluate(catalog, *catalog.find(id), dossier, nullptr);
}

TEST(CaseA04, AFigureFromTheL2FailsTwiceByNameAndIsSaidNotToBeDram) {
  const Dossier dossier = small_card(25165824, 968.0);
  EXPECT_EQ(judged(dossier, "dram.working_set").outcome, Outcome::fail);
  EXPECT_EQ(judged(dossier, "dram.peak").outcome, Outcome::fail);
  const Rules rules = load_rules(kSource / "invariants", dossier.level);
  const Certificate certificate = make_certificate(rules, dossier, nullptr, {false, true});
  EXPECT_EQ(certificate.verdict, Outcome::fail);
  EXPECT_NE(exit_code(certificate.verdict), 0);
  EXPECT_TRUE(contains(rules.catalog.find("dram.working_set")->title, "not DRAM"));
}

TEST(CaseA04, AFigureFromALargeSetUnderThePeakHolds) {
  const Dossier dossier = small_card(1073741824, 262.0);
  EXPECT_EQ(judged(dossier, "dram.working_set").outcome, Outcome::pass);
  EXPECT_EQ(judged(dossier, "dram.peak").outcome, Outcome::pass);
  const Verdict share = judged(dossier, "dram.read_share");
  ASSERT_TRUE(share.measured);
  EXPECT_NEAR(*share.measured, 0.910, 0.0005);
}

TEST(CaseB02, OneFaultyGpuOfTwoFailsBoth) {
  const Outcome both = combine({Outcome::pass, Outcome::fail});
  EXPECT_EQ(both, Outcome::fail);
  EXPECT_EQ(exit_code(both), 1);
  EXPECT_EQ(exit_code(combine({})), 1) << "no sample at all is not health";
}

class CaseF01 : public PlantedTree {};

TEST_F(CaseF01, CTestTakesNothingFoundForSuccessAndOursDoNot) {
  fs::create_directories(work_ / "empty");
  EXPECT_EQ(ctest({"--test-dir", "empty"}).code, 0) << "ctest has changed its mind";
  EXPECT_EQ(ctest({"--test-dir", "empty", "--no-tests=error"}).code, 8);
}

TEST_F(CaseF01, EveryScriptThatRunsTestsAsksForThatError) {
  for (const auto& entry : fs::directory_iterator(kSource / "ci")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      const auto word = line.find("ctest --test-dir");
      const bool runs_tests =
          word != std::string::npos && line.find('#') > word && !contains(line, " -N ");
      EXPECT_TRUE(!runs_tests || contains(line, "--no-tests=error"))
          << entry.path() << ": " << line;
    }
  }
  const JsonNode presets = read_json(kSource / "CMakePresets.json").at("testPresets");
  for (const JsonNode& preset : presets.items()) {
    if (preset.find("inherits")) continue;
    EXPECT_EQ(preset.at("execution").at("noTestsAction").string(), "error")
        << preset.at("name").string();
  }
}

TEST_F(CaseF01, SeventySevenFailuresAreAFailureAndNotASkip) {
  const CameOf came = judge([](Dossier& dossier) {
    for (auto& [entry, measurement] : dossier.entries) {
      for (auto& [key, fact] : measurement.facts) {
        if (fact.samples > 0) fact.value = 1e-12;
      }
    }
  });
  EXPECT_EQ(came.verdict, "fail");
  EXPECT_EQ(came.code, 1);
  const std::string mark = "\"outcome\": \"fail\"";
  std::size_t failed = 0;
  for (auto at = came.text.find(mark); at != std::string::npos; at = came.text.find(mark, at + 1)) {
    ++failed;
  }
  EXPECT_GE(failed, 77U);
}

TEST_F(CaseF01, WithoutAGpuTheSummarySaysWhatWasNotRunAndIsNoCertificate) {
  use_small_plan();
  set("ASSAY_LIBCUDA", "/nonexistent/libcuda.so.1");
  const CameOf came = certify();
  EXPECT_EQ(came.code, 77);
  EXPECT_EQ(came.verdict, "none");
  EXPECT_TRUE(contains(came.text, "GPU part: not run (9 skipped)")) << came.text;
}

TEST_F(CaseF01, TheWordStandsOnlyWhereSomethingWasLeftOut) {
  use_small_plan();
  const CameOf sound = run_ctest();
  EXPECT_EQ(sound.code, 0) << sound.text;
  EXPECT_FALSE(contains(sound.text, "***Skipped")) << sound.text;
}

TEST_F(CaseF01, JUnitCountsPassedFailedAndSkippedApart) {
  JUnitSuite suite;
  suite.name = "three";
  for (const CaseResult result : {CaseResult::passed, CaseResult::failed, CaseResult::skipped}) {
    JUnitCase one;
    one.name = "case";
    one.result = result;
    one.message = "why";
    suite.cases.push_back(one);
  }
  const std::string text = junit_text(suite);
  for (const char* count : {"tests=\"3\"", "failures=\"1\"", "skipped=\"1\""}) {
    EXPECT_TRUE(contains(text, count)) << text;
  }
}

}  // namespace
}  // namespace assay
