// SPDX-License-Identifier: Apache-2.0
// `assay certify --all --repeat`: every GPU's runs are counted in a session of its own, and nothing
// that happens to one of them is left out.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "dossiers/test_support.h"
#include "invariants/plan/host/host_tree.h"
#include "invariants/rates/repeat.h"

namespace assay {
namespace {

class HostRepeatTest : public HostTree {
 protected:
  Repeat repeat() const { return read_repeat(work_ / "out" / "repeat.json"); }
};

TEST_F(HostRepeatTest, EachGpuIsASessionOfItsOwnAndTheBoundIsOverAllRuns) {
  const Said said = certify_all({"--repeat", "2", "--devices", "2"});
  ASSERT_EQ(said.code, 0) << said.out << said.err;
  const Repeat counted = repeat();
  ASSERT_EQ(counted.sessions.size(), 2u);
  EXPECT_NE(counted.sessions[0].device, counted.sessions[1].device);
  for (const RepeatSession& session : counted.sessions) {
    EXPECT_EQ(session.ran, 2);
    EXPECT_EQ(session.asked, 2);
    EXPECT_EQ(count_of(session.verdicts, Outcome::pass), 2);
  }
  EXPECT_EQ(totals_of(counted).decided, 4);
  EXPECT_TRUE(holds(said.out, "round 2 of 2: pass, pass"));
  // A second sitting adds to the first one.
  ASSERT_EQ(certify_all({"--repeat", "1"}).code, 0);
  EXPECT_EQ(totals_of(repeat()).decided, 6);
}

TEST_F(HostRepeatTest, AGpuThatFailsIsCountedAsAFailureOfItsOwn) {
  tell_on(second_, "latency", "swap=latency.l1,latency.l2");
  EXPECT_EQ(certify_all({"--repeat", "1"}).code, 1);
  const Repeat counted = repeat();
  EXPECT_EQ(count_of(counted.sessions.at(0).verdicts, Outcome::pass), 1);
  EXPECT_EQ(count_of(counted.sessions.at(1).verdicts, Outcome::fail), 1);
  EXPECT_EQ(totals_of(counted).failed, 1);
}

TEST_F(HostRepeatTest, MachineOutputIsTheCountedDocument) {
  const Said said = certify_all({"--repeat", "1", "--json"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, repeat_text(repeat()));
}

TEST_F(HostRepeatTest, FewerGpusThanAskedForFailBeforeAnythingIsMeasured) {
  const Said said = certify_all({"--repeat", "1", "--devices", "3"});
  EXPECT_EQ(said.code, 1);
  EXPECT_TRUE(holds(said.err, "2 of 3 GPUs were found"));
  EXPECT_FALSE(std::filesystem::exists(work_ / "out"));
}

TEST_F(HostRepeatTest, AFileThatCannotBeWrittenEndsItInOneLine) {
  std::filesystem::create_directories(work_ / "out");
  std::ofstream(work_ / "out" / second_) << "in the way";
  const Said said = certify_all({"--repeat", "2"});
  EXPECT_EQ(said.code, 2) << said.out;
  EXPECT_TRUE(holds(said.err, "cannot make the folder")) << said.err;
}

}  // namespace
}  // namespace assay
