// SPDX-License-Identifier: Apache-2.0
// One holder per GPU, bounded waiting, and no lock that survives its holder.
#include "invariants/plan/gpu_lock.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "invariants/plan/supervisor.h"

namespace assay {
namespace {

class GpuLockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    base_ = std::filesystem::path(::testing::TempDir()) /
            ("gpu_lock_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(base_);
    ::setenv("XDG_RUNTIME_DIR", base_.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  std::filesystem::path base_;
};

TEST_F(GpuLockTest, AdmitsOneHolderPerGpu) {
  const GpuLock held("GPU-1", 0.0);
  EXPECT_THROW(GpuLock("GPU-1", 0.05), GpuBusy);
  EXPECT_NO_THROW(GpuLock("GPU-2", 0.0));
}

TEST_F(GpuLockTest, EndsWithItsValue) {
  { const GpuLock held("GPU-1", 0.0); }
  EXPECT_NO_THROW(GpuLock("GPU-1", 0.0));
}

TEST_F(GpuLockTest, EndsWithAHolderThatIsKilled) {
  const pid_t holder = ::fork();
  if (holder == 0) {
    const GpuLock held("GPU-1", 0.0);
    static_cast<void>(::raise(SIGKILL));
  }
  ::waitpid(holder, nullptr, 0);
  EXPECT_NO_THROW(GpuLock("GPU-1", 0.0));
}

TEST_F(GpuLockTest, IsNotInheritedByAProbe) {
  const GpuLock held("GPU-1", 0.0);
  Program program;
  program.file = "/bin/sh";
  program.arguments = {"-c", "ls -l /proc/self/fd"};
  program.output = ChildOutput::captured;
  EXPECT_EQ(supervise(program).output.find(".lock"), std::string::npos);
}

TEST_F(GpuLockTest, RefusesAFolderThatIsALink) {
  const auto elsewhere = base_ / "elsewhere";
  std::filesystem::create_directories(elsewhere);
  std::filesystem::create_symlink(elsewhere, gpu_lock_file("GPU-1").parent_path());
  EXPECT_THROW(GpuLock("GPU-1", 0.0), std::runtime_error);
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere));
}

TEST_F(GpuLockTest, AdmitsOneHolderOfTheHostsLinkBesideAnyGpu) {
  const HostLinkLock held(0.0);
  EXPECT_THROW(HostLinkLock(0.05), GpuBusy);
  EXPECT_NO_THROW(GpuLock("GPU-1", 0.0));
  EXPECT_NO_THROW(GpuLock("host-link", 0.0));
}

TEST_F(GpuLockTest, KeepsADeviceNameInsideItsFolder) {
  EXPECT_EQ(gpu_lock_file("MIG-GPU-1/7/0").filename(), "gpu-MIG-GPU-1_7_0.lock");
  EXPECT_EQ(gpu_lock_file("../../x").parent_path(), gpu_lock_file("GPU-1").parent_path());
}

}  // namespace
}  // namespace assay
