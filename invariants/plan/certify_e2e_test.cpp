// SPDX-License-Identifier: Apache-2.0
// `assay certify` from its command line to its files, with fake drivers and fake probes: each fault
// gives its verdict and its exit code, and nothing is certified by accident.
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "dossiers/dossier.h"
#include "dossiers/test_support.h"
#include "invariants/plan/file_descriptor.h"
#include "invariants/plan/testing/fake_tree.h"
#include "invariants/rates/repeat.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class CertifyTest : public FakeTree {
 protected:
  Said certify() { return assay({"certify", "--out", "out"}); }
  fs::path only_run() {
    const auto all = runs(work_ / "out");
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? fs::path() : all.front();
  }
  std::string verdict() { return verdict_in(only_run() / "certificate.json"); }
  ProbeRecord record(const std::string& probe) {
    return read_dossier(only_run() / "dossier.json").probes.at(probe);
  }
};

int lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(CertifyTest, ASoundDeviceIsCertified) {
  const Said said = certify();
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_EQ(verdict(), "pass");
  const fs::path run = only_run();
  for (const char* name :
       {"run.json", "dossier.json", "certificate.json", "junit.xml", "evidence/latency.json",
        "evidence/latency.exit.json", "samples/latency.json", "verdicts/latency.order.json"}) {
    EXPECT_TRUE(fs::exists(run / name)) << name;
  }
  const std::string junit = text_of(run / "junit.xml");
  EXPECT_TRUE(contains(junit, "failures=\"0\""));
  EXPECT_TRUE(contains(junit, "<property name=\"latency.l2\" value=\"281.4\"/>"));
}

TEST_F(CertifyTest, MachineOutputIsTheCertificateItself) {
  const Said said = assay({"certify", "--json"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, text_of(only_run() / "certificate.json"));
}

TEST_F(CertifyTest, ACrashedProbeIsNoEvidenceAndTheRestIsMeasured) {
  tell("latency", "segv");
  const Said said = certify();
  EXPECT_EQ(said.code, 1) << said.out << said.err;
  EXPECT_EQ(verdict(), "no_evidence");
  EXPECT_EQ(record("latency").signal, SIGSEGV);
  EXPECT_TRUE(contains(record("latency").stderr_tail, "fake latency: segv"));
  EXPECT_EQ(record("launch").status, ProbeStatus::measured);
  EXPECT_TRUE(contains(text_of(only_run() / "certificate.json"), "fake latency: segv"));
}

TEST_F(CertifyTest, AHangingProbeIsStoppedAndTheRestIsMeasured) {
  limit_probes(3);
  tell("fma", "hang");
  EXPECT_EQ(certify().code, 1);
  EXPECT_EQ(verdict(), "no_evidence");
  EXPECT_TRUE(record("fma").timed_out);
  EXPECT_EQ(record("launch").status, ProbeStatus::measured);
}

TEST_F(CertifyTest, AProbeThatLeavesNothingIsNoEvidence) {
  tell("launch", "silent");
  EXPECT_EQ(certify().code, 1);
  EXPECT_EQ(verdict(), "no_evidence");
}

TEST_F(CertifyTest, AFailedProbeIsNoEvidenceWithItsReason) {
  tell("mma_tile", "failed");
  EXPECT_EQ(certify().code, 1);
  EXPECT_NE(verdict(), "pass");
  EXPECT_TRUE(contains(record("mma_tile").reason, "unspecified launch failure"));
}

TEST_F(CertifyTest, AnotherProcessOnTheGpuIsInconclusiveAndNamed) {
  for (const auto& probe : {"device", "latency"}) {
    tell(probe, "inconclusive");
  }
  const Said said = certify();
  EXPECT_EQ(said.code, 75) << said.out << said.err;
  EXPECT_EQ(verdict(), "inconclusive");
  EXPECT_TRUE(contains(said.out, "trainer"));
}

TEST_F(CertifyTest, FactsThatBreakAnInvariantFailItByName) {
  tell("latency", "swap=latency.l1,latency.l2");
  const Said said = certify();
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(verdict(), "fail");
  EXPECT_TRUE(contains(said.out, "latency.order"));
}

TEST_F(CertifyTest, MissingCodeIsListedAsNotApplicable) {
  tell("mma_wgmma", "not_applicable");
  const Said said = certify();
  EXPECT_TRUE(contains(said.out, "no code for sm_90")) << said.out;
  EXPECT_EQ(record("mma_wgmma").status, ProbeStatus::not_applicable);
  EXPECT_TRUE(contains(text_of(only_run() / "junit.xml"), "<skipped message="));
}

TEST_F(CertifyTest, ADeviceThatFailsBlocksTheOthersAndIsNotCertified) {
  tell("device", "crash");
  EXPECT_EQ(certify().code, 1);
  EXPECT_EQ(verdict(), "no_evidence");
  EXPECT_FALSE(fs::exists(only_run() / "evidence" / "latency.exit.json"));
  EXPECT_TRUE(contains(text_of(only_run() / "junit.xml"), "not run: the device step failed"));
}

TEST_F(CertifyTest, EvidenceOfAnotherRunIsRefusedByName) {
  tell("latency", "other_run");
  const Said said = certify();
  EXPECT_EQ(said.code, 2);
  EXPECT_TRUE(contains(said.err, "latency.json")) << said.err;
  EXPECT_FALSE(fs::exists(only_run() / "certificate.json"));
}

TEST_F(CertifyTest, EvidenceOfAnotherDeviceIsRefusedByName) {
  tell("latency", "other_device");
  const Said said = certify();
  EXPECT_EQ(said.code, 2);
  EXPECT_TRUE(contains(said.err, "latency.json")) << said.err;
}

TEST_F(CertifyTest, TruncatedEvidenceIsNoEvidenceWithItsFileAndLine) {
  tell("latency", "truncated");
  EXPECT_EQ(certify().code, 1);
  EXPECT_EQ(verdict(), "no_evidence");
  EXPECT_TRUE(contains(record("latency").reason, "evidence/latency.json:"));
  EXPECT_EQ(record("launch").status, ProbeStatus::measured);
}

TEST_F(CertifyTest, ExitCodeAndEvidenceThatDisagreeAreNotAPass) {
  tell("latency", "lies");
  EXPECT_EQ(certify().code, 1);
}

TEST_F(CertifyTest, TwoGpusAndNoChoiceListsBoth) {
  environment_["ASSAY_FAKE_GPUS"] = "2";
  const Said said = certify();
  EXPECT_EQ(said.code, 2);
  EXPECT_EQ(lines(said.err), 1) << said.err;
  EXPECT_TRUE(runs(work_ / "out").empty());
  EXPECT_EQ(assay({"certify", "--device", "1"}).code, 0);
}

TEST_F(CertifyTest, AnUnknownDeviceIsRefused) {
  for (const char* wanted : {"7", "-1", "GPU-00000000-0000-0000-0000-00000000dead", "first"}) {
    const Said said = assay({"certify", "--device", wanted});
    EXPECT_EQ(said.code, 2) << wanted << said.err;
    EXPECT_EQ(lines(said.err), 1) << said.err;
  }
}

TEST_F(CertifyTest, WithoutAGpuARecordedDossierIsReplayedAndNothingIsCertified) {
  environment_["ASSAY_LIBCUDA"] = "/nonexistent/libcuda.so.1";
  const fs::path recorded = root_ / "share" / "assay" / "recorded";
  fs::create_directories(recorded);
  fs::copy_file(root_ / "share" / "assay" / "pinned" / "example.json", recorded / "example.json");
  // Other documents lie beside recorded dossiers; they are not replayed.
  std::ofstream(recorded / "z.json") << R"({"schema": "1.0.0", "kind": "stopwatch"})";
  const Said said = certify();
  EXPECT_EQ(said.code, 77) << said.out << said.err;
  EXPECT_EQ(
      said.out.rfind("REPLAY of a recorded dossier: certifies nothing about this machine\n", 0), 0u)
      << said.out;
  EXPECT_TRUE(runs(work_ / "out").empty());
}

TEST_F(CertifyTest, WithoutAGpuAndARecordItSaysSo) {
  environment_["ASSAY_LIBCUDA"] = "/nonexistent/libcuda.so.1";
  const Said said = certify();
  EXPECT_EQ(said.code, 77);
  EXPECT_TRUE(contains(said.out, "not certified")) << said.out;
}

TEST_F(CertifyTest, AnOutFolderThatCannotBeMadeIsOneLine) {
  std::ofstream(work_ / "file") << "in the way";
  const Said said = assay({"certify", "--out", "file/out"});
  EXPECT_EQ(said.code, 2);
  EXPECT_EQ(lines(said.err), 1) << said.err;
  EXPECT_TRUE(contains(said.err, "file/out")) << said.err;
}

TEST_F(CertifyTest, AFullDiskLeavesNoHalfFile) {
  // A file size limit of zero, its signal ignored, makes every write fail as a full disk does.
  Program program = assay_program({"certify"});
  program.arguments[1] = "trap '' XFSZ; ulimit -f 0; " + program.arguments[1];
  const Ended ended = supervise(program);
  EXPECT_EQ(ended.exit_code, 2) << ended.stderr_tail;
  EXPECT_TRUE(runs(work_ / "out").empty());
}

TEST_F(CertifyTest, AfterAKillTheNextRunIsClean) {
  tell("fma", "hang");
  Program program = assay_program({"certify"});
  const pid_t killed = ::fork();
  if (killed == 0) {
    supervise(program);
    ::_exit(0);
  }
  const auto begun = [&] {
    const auto all = runs(work_ / "out");
    return !all.empty() && fs::exists(all.front() / "evidence" / "latency.exit.json");
  };
  for (int i = 0; i < 3000 && !begun(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(killed, SIGKILL);
  ::waitpid(killed, nullptr, 0);
  ASSERT_TRUE(begun());
  const fs::path broken = runs(work_ / "out").front();
  tell("fma", "");
  EXPECT_EQ(certify().code, 0);
  EXPECT_EQ(runs(work_ / "out").size(), 2u);
  EXPECT_FALSE(fs::exists(broken / "certificate.json"));
  EXPECT_TRUE(fs::exists(broken / "evidence" / "latency.json"));
}

TEST_F(CertifyTest, TwoRunsAtOnceDoNotMeet) {
  const pid_t other = ::fork();
  if (other == 0) {
    ::_exit(supervise(assay_program({"certify"})).exit_code.value_or(1));
  }
  const Said said = certify();
  int status = 0;
  ::waitpid(other, &status, 0);
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const auto all = runs(work_ / "out");
  ASSERT_EQ(all.size(), 2u);
  for (const auto& run : all) {
    EXPECT_EQ(read_dossier(run / "dossier.json").run_id, run.filename());
  }
}

/// True while a lock file under `folder` is held.
bool gpu_is_held(const fs::path& folder) {
  std::error_code absent;
  for (const auto& entry : fs::recursive_directory_iterator(folder, absent)) {
    if (entry.path().extension() == ".lock") {
      const FileDescriptor file(::open(entry.path().c_str(), O_RDWR | O_CLOEXEC));
      return ::flock(file.get(), LOCK_SH | LOCK_NB) != 0;
    }
  }
  return false;
}

TEST_F(CertifyTest, AGpuHeldByAnotherRunIsInconclusive) {
  tell("device", "hang");
  const Program holder = assay_program({"certify"});
  const pid_t other = ::fork();
  if (other == 0) {
    supervise(holder);
    ::_exit(0);
  }
  for (int i = 0; i < 3000 && !gpu_is_held(base_); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  environment_["ASSAY_LOCK_WAIT_S"] = "0.1";
  tell("device", "");
  const Said said = certify();
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  EXPECT_EQ(said.code, 75) << said.err;
  EXPECT_TRUE(contains(said.err, "another assay run holds the GPU")) << said.err;
}

TEST_F(CertifyTest, RepeatedRunsAreCountedPastInconclusiveOnes) {
  tell("latency", "inconclusive");
  ASSERT_EQ(assay({"certify", "--repeat", "1", "--out", "out"}).code, 75);
  const Said said = assay({"certify", "--repeat", "2", "--out", "out", "--json"});
  EXPECT_EQ(said.code, 75) << said.err;
  EXPECT_TRUE(contains(said.err, "run 2 of 2: inconclusive")) << said.err;
  EXPECT_EQ(said.out, text_of(work_ / "out" / "repeat.json"));
  const Repeat repeat = read_repeat(work_ / "out" / "repeat.json");
  ASSERT_EQ(repeat.sessions.size(), 2u);
  const RepeatTotals totals = totals_of(repeat);
  EXPECT_EQ(totals.runs, 3);
  EXPECT_EQ(totals.decided, 0);
  EXPECT_EQ(totals.failed, 0);
  EXPECT_EQ(count_of(totals.invariants.at("latency.order"), Outcome::inconclusive), 3);
  EXPECT_EQ(repeat.sessions.back().facts.at("fma_f32").runs, 2);
  EXPECT_EQ(runs(work_ / "out").size(), 3u);
}

TEST_F(CertifyTest, AFalseAlarmAmongRepeatedRunsIsNamedAndFails) {
  tell("latency", "swap=latency.l1,latency.l2");
  const Said said = assay({"certify", "--repeat", "1", "--out", "out"});
  EXPECT_EQ(said.code, 1) << said.err;
  EXPECT_TRUE(contains(said.out, "failed    1 of 1")) << said.out;
  EXPECT_TRUE(contains(said.out, "latency.order")) << said.out;
}

TEST_F(CertifyTest, RunsOfAnotherLevelAreNotCountedTogether) {
  ASSERT_EQ(assay({"certify", "--repeat", "1", "--out", "out"}).code, 0);
  const Said said = assay({"certify", "--repeat", "1", "--level", "full", "--out", "out"});
  EXPECT_EQ(said.code, 2);
  EXPECT_EQ(lines(said.err), 1) << said.err;
  EXPECT_TRUE(contains(said.err, "of another level")) << said.err;
  EXPECT_EQ(runs(work_ / "out").size(), 1u);
}

TEST_F(CertifyTest, AnInterruptEndsRepeatedRunsWithWhatThereIs) {
  tell("fma", "hang");
  Program program = assay_program({"certify", "--repeat", "9", "--out", "out"});
  program.stop = [this] {
    const auto all = runs(work_ / "out");
    return !all.empty() && fs::exists(all.front() / "evidence" / "latency.exit.json");
  };
  const Ended ended = supervise(program);
  EXPECT_EQ(ended.exit_code, 75) << ended.stderr_tail;
  EXPECT_TRUE(contains(ended.output, "interrupted; 0 of 9 runs were counted")) << ended.output;
  EXPECT_FALSE(fs::exists(only_run() / "certificate.json"));
}

TEST_F(CertifyTest, ACertificateIsSignedWhereItLies) {
  ASSERT_EQ(std::system(("ssh-keygen -q -t ed25519 -N '' -f " + (work_ / "key").string()).c_str()),
            0);
  const Said said = assay({"certify", "--out", "out", "--sign", "key"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(text_of(only_run() / "certificate.json.sig"), "BEGIN SSH SIGNATURE"));
}

TEST_F(CertifyTest, ABadCommandLineIsOneLine) {
  for (const auto& bad : std::vector<std::vector<std::string>>{{"certify", "--level", "fast"},
                                                               {"certify", "--repeat", "0"},
                                                               {"certify", "--repeat", "10001"},
                                                               {"certify", "--prepare"},
                                                               {"certify", "--nope"},
                                                               {"certfy"}}) {
    const Said said = assay(bad);
    EXPECT_EQ(said.code, 2) << said.err;
    EXPECT_EQ(lines(said.err), 1) << said.err;
  }
}

TEST_F(CertifyTest, ProbesCanBeRunAlone) {
  const Said said = assay({"probe", "latency", "launch", "--out", "evidence"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "latency.l2")) << said.out;
  EXPECT_TRUE(fs::exists(work_ / "evidence" / "latency.json"));
  EXPECT_FALSE(fs::exists(work_ / "evidence" / "fma.json"));
}

TEST_F(CertifyTest, OfSeveralProbesTheWorstDecides) {
  tell("latency", "inconclusive");
  EXPECT_EQ(assay({"probe", "latency", "launch", "--out", "evidence"}).code, 75);
  tell("launch", "crash");
  EXPECT_EQ(assay({"probe", "latency", "launch", "--out", "evidence"}).code, 1);
  tell("mma_wgmma", "not_applicable");
  EXPECT_EQ(assay({"probe", "mma_wgmma", "--out", "evidence"}).code, 77);
  EXPECT_EQ(assay({"probe", "mma_wgmma", "fma", "--out", "evidence"}).code, 0);
}

TEST_F(CertifyTest, ACrashLeavesNoEvidenceOfAnEarlierProbe) {
  ASSERT_EQ(assay({"probe", "latency", "--out", "evidence"}).code, 0);
  tell("latency", "crash");
  EXPECT_EQ(assay({"probe", "latency", "--out", "evidence"}).code, 1);
  EXPECT_FALSE(fs::exists(work_ / "evidence" / "latency.json"));
}

TEST_F(CertifyTest, AMisspeltProbeIsNamed) {
  const Said said = assay({"probe", "latencey", "--out", "evidence"});
  EXPECT_EQ(said.code, 2);
  EXPECT_TRUE(contains(said.err, "did you mean `latency`?")) << said.err;
}

}  // namespace
}  // namespace assay
