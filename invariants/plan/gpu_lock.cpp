// SPDX-License-Identifier: Apache-2.0
// Is another assay run of this user measuring the same GPU?
#include "invariants/plan/gpu_lock.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "invariants/plan/run_folder.h"
#include "invariants/plan/text.h"

namespace assay {
namespace {

// Shorter than the time between two steps of another run, so that its GPU can be had in between.
constexpr auto kPoll = std::chrono::milliseconds(5);

/// /tmp is everybody's: a folder or link that somebody else put there is refused.
void make_own_folder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw std::runtime_error(folder.string() +
                             ": cannot make the lock folder: " + std::strerror(errno));
  }
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::getuid()) {
    throw std::runtime_error(folder.string() + ": the lock folder is not a folder of this user");
  }
}

bool try_lock(int fd, const std::filesystem::path& file) {
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return false;
    }
    if (errno != EINTR) {
      throw std::runtime_error(file.string() + ": cannot lock: " + std::strerror(errno));
    }
  }
  return true;
}

std::filesystem::path lock_folder() {
  // Set and gone is common (su, sudo, a job that outlives its login): then /tmp, as when unset.
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  std::error_code absent;
  const bool usable = runtime != nullptr && std::filesystem::is_directory(runtime, absent);
  const std::filesystem::path base = usable ? runtime : "/tmp";
  return base / ("assay-" + std::to_string(::getuid()));
}

/// `what` is what another run holds while we wait.
FileDescriptor locked(const std::filesystem::path& file, const std::string& what, double wait_s) {
  make_own_folder(file.parent_path());
  FileDescriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.open()) {
    throw std::runtime_error(file.string() + ": cannot open: " + std::strerror(errno));
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(wait_s);
  while (!try_lock(lock.get(), file)) {
    if (!(std::chrono::steady_clock::now() < end)) {
      throw GpuBusy("another assay run holds " + what + " (waited " + compact(wait_s) + " s for " +
                    file.string() + ")");
    }
    std::this_thread::sleep_for(kPoll);
  }
  return lock;
}

}  // namespace

std::filesystem::path gpu_lock_file(const std::string& uuid) {
  return lock_folder() / ("gpu-" + device_folder(uuid) + ".lock");
}

std::filesystem::path host_link_lock_file() {
  return lock_folder() / "host-link.lock";
}

GpuLock::GpuLock(const std::string& uuid, double wait_s)
    : file_(locked(gpu_lock_file(uuid), "the GPU " + uuid, wait_s)) {}

HostLinkLock::HostLinkLock(double wait_s)
    : file_(locked(host_link_lock_file(), "the link of this host", wait_s)) {}

}  // namespace assay
