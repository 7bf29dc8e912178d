// SPDX-License-Identifier: Apache-2.0
// Is another assay run of this user measuring the same GPU, or what GPUs of a host share? CTest's
// own locks end with its process, so each measuring step holds a file lock per GPU, and some one
// more.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "invariants/plan/file_descriptor.h"

namespace assay {

/// The lock was not to be had in time: the step is inconclusive.
class GpuBusy : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Held while the value lives, and by nobody after this process, however it ends. The probe does
/// not inherit it.
class GpuLock {
 public:
  /// Waits up to `wait_s` seconds. Throws GpuBusy, or std::runtime_error naming the file when the
  /// lock's folder cannot be used (not ours, not writable).
  GpuLock(const std::string& uuid, double wait_s);

 private:
  FileDescriptor file_;
};

/// The same for what all GPUs of the host share: its link, its cores. Taken before any GPU's lock,
/// so that no two processes wait for each other.
class HostLinkLock {
 public:
  explicit HostLinkLock(double wait_s);

 private:
  FileDescriptor file_;
};

/// `${XDG_RUNTIME_DIR:-/tmp}/assay-<uid>/gpu-<uuid>.lock`
std::filesystem::path gpu_lock_file(const std::string& uuid);
/// The same folder, `host-link.lock`.
std::filesystem::path host_link_lock_file();

}  // namespace assay
