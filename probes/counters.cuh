// SPDX-License-Identifier: Apache-2.0
// What do the counters hold that a kernel hammered on? One in each line of device memory.
#pragma once

#include <cstdint>
#include <vector>

#include <cuda_runtime.h>

#include "probes/hammer.h"

namespace assay {

template <typename T>
__global__ void gather_counters(const T* counters, T* packed, std::uint32_t addresses) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < addresses) packed[i] = counters[std::size_t{i} * kWordsPerLine];
}

template <typename T>
class Counters {
 public:
  explicit Counters(std::uint32_t addresses)
      : addresses_(addresses), memory_(std::size_t{addresses} * kWordsPerLine), packed_(addresses) {
    memory_.clear();
    ASSAY_CUDA(cudaDeviceSynchronize());
  }

  T* data() const { return memory_.data(); }
  std::uint32_t addresses() const { return addresses_; }
  std::uint32_t mask() const { return addresses_ - 1; }
  void clear(cudaStream_t stream) const {
    ASSAY_CUDA(cudaMemsetAsync(memory_.data(), 0, memory_.bytes(), stream));
  }
  /// The counters alone: at 2^20 of them the lines are 128 MiB.
  std::vector<T> read(cudaStream_t stream) const {
    gather_counters<<<(addresses_ + 255) / 256, 256, 0, stream>>>(memory_.data(), packed_.data(),
                                                                  addresses_);
    ASSAY_CUDA(cudaGetLastError());
    ASSAY_CUDA(cudaStreamSynchronize(stream));
    return packed_.download();
  }

 private:
  std::uint32_t addresses_;
  DeviceBuffer<T> memory_;
  DeviceBuffer<T> packed_;
};

}  // namespace assay
