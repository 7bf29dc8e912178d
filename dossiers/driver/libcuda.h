// SPDX-License-Identifier: Apache-2.0
// Which devices does the CUDA driver see, and what does it say about them? No CUDA toolkit needed.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "dossiers/driver/answer.h"
#include "dossiers/driver/dynamic_library.h"

namespace assay {

/// There is nothing to measure: no libcuda, no working driver, or no GPU; what() says which.
class NoDevice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using UuidBytes = std::array<std::uint8_t, 16>;

/// The driver's numbers for its device attributes that we ask for.
enum class DriverAttribute : int {
  clock_khz = 13,
  sm_count = 16,
  integrated = 18,
  compute_mode = 20,
  ecc_enabled = 32,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  max_threads_per_sm = 39,
  cc_major = 75,
  cc_minor = 76,
  smem_per_sm_bytes = 81,
  regs_per_sm = 82,
  fp32_to_fp64_ratio = 87,
  pageable_memory_access = 88,
  cooperative_launch = 95,
  smem_per_block_optin_bytes = 97,
  max_blocks_per_sm = 106,
};

/// libcuda.so.1, loaded at run time (path override: ASSAY_LIBCUDA). A device is its ordinal.
class LibCuda {
 public:
  /// Loads and initialises the driver. CUDA_DEVICE_ORDER must be set before.
  /// Throws NoDevice when there is no library, no working driver or no device.
  LibCuda();

  int device_count() const { return count_; }
  Answer<int> driver_version() const;
  Answer<std::string> name(int ordinal) const;
  /// The device's own UUID; a MIG slice's where the device is one.
  Answer<UuidBytes> uuid(int ordinal) const;
  /// The UUID of the whole GPU, also for a MIG slice.
  Answer<UuidBytes> gpu_uuid(int ordinal) const;
  Answer<std::string> pci_bus_id(int ordinal) const;
  Answer<std::uint64_t> memory_bytes(int ordinal) const;
  Answer<int> attribute(int ordinal, DriverAttribute attribute) const;
  /// By the driver's own number, also one that no header names yet.
  Answer<int> attribute(int ordinal, int id) const;

 private:
  std::string error_name(int code) const;
  int count_devices() const;

  DynamicLibrary library_;
  int count_ = 0;
};

}  // namespace assay
