// SPDX-License-Identifier: Apache-2.0
// Is what is wrong with a folder of evidence named, counted, and never a pass?
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dossiers/cli/verb_test_support.h"
#include "dossiers/schema/testing/follows_schema.h"
#include "invariants/fleet/fleet_test_support.h"

namespace {

using assay::test::plant_fleet;
using assay::test::plant_run;
using assay::test::PlantedRun;
using assay::test::replaced;
using assay::test::write_text;
using Json = nlohmann::json;

constexpr const char* kNow = " --now 2026-11-30T00:00:00Z ";

struct Fleet : ::testing::Test {
  std::filesystem::path dir = assay::test::fresh_dir();
  assay::test::Ended judge(const std::string& arguments = {}) const {
    return assay::test::run_verb_program("fleet", "'" + dir.string() + "'" + kNow + "--pinned '" +
                                                      assay::test::example_file().string() + "' " +
                                                      arguments);
  }
  Json document() const {
    const auto file = dir.parent_path() / (dir.filename().string() + ".json");
    judge("--out '" + file.string() + "'");
    return Json::parse(assay::read_file(file));
  }
  void expect_problem(const std::string& kind, const std::string& where) const {
    const auto ended = judge();
    EXPECT_EQ(ended.code, 1) << ended.out;
    const Json problems = document().at("problems");
    ASSERT_EQ(problems.size(), 1u) << problems.dump(1);
    EXPECT_EQ(problems[0].at("kind"), kind);
    EXPECT_NE(problems[0].at("where").get<std::string>().find(where), std::string::npos)
        << problems.dump(1);
  }
};

TEST_F(Fleet, OfPassingCertificatesPasses) {
  plant_fleet(dir, 3);
  const auto ended = judge();
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_EQ(ended.out.rfind("verdict  pass: 12 of 12 GPUs pass\n", 0), 0u) << ended.out;
}

TEST_F(Fleet, WithoutFilesIsNoPass) {
  expect_problem("no files", ".");
}

TEST_F(Fleet, HalfAFileIsNamed) {
  plant_fleet(dir, 2);
  const auto folder = plant_run(dir, {.uuid = "GPU-half"});
  const std::string text = assay::read_file(folder / "certificate.json");
  write_text(folder / "certificate.json", text.substr(0, text.size() / 2));
  expect_problem("half file", "GPU-half");
}

TEST_F(Fleet, ADossierThatIsNotTheCertifiedOneIsNamed) {
  plant_fleet(dir, 2);
  const auto folder = plant_run(dir, {.uuid = "GPU-cut"});
  write_text(folder / "dossier.json", "{");
  expect_problem("half file", "GPU-cut");
  std::filesystem::remove(folder / "dossier.json");
  expect_problem("half file", "GPU-cut");
}

TEST_F(Fleet, AFolderThatWasNeverMovedToItsPlaceIsNamed) {
  plant_fleet(dir, 2);
  plant_run(dir / ".n9.partial", {.uuid = "GPU-moving"});
  expect_problem("half file", ".n9.partial");
}

TEST_F(Fleet, AnotherSchemaVersionIsNamed) {
  plant_fleet(dir, 2);
  plant_run(dir,
            {.uuid = "GPU-new", .edits = {{"\"schema\": \"1.0.0\"", "\"schema\": \"1.1.0\""}}});
  expect_problem("schema version", "GPU-new");
}

TEST_F(Fleet, AClockInTheFutureIsNamed) {
  plant_fleet(dir, 2);
  plant_run(dir, {.uuid = "GPU-late", .utc = "2026-11-30T00:06:00Z"});
  expect_problem("clock in the future", "GPU-late");
}

TEST_F(Fleet, TheSameRunTwiceIsNamedAndCountedOnce) {
  plant_fleet(dir, 2);
  plant_run(dir, {.uuid = "GPU-0", .above = "copy"});
  const Json problems = document().at("problems");
  EXPECT_EQ(judge().code, 1);
  ASSERT_EQ(problems.size(), 2u) << problems.dump(1);
  EXPECT_EQ(problems[0].at("kind"), "duplicate");
  EXPECT_EQ(problems[1].at("kind"), "host named twice");
  EXPECT_EQ(document().at("counts").at("gpus"), 8);
}

TEST_F(Fleet, OneHostUnderTwoNamesIsNamed) {
  plant_fleet(dir, 2);
  plant_run(dir, {.host = "N1.site", .uuid = "GPU-x"});
  expect_problem("host named twice", "n1");
}

TEST_F(Fleet, OneGpuOnTwoHostsIsNamed) {
  plant_fleet(dir, 2);
  plant_run(dir, {.host = "n2", .uuid = "GPU-0", .run = "run-2"});
  expect_problem("GPU on two hosts", "GPU-0");
}

TEST_F(Fleet, AReplayIsNoEvidenceUnlessItIsARehearsal) {
  plant_fleet(dir, 2);
  plant_run(dir,
            {.uuid = "GPU-r", .edits = {{"\"kind\": \"certificate\"", "\"kind\": \"replay\""}}});
  expect_problem("replay", "GPU-r");
  const auto ended = judge("--rehearse");
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_NE(ended.out.find("certifies no machine"), std::string::npos);
}

TEST_F(Fleet, AMissingHostIsMissingAndNoPass) {
  plant_fleet(dir, 2);
  const auto hosts = dir.parent_path() / (dir.filename().string() + "-hosts");
  write_text(hosts, "# name rack GPUs\nn1 r1 4\nn2 r1 8\nn3 r2\n");
  const auto ended = judge("--hosts '" + hosts.string() + "'");
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.out.find("2 hosts missing or short"), std::string::npos) << ended.out;
  write_text(hosts, "n1 - 4\nn2 - 4\n");
  EXPECT_EQ(judge("--hosts '" + hosts.string() + "'").code, 0);
  write_text(hosts, "n1 - 4\n");
  EXPECT_NE(judge("--hosts '" + hosts.string() + "'").out.find("unexpected host"),
            std::string::npos);
}

TEST_F(Fleet, AListThatNamesAHostTwiceIsRefused) {
  const auto hosts = dir.parent_path() / (dir.filename().string() + "-hosts");
  for (const char* list : {"n1\nn1\n", "n1\nN1\n", "n1\nn1.site\n", "", "n1 r 0\n", "n1 r 4 x\n"}) {
    write_text(hosts, list);
    const auto ended = judge("--hosts '" + hosts.string() + "'");
    EXPECT_EQ(ended.code, 2) << list;
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 1) << ended.out;
  }
  write_text(hosts, "n1.a\nn1.b\n10.0.0.1\n10.0.0.2\n");
  EXPECT_EQ(judge("--hosts '" + hosts.string() + "'").code, 1);
}

TEST_F(Fleet, AGpuWhoseCertificateFailsFailsAndADossierAloneIsNoEvidence) {
  plant_fleet(dir, 2);
  plant_run(dir,
            {.uuid = "GPU-bad", .edits = {{"\"verdict\": \"pass\"", "\"verdict\": \"fail\""}}});
  std::filesystem::remove(plant_run(dir, {.uuid = "GPU-bare"}) / "certificate.json");
  EXPECT_EQ(judge().code, 1);
  const Json outcomes = document().at("counts").at("outcomes");
  EXPECT_EQ(outcomes.at("fail"), 1);
  EXPECT_EQ(outcomes.at("no_evidence"), 1);
}

/// A GPU that reads its DRAM 9 % slower than eleven others.
PlantedRun slow(const std::string& run, const std::string& utc) {
  return {.uuid = "GPU-slow",
          .run = run,
          .utc = utc,
          .edits = {{"\"dram_bw.read\": {\n      \"value\": 4605.0",
                     "\"dram_bw.read\": {\n      \"value\": 4190.0"}}};
}

TEST_F(Fleet, ASlowGpuIsRunAgainAndFailsTheSecondTime) {
  plant_fleet(dir, 6);
  plant_run(dir, slow("run-1", "2026-11-29T02:00:00Z"));
  const auto once = judge();
  EXPECT_EQ(once.code, 75) << once.out;
  EXPECT_NE(once.out.find("Run again"), std::string::npos) << once.out;
  plant_run(dir, slow("run-2", "2026-11-29T03:00:00Z"));
  const auto twice = judge();
  EXPECT_EQ(twice.code, 1) << twice.out;
  EXPECT_NE(twice.out.find("in two runs: dram_bw.read"), std::string::npos) << twice.out;
}

TEST_F(Fleet, OfFewerThanEightGpusStandsOnDossiersAndSaysSo) {
  plant_fleet(dir, 1);
  EXPECT_NE(judge().out.find("dossiers only: fewer than 8 GPUs"), std::string::npos);
}

TEST_F(Fleet, AnotherDriverIsAnotherCohort) {
  plant_fleet(dir, 2);
  plant_run(dir, {.uuid = "GPU-new",
                  .edits = {{"\"driver\": \"580.159.04\"", "\"driver\": \"590.10\""}}});
  EXPECT_EQ(document().at("cohorts").size(), 2u);
}

TEST_F(Fleet, ADocumentIsTheSameTwiceAndAsItsSchemaSays) {
  plant_fleet(dir, 3);
  plant_run(dir, slow("run-1", "2026-11-29T02:00:00Z"));
  const Json one = document();
  EXPECT_EQ(one, document());
  const auto schemas = assay::test::source_dir() / "dossiers/schema";
  EXPECT_TRUE(assay::is_valid("fleet", one));
  EXPECT_TRUE(
      assay::is_valid("fleet", Json::parse(assay::read_file(schemas / "examples/fleet.json"))));
  for (const char* key : {"verdict", "counts", "gpus", "cohorts", "problems"}) {
    Json bad = one;
    bad.erase(key);
    EXPECT_FALSE(assay::is_valid("fleet", bad)) << key;
  }
  Json bad = one;
  bad["gpus"][0]["outcome"] = "fine";
  EXPECT_FALSE(assay::is_valid("fleet", bad));
}

TEST_F(Fleet, TheExampleOfTheHelpWorks) {
  const std::string example = assay::example_of_help("fleet");
  ASSERT_EQ(example, "fleet evidence --hosts hosts.txt --out fleet.json");
  plant_run(dir / "evidence", {});
  write_text(dir / "hosts.txt", "n1 r1 1\n");
  EXPECT_EQ(assay::test::run("cd '" + dir.string() + "' && '" + ASSAY_TEST_BINARY_DIR +
                             "'/libexec/assay/assay-" + example)
                .code,
            0);
  EXPECT_TRUE(std::filesystem::exists(dir / "fleet.json"));
}

TEST(FleetVerb, RefusesInOneLine) {
  for (const char* bad : {"no-such-folder", ". --q 0", ". --margin 2", ". --now yesterday", ""}) {
    const auto ended = assay::test::run_verb_program("fleet", bad);
    EXPECT_EQ(ended.code, 2) << bad;
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 1) << ended.out;
  }
}

}  // namespace
