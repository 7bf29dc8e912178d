// SPDX-License-Identifier: Apache-2.0
// CUDA handles as values: created here, freed here, nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <cuda_runtime_api.h>

#include "probes/harness/check.h"
#include "probes/harness/unique_handle.h"

namespace assay {

using Stream = UniqueHandle<cudaStreamDestroy, cudaStream_t>;
using Event = UniqueHandle<cudaEventDestroy, cudaEvent_t>;
using Graph = UniqueHandle<cudaGraphDestroy, cudaGraph_t>;
using GraphExec = UniqueHandle<cudaGraphExecDestroy, cudaGraphExec_t>;

Stream make_stream();  ///< non-blocking
Event make_event();

/// Device memory for `count` objects of T, freed with the value. Contents are undefined until
/// filled.
template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    void* raw = nullptr;
    ASSAY_CUDA(cudaMalloc(&raw, count * sizeof(T)));
    data_ = Memory(raw);
  }
  T* data() const { return static_cast<T*>(data_.get()); }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  /// On return it has arrived, for every stream: a copy from pageable memory may return while its
  /// last piece is on the way, and streams of ours do not wait for the default one.
  void upload(const std::vector<T>& host) {
    ASSAY_CUDA(cudaMemcpy(data(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    ASSAY_CUDA(cudaStreamSynchronize(cudaStreamLegacy));
  }
  std::vector<T> download() const {
    std::vector<T> host(count_);
    ASSAY_CUDA(cudaMemcpy(host.data(), data(), bytes(), cudaMemcpyDeviceToHost));
    return host;
  }
  /// On return it is zero, for every stream.
  void clear() {
    ASSAY_CUDA(cudaMemset(data(), 0, bytes()));
    ASSAY_CUDA(cudaStreamSynchronize(cudaStreamLegacy));
  }

 private:
  using Memory = UniqueHandle<cudaFree, void*>;
  Memory data_;
  std::size_t count_ = 0;
};

/// Page-locked host memory for `count` objects of T, zero-filled, freed with the value.
template <typename T>
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t count) : count_(count) {
    void* raw = nullptr;
    ASSAY_CUDA(cudaMallocHost(&raw, count * sizeof(T)));
    data_ = Memory(raw);
    for (std::size_t i = 0; i < count; ++i) {
      new (data() + i) T{};
    }
  }
  T* data() const { return static_cast<T*>(data_.get()); }
  std::size_t size() const { return count_; }

 private:
  using Memory = UniqueHandle<cudaFreeHost, void*>;
  Memory data_;
  std::size_t count_ = 0;
};

/// Fills with uniformly random 32-bit words from `seed` (splitmix64 per 8 bytes, on the device).
void fill_random_words(void* device_memory, std::size_t bytes, std::uint64_t seed,
                       cudaStream_t stream);
/// Fills with uniform floats in [-1, 1) from `seed`.
void fill_random_floats(float* device_memory, std::size_t count, std::uint64_t seed,
                        cudaStream_t stream);

}  // namespace assay
