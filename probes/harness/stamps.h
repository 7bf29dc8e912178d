// SPDX-License-Identifier: Apache-2.0
// Which SM clock was held in a window, and how many SM clocks did it last?
#pragma once

#include <cuda_runtime_api.h>

#include "probes/harness/resources.h"
#include "probes/harness/slope.h"

namespace assay {

/// Two tables of stamps, one row per SM, written by a small kernel before and after the work.
class Stamper {
 public:
  explicit Stamper(int sm_count);

  /// Forgets the last window, on the stream. Outside of the timed window: stale rows would lie.
  void clear(cudaStream_t stream);
  /// Enqueue the stamp kernel; both may be captured.
  void stamp_before(cudaStream_t stream) const;
  void stamp_after(cudaStream_t stream) const;
  /// Downloads and reads the window; synchronises the stream.
  StampWindow read(cudaStream_t stream) const;

 private:
  int blocks_;
  DeviceBuffer<Stamp> stamps_;
  PinnedBuffer<Stamp> host_;
};

/// The stamp kernel's address, for has_code().
const void* stamp_kernel_address();

}  // namespace assay
