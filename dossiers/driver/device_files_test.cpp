// SPDX-License-Identifier: Apache-2.0
// A GPU that this user may not open is named, and told apart from none at all.
#include "dossiers/driver/device_files.h"

#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "dossiers/test_support.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// What an ordinary user is told; root may open everything.
std::string refused_for_a_user(const fs::path& folder) {
  int ends[2] = {};
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    constexpr uid_t kNobody = 65534;
    const bool ready = ::geteuid() != 0 || ::setuid(kNobody) == 0;
    const std::string text = ready ? refused_device_file(folder) : "still root";
    static_cast<void>(!::write(ends[1], text.data(), text.size()));
    ::_exit(0);
  }
  ::close(ends[1]);
  char said[512] = {};
  const ssize_t n = ::read(ends[0], said, sizeof said);
  ::close(ends[0]);
  ::waitpid(pid, nullptr, 0);
  return {said, static_cast<std::size_t>(n < 0 ? 0 : n)};
}

TEST(DeviceFiles, TheFirstThatIsRefusedIsNamed) {
  const TempFolder dev;
  fs::permissions(dev.path(), fs::perms::all);
  for (const char* name : {"nvidia0", "nvidiactl", "nvidia-caps", "nvme0"}) {
    fs::permissions(dev.write(name, ""), fs::perms::all);
  }
  EXPECT_EQ(refused_for_a_user(dev.path()), "");
  fs::permissions(dev / "nvidia-caps", fs::perms::none);
  fs::permissions(dev / "nvme0", fs::perms::none);
  EXPECT_EQ(refused_for_a_user(dev.path()), "");
  fs::permissions(dev / "nvidiactl", fs::perms::owner_read);
  const fs::perms only_root = fs::perms::owner_read | fs::perms::owner_write;
  if (::geteuid() == 0) fs::permissions(dev / "nvidiactl", only_root);
  EXPECT_EQ(refused_for_a_user(dev.path()), (dev / "nvidiactl").string() + ": Permission denied");
}

TEST(DeviceFiles, AFolderWithoutAnyRefusesNone) {
  const TempFolder dev;
  EXPECT_EQ(refused_device_file(dev.path()), "");
  EXPECT_EQ(refused_device_file(dev / "nowhere"), "");
}

}  // namespace
}  // namespace assay
