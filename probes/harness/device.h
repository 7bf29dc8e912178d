// SPDX-License-Identifier: Apache-2.0
// The one device that a probe measures: chosen by UUID or index, never guessed.
#pragma once

#include <cstddef>
#include <string>

#include <cuda_runtime_api.h>

#include "dossiers/identity.h"
#include "dossiers/level.h"

namespace assay {

/// A selected device with its primary context current on this thread. Not copyable.
class Device {
 public:
  /// Makes `ordinal` (CUDA's numbering in this process) current. Throws CudaError.
  Device(int ordinal, DeviceIdentity identity, Level level);
  /// The device that is current on this thread already: a guest in its owner's context changes no
  /// flag of it. Throws CudaError.
  static Device adopt_current(DeviceIdentity identity, Level level);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceIdentity& identity() const { return identity_; }
  Level level() const { return level_; }
  int ordinal() const { return ordinal_; }
  int sm_count() const { return sm_count_; }
  int cc() const { return 10 * identity_.cc_major + identity_.cc_minor; }  ///< 90 for 9.0
  std::size_t l2_bytes() const { return l2_bytes_; }
  /// Free device memory right now, bytes.
  std::size_t free_bytes() const;
  int attribute(cudaDeviceAttr attribute) const;

 private:
  struct Adopt {};
  Device(Adopt, int ordinal, DeviceIdentity identity, Level level);
  void read_attributes();

  int ordinal_;
  DeviceIdentity identity_;
  Level level_;
  int sm_count_ = 0;
  std::size_t l2_bytes_ = 0;
};

}  // namespace assay
