// SPDX-License-Identifier: Apache-2.0
// How do two pieces of work run at once in one timed call? A fork and a join around them, which a
// capture follows into the second stream.
#pragma once

#include <utility>

#include <cuda_runtime_api.h>

#include "probes/harness/check.h"
#include "probes/harness/resources.h"

namespace assay {

class SideBySide {
 public:
  SideBySide() : SideBySide(make_stream(), make_event()) {}
  /// The second stream and its event may belong to another device, whose engines then do the work.
  SideBySide(Stream other, Event join)
      : other_(std::move(other)), fork_(make_event()), join_(std::move(join)) {}

  /// Enqueues first(stream) and second(a stream beside it); `stream` goes on when both are done.
  template <typename First, typename Second>
  void enqueue(cudaStream_t stream, const First& first, const Second& second) const {
    ASSAY_CUDA(cudaEventRecord(fork_.get(), stream));
    ASSAY_CUDA(cudaStreamWaitEvent(other_.get(), fork_.get(), 0));
    first(stream);
    second(other_.get());
    ASSAY_CUDA(cudaEventRecord(join_.get(), other_.get()));
    ASSAY_CUDA(cudaStreamWaitEvent(stream, join_.get(), 0));
  }

 private:
  Stream other_;
  Event fork_;
  Event join_;
};

}  // namespace assay
