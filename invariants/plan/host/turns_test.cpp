// SPDX-License-Identifier: Apache-2.0
// Probes that share something with other GPUs of the host take turns, across processes; the others
// do not wait for each other.
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "invariants/plan/supervisor.h"
#include "invariants/plan/testing/fake_tree.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// "<probe> <uuid> <begin> <end>", as the fake probes left it.
struct Interval {
  std::string probe, uuid;
  long long begin = 0, end = 0;
};

std::vector<Interval> intervals_in(const fs::path& file) {
  std::vector<Interval> all;
  std::ifstream in(file);
  for (Interval one; in >> one.probe >> one.uuid >> one.begin >> one.end;) {
    all.push_back(one);
  }
  return all;
}

bool overlap(const Interval& a, const Interval& b) {
  return a.begin < b.end && b.begin < a.end;
}

/// The whole plan: transfer, launch and peers are in it.
class TurnsTest : public FakeTree {};

TEST_F(TurnsTest, ProbesThatShareTheHostNeverOverlapAndTheOthersDo) {
  environment_.emplace("ASSAY_FAKE_GPUS", "2");
  environment_["ASSAY_FAKE_INTERVALS"] = (base_ / "intervals").string();
  const Said said = assay({"certify", "--all", "--out", "out"});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  const auto all = intervals_in(base_ / "intervals");
  const auto is = [](const Interval& one, const char* probe) { return one.probe == probe; };
  int at_once = 0, links = 0, peers = 0;
  for (const Interval& a : all) {
    links += is(a, "launch") || is(a, "transfer") ? 1 : 0;
    peers += is(a, "peers") ? 1 : 0;
    for (const Interval& b : all) {
      if (a.uuid >= b.uuid || !overlap(a, b)) {
        continue;
      }
      ++at_once;
      const bool both_link =
          (is(a, "launch") || is(a, "transfer")) && (is(b, "launch") || is(b, "transfer"));
      EXPECT_FALSE(both_link) << a.probe << " beside " << b.probe;
      EXPECT_FALSE(is(a, "peers") || is(b, "peers")) << a.probe << " beside " << b.probe;
    }
  }
  EXPECT_EQ(links, 4);
  EXPECT_EQ(peers, 2);
  EXPECT_GT(at_once, 0);  // else nothing was shown: the two GPUs never ran side by side
}

/// One probe on each of two GPUs, begun at once.
class PairTest : public FakeTree {
 protected:
  void SetUp() override {
    FakeTree::SetUp();
    environment_.emplace("ASSAY_FAKE_GPUS", "2");
    fs::create_directories(base_ / "meeting");
  }
  /// Whether the two ran at one time, when each waits `ms` for the other.
  bool meet(const std::string& first, const std::string& second, int ms) {
    environment_["ASSAY_FAKE_MEET"] = (base_ / "meeting").string() + ":" + std::to_string(ms);
    fs::remove(base_ / "meeting" / "met");
    const Program other = assay_program({"probe", second, "--device", "1", "--out", "evidence1"});
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::_exit(supervise(other).exit_code.value_or(99));
    }
    const Said said = assay({"probe", first, "--device", "0", "--out", "evidence0"});
    EXPECT_TRUE(said.code == 0 || said.code == 77) << said.err;
    ::waitpid(pid, nullptr, 0);
    return fs::exists(base_ / "meeting" / "met");
  }
};

constexpr int kLong_ms = 20000;  // for those that meet, whatever else the machine does
constexpr int kShort_ms = 400;   // for those that never do

TEST_F(PairTest, WhatSharesNothingRunsAtOnce) {
  EXPECT_TRUE(meet("latency", "latency", kLong_ms));
  EXPECT_TRUE(meet("latency", "launch", kLong_ms));
}

TEST_F(PairTest, OnlyOneProbeOfTheHostsLinkRuns) {
  EXPECT_FALSE(meet("launch", "launch", kShort_ms));
  EXPECT_FALSE(meet("transfer", "launch", kShort_ms));
}

TEST_F(PairTest, NothingRunsBesideAProbeOfEveryGpu) {
  EXPECT_FALSE(meet("peers", "latency", kShort_ms));
  EXPECT_FALSE(meet("peers", "transfer", kShort_ms));
  EXPECT_FALSE(meet("peers", "peers", kShort_ms));
}

}  // namespace
}  // namespace assay
