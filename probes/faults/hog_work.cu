// SPDX-License-Identifier: Apache-2.0
// Which kernels and copies take a resource of the device?
#include <chrono>
#include <cstddef>
#include <thread>

#include <cuda_runtime.h>

#include "probes/faults/hog_work.h"
#include "probes/harness/device_clock.cuh"

namespace assay {
namespace {

constexpr unsigned kThreads = 512;
constexpr std::size_t kDramBytes = std::size_t{1} << 31;
constexpr std::size_t kL2Bytes = std::size_t{8} << 20;
constexpr std::size_t kHostBytes = std::size_t{64} << 20;
constexpr int kShared = 220 * 1024;
constexpr auto kBusyPause = std::chrono::microseconds(100);
constexpr double kBusySeconds = 100e-6;

std::size_t device_vectors(HogKind kind) {
  switch (kind) {
    case HogKind::dram:
    case HogKind::copy:
      return kDramBytes / sizeof(uint4);
    case HogKind::l2:
      return kL2Bytes / sizeof(uint4);
    case HogKind::pcie:
      return kHostBytes / sizeof(uint4);
    default:
      return 1;
  }
}

std::size_t other_vectors(HogKind kind) {
  return kind == HogKind::copy || kind == HogKind::pcie ? device_vectors(kind) : 1;
}

std::size_t host_vectors(HogKind kind) {
  return kind == HogKind::pcie ? kHostBytes / sizeof(uint4) : 1;
}

/// `.cg` loads, round and round until the time is over.
__global__ void __launch_bounds__(kThreads)
    read_on(const uint4* data, std::size_t vectors, std::uint64_t cycles, std::uint32_t* sink) {
  const std::uint64_t start = read_sm_clock();
  const std::size_t stride = std::size_t{gridDim.x} * kThreads;
  std::size_t at = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  std::uint32_t seen = 0;
  while (read_sm_clock() - start < cycles) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const uint4 v = __ldcg(data + at);
      seen ^= v.x ^ v.y ^ v.z ^ v.w;
      at += stride;
      if (at >= vectors) at -= vectors;
    }
  }
  if (seen == 0x5eed1234u) *sink = seen;
}

__global__ void spin_on(std::uint64_t cycles) {
  spin_for(cycles);
}

__global__ void __launch_bounds__(kThreads) burn_on(std::uint64_t cycles, std::uint32_t* sink) {
  const std::uint64_t start = read_sm_clock();
  float x[8];
  for (int i = 0; i < 8; ++i) x[i] = 0.25f + 0.001f * static_cast<float>(threadIdx.x + i);
  while (read_sm_clock() - start < cycles) {
#pragma unroll
    for (int step = 0; step < 64; ++step) {
#pragma unroll
      for (float& value : x) value = fmaf(value, 0.999f, 0.125f);
    }
  }
  float sum = 0.0f;
  for (const float value : x) sum += value;
  if (sum < 0.0f) *sink = 1;
}

Stream make_urgent_stream() {
  int least = 0, most = 0;
  ASSAY_CUDA(cudaDeviceGetStreamPriorityRange(&least, &most));
  cudaStream_t stream = nullptr;
  ASSAY_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, most));
  return Stream(stream);
}

int attribute(cudaDeviceAttr wanted) {
  int device = 0, value = 0;
  ASSAY_CUDA(cudaGetDevice(&device));
  ASSAY_CUDA(cudaDeviceGetAttribute(&value, wanted, device));
  return value;
}

}  // namespace

const std::vector<std::string>& hog_names() {
  static const std::vector<std::string> names{"dram", "l2", "sms", "power", "busy", "copy", "pcie"};
  return names;
}

HogWork::HogWork(HogKind kind, const HogShare& share)
    : kind_(kind),
      share_(share),
      sm_count_(static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount))),
      clock_hz_(1e3 * attribute(cudaDevAttrClockRate)),
      stream_(make_urgent_stream()),
      other_stream_(make_urgent_stream()),
      data_(device_vectors(kind)),
      other_data_(other_vectors(kind)),
      host_(host_vectors(kind)),
      other_host_(host_vectors(kind)),
      sink_(1) {
  fill_random_words(data_.data(), data_.bytes(), 1, stream_.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream_.get()));
  if (kind == HogKind::sms) {
    ASSAY_CUDA(cudaFuncSetAttribute(spin_on, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  }
}

void HogWork::run_kernel(std::uint64_t cycles) {
  const unsigned blocks = share_.blocks_per_sm * sm_count_;
  if (kind_ == HogKind::sms) {
    spin_on<<<share_.blocked_sms, 32, kShared, stream_.get()>>>(cycles);
  } else if (kind_ == HogKind::dram || kind_ == HogKind::l2) {
    read_on<<<blocks, kThreads, 0, stream_.get()>>>(data_.data(), data_.size(), cycles,
                                                    sink_.data());
  } else {
    burn_on<<<blocks, kThreads, 0, stream_.get()>>>(cycles, sink_.data());
  }
  ASSAY_CUDA(cudaGetLastError());
}

void HogWork::run(double seconds) {
  if (kind_ == HogKind::copy) {
    ASSAY_CUDA(cudaMemcpyAsync(other_data_.data(), data_.data(), data_.bytes(),
                               cudaMemcpyDeviceToDevice, stream_.get()));
  } else if (kind_ == HogKind::pcie) {
    ASSAY_CUDA(cudaMemcpyAsync(data_.data(), host_.data(), data_.bytes(), cudaMemcpyHostToDevice,
                               stream_.get()));
    ASSAY_CUDA(cudaMemcpyAsync(other_host_.data(), other_data_.data(), other_data_.bytes(),
                               cudaMemcpyDeviceToHost, other_stream_.get()));
  } else {
    run_kernel(
        static_cast<std::uint64_t>(clock_hz_ * (kind_ == HogKind::busy ? kBusySeconds : seconds)));
  }
  ASSAY_CUDA(cudaStreamSynchronize(stream_.get()));
  ASSAY_CUDA(cudaStreamSynchronize(other_stream_.get()));
  if (kind_ == HogKind::busy) std::this_thread::sleep_for(kBusyPause);
}

}  // namespace assay
