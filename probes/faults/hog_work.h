// SPDX-License-Identifier: Apache-2.0
// What can get in a probe's way: work that takes one resource of the device and keeps it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/harness/resources.h"

namespace assay {

enum class HogKind {
  dram,   ///< reads memory past the caches on all SMs
  l2,     ///< reads 8 MiB from the L2 on all SMs
  sms,    ///< blocks that take all of an SM's shared memory and spin, on some SMs
  power,  ///< multiply-adds from registers on all SMs
  busy,   ///< every SM for a tenth of a millisecond, then a pause as long: a second process
  copy,   ///< device-to-device copies by the driver
  pcie,   ///< copies to and from the host at once
};
/// The kinds' names, in the order of the enum.
const std::vector<std::string>& hog_names();

/// How much of the device a hog's kernels take.
struct HogShare {
  unsigned blocked_sms = 1;    ///< HogKind::sms
  unsigned blocks_per_sm = 4;  ///< the other kernels; blocks of 512 threads: 4 fill an SM
};

/// The work of one kind on the current device, with the memory that it needs.
class HogWork {
 public:
  /// Throws CudaError.
  HogWork(HogKind kind, const HogShare& share);

  /// Keeps the resource for about `seconds` (one round of copies takes what it takes) and returns
  /// when that is over. Launches of HogKind::sms go ahead of everybody else's.
  void run(double seconds);

 private:
  void run_kernel(std::uint64_t cycles);

  HogKind kind_;
  HogShare share_;
  unsigned sm_count_;
  double clock_hz_;
  Stream stream_, other_stream_;
  DeviceBuffer<uint4> data_, other_data_;
  PinnedBuffer<uint4> host_, other_host_;
  DeviceBuffer<std::uint32_t> sink_;
};

}  // namespace assay
