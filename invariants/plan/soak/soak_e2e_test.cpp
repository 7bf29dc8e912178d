// SPDX-License-Identifier: Apache-2.0
// `assay certify --level soak` with fake drivers and probes: it sees one wrong round among many,
// keeps it, goes on after a kill, and does not take a contended round for a fault.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"
#include "invariants/plan/soak/soak_record.h"
#include "invariants/plan/testing/fake_tree.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class SoakTest : public FakeTree {
 protected:
  Said soak(const std::string& hours = "0.0001") {
    return assay({"certify", "--level", "soak", "--hours", hours, "--out", "out"});
  }
  fs::path folder() {
    const auto all = runs(work_ / "out");
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? fs::path() : all.front();
  }
  SoakRecord record() { return read_soak(folder() / "soak.json"); }
  std::size_t kept_folders() {
    std::size_t count = 0;
    std::error_code absent;
    for (const auto& entry : fs::directory_iterator(folder() / "rounds", absent)) {
      count += entry.is_directory() ? 1 : 0;
    }
    return count;
  }
  /// Makes the probe misbehave in the `round`-th round alone.
  void tell_in_round(const std::string& probe, int round, const std::string& mode) {
    tell(probe, "in_round=" + std::to_string(round) + ":" + (work_ / (probe + ".count")).string() +
                    ":" + mode);
  }
};

TEST_F(SoakTest, ASoundDevicePassesAndLeavesNoRoundsBehind) {
  const Said said = soak();
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  const SoakRecord done = record();
  EXPECT_TRUE(done.finished);
  EXPECT_EQ(done.verdict, Outcome::pass);
  EXPECT_GE(done.clean_s, done.wanted_s);
  EXPECT_EQ(done.rounds_done(), done.rounds_of(Outcome::pass));
  EXPECT_EQ(kept_folders(), 0u);
  EXPECT_TRUE(contains(said.out, "soak     pass")) << said.out;
  EXPECT_TRUE(contains(said.out, "Xid events: 0")) << said.out;
}

TEST_F(SoakTest, OneWrongRoundFailsItAndIsKeptWithItsPlace) {
  tell_in_round("mma_tile", 2, "wrong=mma_tile.mma_sync_f16_f32");
  const Said said = soak("0.0003");
  EXPECT_EQ(said.code, 1) << said.out << said.err;
  const SoakRecord done = record();
  EXPECT_EQ(done.verdict, Outcome::fail);
  EXPECT_EQ(done.rounds_of(Outcome::fail), 1u);
  EXPECT_GE(done.rounds_of(Outcome::pass), 1u);
  ASSERT_EQ(done.kept.size(), 1u);
  EXPECT_EQ(done.kept.front().round, 2u);
  EXPECT_TRUE(contains(done.first_fault, "round 2: ")) << done.first_fault;
  EXPECT_TRUE(contains(done.first_fault, "SM (smid): 17: 1")) << done.first_fault;
  EXPECT_TRUE(fs::exists(folder() / "rounds" / "000002" / "evidence" / "mma_tile.json"));
  EXPECT_EQ(kept_folders(), 1u);
}

TEST_F(SoakTest, AWrongWordOfMemoryFailsIt) {
  tell_in_round("memory_health", 1, "wrong=memory_health.errors");
  EXPECT_EQ(soak().code, 1);
  EXPECT_TRUE(contains(record().first_fault, "health.memory")) << record().first_fault;
}

TEST_F(SoakTest, AContendedRoundIsCountedApartAndSpoilsNothing) {
  tell_in_round("mma_tile", 1, "inconclusive");
  const Said said = soak("0.0003");
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_EQ(record().rounds_of(Outcome::inconclusive), 1u);
  EXPECT_EQ(record().verdict, Outcome::pass);
  EXPECT_EQ(kept_folders(), 1u);
}

TEST_F(SoakTest, NothingButContendedRoundsIsInconclusiveAndBounded) {
  tell("mma_tile", "inconclusive");
  const Said said = soak();
  EXPECT_EQ(said.code, 75) << said.out;
  EXPECT_EQ(record().rounds_of(Outcome::pass), 0u);
  EXPECT_TRUE(contains(said.out, "too few clean rounds")) << said.out;
}

TEST_F(SoakTest, ACrashedRoundIsNoEvidence) {
  tell_in_round("memory_health", 1, "crash");
  EXPECT_EQ(soak().code, 1);
  EXPECT_EQ(record().verdict, Outcome::no_evidence);
}

TEST_F(SoakTest, AnXidInBetweenFailsItEvenIfEveryRoundPassed) {
  environment_["ASSAY_FAKE_XIDS"] = "79";
  const Said said = soak();
  EXPECT_EQ(said.code, 1) << said.out;
  EXPECT_EQ(record().verdict, Outcome::fail);
  EXPECT_EQ(record().rounds_of(Outcome::fail), 0u);
  EXPECT_TRUE(contains(record().reason, "health.xid")) << record().reason;
}

TEST_F(SoakTest, GoesOnAfterAKillWithWhatItHadSeen) {
  // The first round fails and does not count as clean: killed after it, the soak is not finished.
  tell_in_round("mma_tile", 1, "wrong=mma_tile.mma_sync_f16_f32");
  const std::string hours = "0.0004";
  const Program program =
      assay_program({"certify", "--level", "soak", "--hours", hours, "--out", "out"});
  const pid_t child = ::fork();
  if (child == 0) {
    supervise(program);
    ::_exit(0);
  }
  const auto rounds = [&] {
    const auto all = runs(work_ / "out");
    if (all.empty() || !fs::exists(all.front() / "soak.json")) return std::uint64_t{0};
    return read_soak(all.front() / "soak.json").rounds_done();
  };
  for (int i = 0; i < 3000 && rounds() < 1; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const SoakRecord killed = record();
  ASSERT_FALSE(killed.finished);
  const Said other = soak("0.25");
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(contains(other.err, "another length")) << other.err;
  EXPECT_EQ(soak(hours).code, 1);
  const SoakRecord done = record();  // of the one soak that there is
  EXPECT_TRUE(done.finished);
  EXPECT_EQ(done.run_id, killed.run_id);
  EXPECT_EQ(done.resumed, 1u);
  EXPECT_EQ(done.first_fault, killed.first_fault);
  EXPECT_EQ(done.rounds_of(Outcome::fail), 1u);
  EXPECT_GE(done.rounds_of(Outcome::pass), 1u);
}

TEST_F(SoakTest, BadHoursAndPreparedSoaksAreOneLine) {
  for (const char* hours : {"0", "-1", "169", "nan", "soon"}) {
    const Said said = soak(hours);
    EXPECT_EQ(said.code, 2) << hours;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
  EXPECT_EQ(assay({"certify", "--level", "soak", "--prepare", "--out", "mine"}).code, 2);
  EXPECT_EQ(assay({"certify", "--hours", "1"}).code, 2);
  EXPECT_TRUE(runs(work_ / "out").empty());
}

TEST_F(SoakTest, WithoutAGpuNothingIsSoaked) {
  environment_["ASSAY_LIBCUDA"] = "/nonexistent/libcuda.so.1";
  const Said said = soak();
  EXPECT_EQ(said.code, 77) << said.err;
}

TEST_F(SoakTest, MachineOutputIsTheRecord) {
  const Said said = assay({"certify", "--level", "soak", "--hours", "0.0001", "--json"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, text_of(folder() / "soak.json"));
}

}  // namespace
}  // namespace assay
