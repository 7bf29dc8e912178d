// SPDX-License-Identifier: Apache-2.0
// A supervised program can crash, hang, flood or leave children behind: each is seen and bounded.
#include "invariants/plan/supervisor.h"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace assay {
namespace {

Program shell(const std::string& script, double deadline_s = 30.0) {
  Program program;
  program.file = "/bin/sh";
  program.arguments = {"-c", script};
  program.deadline_s = deadline_s;
  program.echo_stderr = false;
  program.output = ChildOutput::captured;
  return program;
}

Program missing_program() {
  Program program;
  program.file = "/nonexistent/program";
  return program;
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

/// Running, as opposed to gone or a zombie that some init has yet to reap.
bool alive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  const auto end = text.rfind(')');
  return end != std::string::npos && text.at(end + 2) != 'Z' && text.at(end + 2) != 'X';
}

/// Waits for a condition that must come true soon; the bound only stops a broken build.
template <typename Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(Supervisor, ReportsEachExitCodeAsItIs) {
  for (const int code : {0, 1, 2, 75, 77}) {
    const Ended ended = supervise(shell("exit " + std::to_string(code)));
    EXPECT_EQ(ended.exit_code, code);
    EXPECT_FALSE(ended.signal.has_value());
    EXPECT_FALSE(ended.timed_out);
  }
}

TEST(Supervisor, ReportsASignalNotAnExitCode) {
  const Ended segv = supervise(shell("kill -SEGV $$"));
  EXPECT_EQ(segv.signal, SIGSEGV);
  EXPECT_FALSE(segv.exit_code.has_value());
  EXPECT_EQ(supervise(shell("kill -ABRT $$")).signal, SIGABRT);
  EXPECT_NE(describe(segv).find("signal 11"), std::string::npos);
}

TEST(Supervisor, StopsAHangAtItsDeadline) {
  const Ended ended = supervise(shell("echo started >&2; sleep 60", 0.2));
  EXPECT_TRUE(ended.timed_out);
  EXPECT_EQ(ended.signal, SIGTERM);
  EXPECT_EQ(ended.stderr_tail, "started\n");
}

TEST(Supervisor, KillsWhatIgnoresTheFirstSignal) {
  const Ended ended = supervise(shell("trap '' TERM; while :; do sleep 1; done", 0.2));
  EXPECT_TRUE(ended.timed_out);
  EXPECT_EQ(ended.signal, SIGKILL);
}

TEST(Supervisor, KeepsOnlyTheEndOfAFlood) {
  const Ended ended = supervise(
      shell("i=0; while [ $i -lt 3000 ]; do echo \"line $i of the flood\" >&2; i=$((i+1)); done"));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_LE(ended.stderr_tail.size(), 2000u);
  EXPECT_NE(ended.stderr_tail.find("line 2999 of"), std::string::npos);
  EXPECT_EQ(ended.stderr_tail.find("line 100 of"), std::string::npos);
}

TEST(Supervisor, CapturesOutputApartFromErrors) {
  const Ended ended = supervise(shell("echo out; echo err >&2"));
  EXPECT_EQ(ended.output, "out\n");
  EXPECT_EQ(ended.stderr_tail, "err\n");
}

TEST(Supervisor, KillsAGrandchildThatOutlivesItsParent) {
  const Ended ended = supervise(shell("sleep 300 & echo $!"));
  EXPECT_EQ(ended.exit_code, 0);
  const pid_t grandchild = std::stoi(ended.output);
  EXPECT_TRUE(eventually([&] { return !alive(grandchild); }));
}

TEST(Supervisor, IsNotHeldUpByAGrandchildThatLeftTheGroup) {
  const Ended ended = supervise(shell("setsid sleep 300 & echo $!"));
  EXPECT_EQ(ended.exit_code, 0);
  static_cast<void>(::kill(std::stoi(ended.output), SIGKILL));
}

TEST(Supervisor, LeavesNoZombieAndNoDescriptor) {
  const auto before = open_descriptors();
  for (int i = 0; i < 5; ++i) {
    supervise(shell("exit 3"));
    EXPECT_THROW(supervise(missing_program()), CannotStart);
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Supervisor, NamesAProgramThatCannotRun) {
  try {
    supervise(missing_program());
    FAIL() << "a missing program was started";
  } catch (const CannotStart& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/program"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

TEST(Supervisor, OverlaysTheEnvironment) {
  ASSERT_EQ(::setenv("ASSAY_TEST_OVERLAY", "ours", 1), 0);
  Program program = shell("echo $ASSAY_TEST_OVERLAY-$ASSAY_TEST_ADDED");
  program.environment = {{"ASSAY_TEST_OVERLAY", "theirs"}, {"ASSAY_TEST_ADDED", "new"}};
  EXPECT_EQ(supervise(program).output, "theirs-new\n");
}

TEST(Supervisor, TheChildDiesWithUs) {
  const auto file = std::filesystem::path(::testing::TempDir()) /
                    ("supervisor_test_" + std::to_string(::getpid()) + ".pid");
  const pid_t middle = ::fork();
  if (middle == 0) {
    supervise(shell("echo $$ >" + file.string() + "; exec sleep 300"));
    ::_exit(0);
  }
  pid_t child = 0;
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(std::ifstream(file) >> child); }));
  EXPECT_TRUE(alive(child));
  ::kill(middle, SIGKILL);
  ::waitpid(middle, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return !alive(child); }));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace assay
