// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/resources.h"

namespace assay {

namespace {

constexpr int kFillThreads = 256;
constexpr int kFillBlocks = 2048;

__device__ std::uint64_t splitmix64(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

__global__ void fill_words_kernel(std::uint64_t* words, std::size_t count, std::uint64_t seed) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    words[i] = splitmix64(i, seed);
  }
}

__global__ void fill_tail_kernel(unsigned char* bytes, std::size_t whole_words, int tail,
                                 std::uint64_t seed) {
  const std::uint64_t word = splitmix64(whole_words, seed);
  for (int i = 0; i < tail; ++i) {
    bytes[whole_words * sizeof(word) + static_cast<std::size_t>(i)] =
        static_cast<unsigned char>(word >> (8 * i));
  }
}

__global__ void fill_floats_kernel(float* values, std::size_t count, std::uint64_t seed) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    // 24 random bits: every step of 2^-23 in [-1, 1) is a float, none rounds up to 1.
    const auto bits = static_cast<std::uint32_t>(splitmix64(i, seed) >> 40);
    values[i] = static_cast<float>(bits) * 0x1p-23f - 1.0f;
  }
}

}  // namespace

Stream make_stream() {
  cudaStream_t stream = nullptr;
  ASSAY_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return Stream(stream);
}

Event make_event() {
  cudaEvent_t event = nullptr;
  ASSAY_CUDA(cudaEventCreate(&event));
  return Event(event);
}

void fill_random_words(void* device_memory, std::size_t bytes, std::uint64_t seed,
                       cudaStream_t stream) {
  const std::size_t words = bytes / sizeof(std::uint64_t);
  const int tail = static_cast<int>(bytes % sizeof(std::uint64_t));
  if (words > 0) {
    fill_words_kernel<<<kFillBlocks, kFillThreads, 0, stream>>>(
        static_cast<std::uint64_t*>(device_memory), words, seed);
    ASSAY_CUDA(cudaGetLastError());
  }
  if (tail > 0) {
    fill_tail_kernel<<<1, 1, 0, stream>>>(static_cast<unsigned char*>(device_memory), words, tail,
                                          seed);
    ASSAY_CUDA(cudaGetLastError());
  }
}

void fill_random_floats(float* device_memory, std::size_t count, std::uint64_t seed,
                        cudaStream_t stream) {
  if (count == 0) {
    return;
  }
  fill_floats_kernel<<<kFillBlocks, kFillThreads, 0, stream>>>(device_memory, count, seed);
  ASSAY_CUDA(cudaGetLastError());
}

}  // namespace assay
