// SPDX-License-Identifier: Apache-2.0
// The test graph under the real ctest: what passes, what blocks, and what can never be green.
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "dossiers/dossier.h"
#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"
#include "invariants/catalog.h"
#include "invariants/plan/probe_list.h"
#include "invariants/plan/steps.h"
#include "invariants/plan/testing/fake_tree.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class CTestGraphTest : public FakeTree {
 protected:
  void SetUp() override {
    FakeTree::SetUp();
    const Said said = assay({"certify", "--prepare", "--out", "mine"});
    ASSERT_EQ(said.code, 0) << said.err;
  }
  Said run(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"--no-tests=error", "--test-dir", "mine"});
    return ctest(arguments);
  }
  /// All but the invariants' own cases, which are most of a run's time.
  Said measure_and_certify() { return run({"-R", R"(^(probe\..*|certificate)$)"}); }
  std::vector<fs::path> all_runs() const { return runs(work_ / "mine" / "out"); }
};

/// The bytes of every file in `folder`, by name.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.emplace(entry.path().filename().string(), read_file(entry.path()));
  }
  return files;
}

TEST_F(CTestGraphTest, OneProcessJudgesToTheBytesOfAProcessPerInvariant) {
  const Said said = run();
  EXPECT_EQ(said.code, 0) << said.out;
  EXPECT_TRUE(contains(said.out, "100% tests passed"));
  ASSERT_EQ(all_runs().size(), 1u);
  const fs::path folder = all_runs().front();
  EXPECT_EQ(verdict_in(folder / "certificate.json"), "pass");
  const auto by_ctest = files_in(folder / "verdicts");
  fs::remove_all(folder / "verdicts");
  Judging how;
  how.share = root_ / "share" / "assay";
  EXPECT_EQ(judge_invariants(how, folder).size(), by_ctest.size());
  EXPECT_EQ(files_in(folder / "verdicts"), by_ctest);
  EXPECT_EQ(certificate_text(judge(how, read_dossier(folder / "dossier.json"))),
            read_file(folder / "certificate.json"));
}

TEST_F(CTestGraphTest, AssayCertifyLeavesAVerdictAndACaseForEveryInvariant) {
  ASSERT_EQ(assay({"certify", "--out", "out"}).code, 0);
  const fs::path folder = runs(work_ / "out").front();
  EXPECT_EQ(verdict_in(folder / "certificate.json"), "pass");
  const std::string junit = text_of(folder / "junit.xml");
  const Catalog catalog = load_catalog(root_ / "share" / "assay" / "catalog.json");
  EXPECT_EQ(files_in(folder / "verdicts").size(), catalog.invariants.size());
  for (const Invariant& invariant : catalog.invariants) {
    EXPECT_TRUE(fs::exists(folder / "verdicts" / (invariant.id + ".json"))) << invariant.id;
    EXPECT_TRUE(contains(junit, "\"invariant." + invariant.id + "\"")) << invariant.id;
  }
}

TEST_F(CTestGraphTest, ListsEveryStepWithItsProperties) {
  const Said said = run({"--show-only=json-v1"});
  ASSERT_EQ(said.code, 0) << said.err;
  const JsonNode listed = parse_json(said.out, "ctest");
  std::size_t probes = 0, invariants = 0, never_skipping = 0;
  for (const auto& test : listed.at("tests").items()) {
    const std::string& name = test.at("name").string();
    probes += name.rfind("probe.", 0) == 0 ? 1 : 0;
    invariants += name.rfind("invariant.", 0) == 0 ? 1 : 0;
    bool skips = false;
    for (const auto& property : test.at("properties").items()) {
      skips = skips || property.at("name").string() == "SKIP_RETURN_CODE";
    }
    never_skipping += skips ? 0 : 1;
  }
  const auto planned = read_probes(root_ / "share" / "assay" / "probes.json");
  EXPECT_EQ(probes + 1, planned.size());  // `device` is a step of its own name
  EXPECT_GT(invariants, 10u);
  EXPECT_EQ(never_skipping, 4u);  // device, certificate, audit, junit
}

TEST_F(CTestGraphTest, OneInvariantPullsInWhatItNeeds) {
  const Said said = run({"-R", "invariant.latency.order"});
  EXPECT_EQ(said.code, 0) << said.out;
  for (const char* name : {"device", "probe.latency", "invariant.latency.order"}) {
    EXPECT_TRUE(contains(said.out, name)) << name;
  }
  EXPECT_FALSE(contains(said.out, "probe.atomics"));
}

TEST_F(CTestGraphTest, NoGpuIsNeverGreen) {
  environment_["ASSAY_LIBCUDA"] = "/nonexistent/libcuda.so.1";
  const Said said = run();
  EXPECT_EQ(said.code, 8) << said.out;
  EXPECT_TRUE(contains(said.out, "0% tests passed")) << said.out;
  EXPECT_TRUE(contains(said.out, "Not Run"));
  EXPECT_FALSE(contains(said.out, "Skipped"));
  EXPECT_TRUE(all_runs().empty());
}

TEST_F(CTestGraphTest, ADeviceThatCrashesBlocksEverything) {
  tell("device", "crash");
  const Said said = run();
  EXPECT_EQ(said.code, 8);
  EXPECT_TRUE(contains(said.out, "0% tests passed")) << said.out;
}

TEST_F(CTestGraphTest, ACrashedProbeStillGetsItsCertificate) {
  tell("latency", "crash");
  const Said said = measure_and_certify();
  EXPECT_EQ(said.code, 8);
  ASSERT_EQ(all_runs().size(), 1u);
  EXPECT_EQ(verdict_in(all_runs().front() / "certificate.json"), "no_evidence");
  EXPECT_TRUE(contains(said.out, "certificate (Failed)")) << said.out;
}

TEST_F(CTestGraphTest, EverySkippedIsNotACertificate) {
  for (const char* probe :
       {"device", "clock", "dram_bandwidth", "l2_bandwidth", "latency", "fma", "mma_sync",
        "mma_wgmma", "mma_tile", "mma_tile_wgmma", "atomics", "launch"}) {
    tell(probe, "not_applicable");
  }
  const Said said = measure_and_certify();
  EXPECT_EQ(said.code, 8) << said.out;
  EXPECT_TRUE(contains(said.out, "certificate (Failed)")) << said.out;
}

TEST_F(CTestGraphTest, AStepWithoutItsDeviceTestIsRefused) {
  const Said said = run({"-R", "^certificate$", "-FS", ".*", "--output-on-failure"});
  EXPECT_EQ(said.code, 8);
  EXPECT_TRUE(contains(said.out, "no `device` test has run under this ctest")) << said.out;
}

TEST_F(CTestGraphTest, AnEarlierRunIsNotTakenForThisOne) {
  ASSERT_EQ(measure_and_certify().code, 0);
  const Said said = run({"-R", "^certificate$", "-FS", ".*", "--output-on-failure"});
  EXPECT_EQ(said.code, 8);
  EXPECT_TRUE(contains(said.out, "no `device` test has run under this ctest")) << said.out;
}

TEST_F(CTestGraphTest, NothingFoundIsAnError) {
  EXPECT_EQ(run({"-R", "no.such.test"}).code, 8);
}

TEST_F(CTestGraphTest, RunsFromAPrefixThatCannotBeWritten) {
  const fs::path share = root_ / "share" / "assay";
  fs::permissions(share, fs::perms::owner_read | fs::perms::owner_exec);
  const Said said = measure_and_certify();
  fs::permissions(share, fs::perms::owner_all);
  EXPECT_EQ(said.code, 0) << said.out;
}

TEST_F(CTestGraphTest, ThePreparedFolderKeepsItsChoices) {
  environment_["ASSAY_FAKE_GPUS"] = "2";
  EXPECT_EQ(run({"-R", "^device$"}).code, 8);
  ASSERT_EQ(assay({"certify", "--prepare", "--device", "1", "--out", "mine"}).code, 0);
  EXPECT_EQ(run({"-R", "^device$"}).code, 0);
}

}  // namespace
}  // namespace assay
