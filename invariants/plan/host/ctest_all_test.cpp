// SPDX-License-Identifier: Apache-2.0
// One ctest for every GPU of a host: what it runs, and that it is green for all of them or not at
// all.
#include <filesystem>

#include <gtest/gtest.h>

#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"
#include "invariants/plan/host/host_tree.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class CtestAllTest : public HostTree {
 protected:
  void prepare(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"certify", "--all", "--prepare", "--out", "mine"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Said said = assay(arguments);
    ASSERT_EQ(said.code, 0) << said.err;
  }
  Said run(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--no-tests=error", "--test-dir", "mine", "-j2"});
    return ctest(more);
  }
};

TEST_F(CtestAllTest, OneCtestCertifiesEveryGpuAndTheHost) {
  prepare();
  const Said said = run();
  EXPECT_EQ(said.code, 0) << said.out;
  const HostRecord host = record("mine/out");
  EXPECT_EQ(host.verdict, Outcome::pass);
  EXPECT_EQ(host.expected, 2);
  for (const std::string& uuid : {first_, second_}) {
    EXPECT_EQ(verdict_of(uuid, "mine/out"), "pass");
    EXPECT_TRUE(holds(text_of(run_of(uuid, "mine/out") / "junit.xml"), "failures=\"0\""));
  }
}

TEST_F(CtestAllTest, OneBadGpuMakesTheHostRed) {
  tell_on(first_, "latency", "swap=latency.l1,latency.l2");
  prepare();
  const Said said = run();
  EXPECT_EQ(said.code, 8);
  EXPECT_EQ(verdict_of(second_, "mine/out"), "pass");
  EXPECT_EQ(record("mine/out").verdict, Outcome::fail);
  EXPECT_TRUE(holds(said.out, first_ + ".invariant.latency.order (Failed)"));
  EXPECT_TRUE(holds(said.out, "host (Failed)"));
  EXPECT_FALSE(holds(said.out, second_ + ".certificate (Failed)"));
}

TEST_F(CtestAllTest, AGpuThatIsGoneSinceItWasPreparedMakesTheHostRed) {
  prepare();
  set("ASSAY_FAKE_GPUS", "1");
  EXPECT_EQ(run().code, 8);
  const HostRecord host = record("mine/out");
  EXPECT_EQ(host.verdict, Outcome::no_evidence);
  ASSERT_EQ(host.devices.size(), 2u);
  EXPECT_EQ(host.devices[0].verdict, Outcome::pass);
  EXPECT_TRUE(holds(host.devices[1].reason, "this GPU is not there"));
}

TEST_F(CtestAllTest, AllGpusGoneIsRedToo) {
  prepare();
  set("ASSAY_LIBCUDA", "/nonexistent/libcuda.so.1");
  EXPECT_EQ(run().code, 8);
  EXPECT_EQ(record("mine/out").verdict, Outcome::no_evidence);
}

TEST_F(CtestAllTest, FewerGpusThanAskedForAreRed) {
  prepare({"--devices", "3"});
  EXPECT_EQ(run().code, 8);
  EXPECT_EQ(record("mine/out").reason, "2 of 3 GPUs were found");
}

TEST_F(CtestAllTest, ALabelPicksOneGpu) {
  prepare();
  const Said listed = run({"-L", second_, "-N"});
  EXPECT_TRUE(holds(listed.out, second_ + ".certificate"));
  EXPECT_FALSE(holds(listed.out, first_));
  EXPECT_EQ(run({"-L", second_}).code, 0);
  EXPECT_TRUE(run_of(first_, "mine/out").empty());
  EXPECT_FALSE(has_record("mine/out"));
}

TEST_F(CtestAllTest, ThePreparedFolderKeepsItsChoicesAndNoOneElsesDevice) {
  prepare({"--level", "full"});
  set("ASSAY_DEVICE", first_);  // of the user's shell: each test has its own
  EXPECT_EQ(run().code, 0);
  for (const std::string& uuid : {first_, second_}) {
    EXPECT_EQ(read_dossier(run_of(uuid, "mine/out") / "dossier.json").level, Level::full);
  }
}

TEST_F(CtestAllTest, WithoutAGpuNothingIsPrepared) {
  set("ASSAY_LIBCUDA", "/nonexistent/libcuda.so.1");
  EXPECT_EQ(assay({"certify", "--all", "--prepare", "--out", "mine"}).code, 77);
  EXPECT_EQ(assay({"certify", "--all", "--devices", "2", "--prepare", "--out", "mine"}).code, 1);
  EXPECT_FALSE(fs::exists(work_ / "mine"));
}

}  // namespace
}  // namespace assay
