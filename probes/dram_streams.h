// SPDX-License-Identifier: Apache-2.0
// Which kernels and commands stream through device memory, and how is one call enqueued?
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <cuda_runtime_api.h>

#include "probes/harness/resources.h"

namespace assay {

inline constexpr std::uint32_t kStreamSalt = 0x5eed1234u;
inline constexpr float kTriadScale = 0.4f;
inline constexpr int kMemsetByte = 0x5a;

__host__ __device__ inline std::uint32_t fold(const uint4& v) {
  return v.x ^ v.y ^ v.z ^ v.w;
}

/// What the write kernel stores at vector `i`: ~0 in `mask` for different words, 0 for zeros.
__host__ __device__ inline uint4 stream_pattern(std::uint32_t i, std::uint32_t mask) {
  return {i & mask, ~i & mask, (i * 0x9e3779b1u) & mask, (i ^ kStreamSalt) & mask};
}

/// The three streams and the word that a reading kernel may write. Kernels write to a and read
/// from b and c.
struct Streams {
  explicit Streams(std::uint64_t stream_bytes);
  std::uint64_t bytes() const { return a.bytes(); }
  /// Allocated in this order: where the stream that is written comes first, a triad moves 0.3 %
  /// less (4390 for 4403 GB/s, H200, nine runs of each order in turn).
  DeviceBuffer<float> b, c, a;
  DeviceBuffer<std::uint32_t> sink;
};

/// nullopt when the memory that was free a moment ago is not any more.
std::optional<Streams> allocate_streams(std::uint64_t stream_bytes);
/// Random words into a, random floats into b and c.
void fill(const Streams& streams);

// Reading kernels store a thread's fold when it equals `guard`.
void enqueue_read(const Streams& streams, std::uint32_t guard, cudaStream_t stream);
/// The same kernel over stream a.
void enqueue_read_of_a(const Streams& streams, std::uint32_t guard, cudaStream_t stream);
/// Compute capability 9.0 and up.
void enqueue_bulk_read(const Streams& streams, std::uint32_t guard, cudaStream_t stream);
void enqueue_gather_4b(const Streams& streams, std::uint32_t guard, cudaStream_t stream);
void enqueue_gather_16b(const Streams& streams, std::uint32_t guard, cudaStream_t stream);
void enqueue_gather_128b(const Streams& streams, std::uint32_t guard, cudaStream_t stream);

void enqueue_write(const Streams& streams, std::uint32_t mask, cudaStream_t stream);
void enqueue_copy(const Streams& streams, cudaStream_t stream);
void enqueue_triad_4b(const Streams& streams, cudaStream_t stream);
void enqueue_triad_8b(const Streams& streams, cudaStream_t stream);
void enqueue_triad_16b(const Streams& streams, cudaStream_t stream);
void enqueue_copy_engine(const Streams& streams, cudaStream_t stream);
void enqueue_memset(const Streams& streams, int byte, cudaStream_t stream);

}  // namespace assay
