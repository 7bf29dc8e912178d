// SPDX-License-Identifier: Apache-2.0
// `assay certify --all` from its command line to its files: what one GPU does never costs another
// its verdict, and never makes the host pass.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "dossiers/dossier.h"
#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"
#include "invariants/plan/gpu_lock.h"
#include "invariants/plan/host/host_tree.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class CertifyAllTest : public HostTree {
 protected:
  /// `assay certify --all` in a process of its own.
  pid_t begin_all(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"certify", "--all", "--out", "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Program program = assay_program(arguments);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::_exit(supervise(program).exit_code.value_or(99));
    }
    return pid;
  }
  /// The program itself as our child, so that a signal is for it alone.
  pid_t begin_unwatched() {
    Program program = assay_program({"certify", "--all", "--out", "out"});
    std::string file = program.file.string();
    std::vector<char*> argv{file.data()};
    for (std::string& argument : program.arguments) {
      argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
      for (const auto& [name, value] : program.environment) {
        ::setenv(name.c_str(), value.c_str(), 1);
      }
      ::execv(file.c_str(), argv.data());
      ::_exit(98);
    }
    return pid;
  }
  static int end_of(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// The run of a GPU once `file` is in it; a test fails when it never comes.
  fs::path run_with(const std::string& uuid, const std::string& file) {
    EXPECT_TRUE(comes(work_ / "out" / uuid / "current"));
    for (int i = 0; i < 3000; ++i) {
      const fs::path run = run_of(uuid);
      if (!run.empty() && fs::exists(run / file)) {
        return run;
      }
      ::usleep(10000);
    }
    ADD_FAILURE() << uuid << " never left " << file;
    return {};
  }
};

std::vector<std::string> files_named(const fs::path& folder, const std::string& part) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().filename().string().find(part) != std::string::npos) {
      found.push_back(entry.path().string());
    }
  }
  return found;
}

TEST_F(CertifyAllTest, TwoSoundGpusMakeASoundHost) {
  const Said said = certify_all({"--devices", "2"});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  const HostRecord host = record();
  EXPECT_EQ(host.verdict, Outcome::pass);
  EXPECT_EQ(host.expected, 2);
  ASSERT_EQ(host.devices.size(), 2u);
  for (const HostDevice& device : host.devices) {
    const fs::path run = work_ / "out" / device.folder;
    EXPECT_EQ(device.verdict, Outcome::pass);
    EXPECT_EQ(run, run_of(device.uuid));
    EXPECT_EQ(verdict_of(device.uuid), "pass");
    EXPECT_EQ(device.certificate_sha256, sha256_hex(read_file(run / "certificate.json")));
    EXPECT_EQ(read_dossier(run / "dossier.json").device.uuid, device.uuid);
    EXPECT_TRUE(holds(text_of(run / "junit.xml"), "failures=\"0\""));
  }
  ASSERT_EQ(host.paths.size(), 1u);
  EXPECT_EQ(host.paths.front().through, "one NUMA node");
  EXPECT_TRUE(holds(said.out, "host     pass\nGPUs     2 of 2 asked for"));
}

TEST_F(CertifyAllTest, MachineOutputIsTheHostsDocument) {
  const Said said = certify_all({"--json"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, host_text(record()));
}

TEST_F(CertifyAllTest, OneBadGpuFailsTheHostAndTheOtherKeepsItsCertificate) {
  tell_on(second_, "latency", "swap=latency.l1,latency.l2");
  const Said said = certify_all();
  EXPECT_EQ(said.code, 1) << said.err;
  EXPECT_EQ(verdict_of(first_), "pass");
  EXPECT_EQ(verdict_of(second_), "fail");
  const HostRecord host = record();
  EXPECT_EQ(host.verdict, Outcome::fail);
  EXPECT_EQ(host.devices[0].verdict, Outcome::pass);
  EXPECT_TRUE(holds(host.devices[1].reason, "latency.order: "));
  EXPECT_TRUE(holds(said.out, "host     fail: 1 of 2 GPUs fail: " + second_));
}

TEST_F(CertifyAllTest, ABusyGpuMakesTheHostInconclusive) {
  tell_on(first_, "latency", "inconclusive");
  EXPECT_EQ(certify_all().code, 75);
  EXPECT_EQ(record().verdict, Outcome::inconclusive);
  EXPECT_EQ(verdict_of(second_), "pass");
}

TEST_F(CertifyAllTest, AProbeThatCrashesOrHangsCostsItsOwnGpuAlone) {
  limit_probes(2);
  tell_on(first_, "latency", "segv");
  tell_on(second_, "launch", "hang");
  EXPECT_EQ(certify_all().code, 1);
  const HostRecord host = record();
  EXPECT_EQ(host.verdict, Outcome::no_evidence);
  EXPECT_EQ(verdict_of(first_), "no_evidence");
  EXPECT_EQ(verdict_of(second_), "no_evidence");
  EXPECT_TRUE(fs::exists(run_of(first_) / "evidence" / "launch.json"));
  EXPECT_TRUE(fs::exists(run_of(second_) / "evidence" / "latency.json"));
}

TEST_F(CertifyAllTest, ACertificationThatIsKilledCostsItsOwnGpuAlone) {
  tell_on(second_, "latency", "hang");
  const pid_t all = begin_all();
  const fs::path run = run_with(second_, "evidence/device.exit.json");
  ASSERT_EQ(::kill(static_cast<pid_t>(read_run(run / "run.json").parent_pid), SIGKILL), 0);
  EXPECT_EQ(end_of(all), 1);
  const HostRecord host = record();
  EXPECT_EQ(host.verdict, Outcome::no_evidence);
  EXPECT_EQ(host.devices[0].verdict, Outcome::pass);
  EXPECT_EQ(host.devices[1].run_id, run.filename());
  EXPECT_EQ(host.devices[1].certificate_sha256, "");
  EXPECT_TRUE(holds(host.devices[1].reason, "signal 9"));
}

TEST_F(CertifyAllTest, FewerGpusThanAskedForAreNeverAPass) {
  const Said said = certify_all({"--devices", "3"});
  EXPECT_EQ(said.code, 1) << said.err;
  EXPECT_EQ(record().verdict, Outcome::no_evidence);
  EXPECT_TRUE(holds(said.out, "2 of 3 GPUs were found"));
  EXPECT_EQ(verdict_of(first_), "pass");
  EXPECT_EQ(verdict_of(second_), "pass");
}

TEST_F(CertifyAllTest, NoGpuIsNoPassWhereverItIsAsked) {
  set("ASSAY_LIBCUDA", "/nonexistent/libcuda.so.1");
  const Said nobody = certify_all();
  EXPECT_EQ(nobody.code, 77);
  EXPECT_TRUE(holds(nobody.out, "not certified"));
  EXPECT_FALSE(fs::exists(work_ / "out"));
  EXPECT_EQ(certify_all({"--devices", "2"}).code, 1);
  EXPECT_EQ(record().verdict, Outcome::no_evidence);
  EXPECT_EQ(record().reason, "0 of 2 GPUs were found");
}

TEST_F(CertifyAllTest, AnInterruptStopsAllAndLeavesNoHalfFile) {
  for (const int signal : {SIGINT, SIGTERM}) {
    fs::remove_all(work_ / "out");
    tell("launch", "hang");
    const pid_t all = begin_unwatched();
    run_with(first_, "evidence/latency.exit.json");
    run_with(second_, "evidence/latency.exit.json");
    ::kill(all, signal);
    EXPECT_EQ(end_of(all), 75) << signal;
    EXPECT_FALSE(has_record());
    EXPECT_EQ(verdict_of(first_), "none");
    EXPECT_EQ(verdict_of(second_), "none");
    EXPECT_EQ(files_named(work_ / "out", ".tmp"), std::vector<std::string>{});
    // Its probes are gone: nobody holds a GPU.
    EXPECT_NO_THROW(GpuLock(first_, 5.0));
    EXPECT_NO_THROW(GpuLock(second_, 5.0));
  }
}

TEST_F(CertifyAllTest, ASignatureLiesBesideEachCertificate) {
  ASSERT_EQ(std::system(("ssh-keygen -q -t ed25519 -N '' -f " + (work_ / "key").string()).c_str()),
            0);
  const Said said = certify_all({"--sign", "key"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const std::string& uuid : {first_, second_}) {
    EXPECT_TRUE(fs::exists(run_of(uuid) / "certificate.json.sig")) << uuid;
  }
}

TEST_F(CertifyAllTest, WhatCannotGoWithItIsRefusedInOneLineAndNothingIsWritten) {
  using Words = std::vector<std::string>;
  for (const Words& more :
       {Words{"--device", "0"}, Words{"--device", first_}, Words{"--replay", "dossier.json"},
        Words{"--repeat", "0"}, Words{"--level", "soak"}, Words{"--devices", "0"},
        Words{"--devices", "1025"}, Words{"--devices", "two"}}) {
    const Said said = certify_all(more);
    EXPECT_EQ(said.code, 2) << more.front() << said.out;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
  EXPECT_EQ(assay({"certify", "--devices", "2"}).code, 2);
  set("ASSAY_DEVICE", first_);
  const Said said = certify_all();
  EXPECT_EQ(said.code, 2);
  EXPECT_TRUE(holds(said.err, "ASSAY_DEVICE"));
  EXPECT_FALSE(fs::exists(work_ / "out"));
}

TEST_F(CertifyAllTest, AnOutFolderThatCannotBeMadeIsOneLine) {
  std::ofstream(work_ / "out") << "in the way";
  const Said said = certify_all();
  EXPECT_EQ(said.code, 2);
  EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
}

TEST_F(CertifyAllTest, AFileThatCannotBeWrittenIsNoGpusFaultUnlessOneIsBad) {
  fs::create_directories(work_ / "out");
  std::ofstream(work_ / "out" / second_) << "in the way";
  const Said said = certify_all();
  EXPECT_EQ(said.code, 2) << said.out;
  EXPECT_EQ(record().verdict, Outcome::no_evidence);
  EXPECT_EQ(verdict_of(first_), "pass");
  EXPECT_TRUE(holds(record().devices[1].reason, "cannot make the folder"));
  fs::remove_all(work_ / "out" / "host");
  fs::remove_all(work_ / "out" / first_);
  tell("latency", "swap=latency.l1,latency.l2");
  EXPECT_EQ(certify_all().code, 1);
}

TEST_F(CertifyAllTest, ADiskThatIsFullIsNoGpusFault) {
  Program program = assay_program({"certify", "--all", "--out", "out"});
  program.arguments[1] = "trap '' XFSZ; ulimit -f 0; " + program.arguments[1];
  const Ended ended = supervise(program);
  EXPECT_EQ(ended.exit_code, 2) << ended.stderr_tail;
  EXPECT_FALSE(has_record());
}

}  // namespace
}  // namespace assay
