// SPDX-License-Identifier: Apache-2.0
// Which kernels and commands stream through device memory, and how is one call enqueued?
#include <cuda_runtime.h>

#include "probes/bulk_copy.cuh"
#include "probes/dram_streams.h"
#include "probes/memory_plan.h"
#include "probes/scatter.h"

namespace assay {
namespace {

constexpr int kWideTriadThreads = 1024;
constexpr int kTileVectors = kStreamThreads * kReadsPerThread;

__device__ std::size_t element_index() {
  return std::size_t{blockIdx.x} * kStreamThreads + threadIdx.x;
}

// The reading kernels fold all that a thread loads into one word and store it when it equals
// `guard`, a value known at run time only: the compiler can drop no load, and next to nothing is
// stored.

__global__ void __launch_bounds__(kStreamThreads)
    read_16b(const uint4* data, std::uint32_t guard, std::uint32_t* sink) {
  const uint4* mine = data + std::size_t{blockIdx.x} * kTileVectors + threadIdx.x;
  uint4 v[kReadsPerThread];
#pragma unroll
  for (int j = 0; j < kReadsPerThread; ++j) v[j] = __ldcs(mine + j * kStreamThreads);
  std::uint32_t seen = 0;
#pragma unroll
  for (int j = 0; j < kReadsPerThread; ++j) seen ^= fold(v[j]);
  if (seen == guard) *sink = seen;
}

/// One tile a block, all of its chunks under way at once; then every thread folds its share.
__global__ void __launch_bounds__(kBulkThreads)
    read_bulk(const uint4* data, std::uint32_t guard, std::uint32_t* sink) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __shared__ alignas(128) uint4 tile[kBulkChunks][kBulkChunkVectors];
  __shared__ std::uint64_t arrived[kBulkChunks];
  const uint4* mine = data + std::size_t{blockIdx.x} * kBulkChunks * kBulkChunkVectors;
  if (threadIdx.x == 0) {
    for (int c = 0; c < kBulkChunks; ++c) init_arrival(&arrived[c]);
    publish_arrivals();
#pragma unroll
    for (int c = 0; c < kBulkChunks; ++c) {
      start_bulk_copy(tile[c], mine + c * kBulkChunkVectors, sizeof tile[c], &arrived[c]);
    }
  }
  __syncthreads();
  std::uint32_t seen = 0;
  for (int c = 0; c < kBulkChunks; ++c) {
    wait_for_arrival(&arrived[c]);
#pragma unroll
    for (int i = 0; i < kBulkChunkVectors; i += kBulkThreads)
      seen ^= fold(tile[c][i + threadIdx.x]);
  }
  if (seen == guard) *sink = seen;
#endif
}

__global__ void __launch_bounds__(kStreamThreads) write_16b(uint4* data, std::uint32_t mask) {
  const std::size_t i = element_index();
  __stcs(data + i, stream_pattern(static_cast<std::uint32_t>(i), mask));
}

__global__ void __launch_bounds__(kStreamThreads) copy_16b(uint4* to, const uint4* from) {
  const std::size_t i = element_index();
  __stcs(to + i, __ldcs(from + i));
}

__device__ float triad(float b, float c, float s) {
  return fmaf(s, c, b);
}
__device__ float2 triad(float2 b, float2 c, float s) {
  return make_float2(triad(b.x, c.x, s), triad(b.y, c.y, s));
}
__device__ float4 triad(float4 b, float4 c, float s) {
  return make_float4(triad(b.x, c.x, s), triad(b.y, c.y, s), triad(b.z, c.z, s),
                     triad(b.w, c.w, s));
}

template <typename T>
__global__ void __launch_bounds__(kStreamThreads)
    triad_kernel(T* a, const T* b, const T* c, float s) {
  const std::size_t i = element_index();
  __stcs(a + i, triad(__ldcs(b + i), __ldcs(c + i), s));
}

/// Whole SMs at a time, and only what is written marked to leave the L2 first: 0.2 % more than by
/// the kernel above, where the L2 and not the width of the access is what limits.
__global__ void __launch_bounds__(kWideTriadThreads)
    wide_triad(float4* a, const float4* b, const float4* c, float s) {
  const std::size_t i = std::size_t{blockIdx.x} * kWideTriadThreads + threadIdx.x;
  __stcs(a + i, triad(b[i], c[i], s));
}

__global__ void __launch_bounds__(kStreamThreads)
    gather_4b(const std::uint32_t* data, std::uint32_t words, std::uint32_t guard,
              std::uint32_t* sink) {
  const std::uint32_t first = static_cast<std::uint32_t>(element_index()) * kGathersPerThread;
  std::uint32_t v[kGathersPerThread];
#pragma unroll
  for (int j = 0; j < kGathersPerThread; ++j) {
    v[j] = __ldcg(data + gather_index(first + j, kStreamSalt, words));
  }
  std::uint32_t seen = 0;
#pragma unroll
  for (int j = 0; j < kGathersPerThread; ++j) seen ^= v[j];
  if (seen == guard) *sink = seen;
}

/// Rows of kLanes vectors; as many lanes read one together.
template <int kLanes>
__global__ void __launch_bounds__(kStreamThreads)
    gather_rows(const uint4* data, std::uint32_t rows, std::uint32_t guard, std::uint32_t* sink) {
  const std::uint32_t lane = threadIdx.x % kLanes;
  const std::uint32_t first =
      static_cast<std::uint32_t>(element_index()) / kLanes * kRowGathersPerThread;
  uint4 v[kRowGathersPerThread];
#pragma unroll
  for (int j = 0; j < kRowGathersPerThread; ++j) {
    const std::size_t row = gather_index(first + j, kStreamSalt, rows);
    v[j] = __ldcg(data + row * kLanes + lane);
  }
  std::uint32_t seen = 0;
#pragma unroll
  for (int j = 0; j < kRowGathersPerThread; ++j) seen ^= fold(v[j]);
  if (seen == guard) *sink = seen;
}

template <typename T>
T* as(const DeviceBuffer<float>& stream) {
  return reinterpret_cast<T*>(stream.data());
}

template <typename T>
unsigned blocks_for(const Streams& streams, int elements_per_thread) {
  const std::uint64_t per_block = sizeof(T) * kStreamThreads * std::uint64_t(elements_per_thread);
  return static_cast<unsigned>(streams.bytes() / per_block);
}

void enqueue_read_of(const DeviceBuffer<float>& from, const Streams& streams, std::uint32_t guard,
                     cudaStream_t stream) {
  read_16b<<<blocks_for<uint4>(streams, kReadsPerThread), kStreamThreads, 0, stream>>>(
      as<uint4>(from), guard, streams.sink.data());
  ASSAY_CUDA(cudaGetLastError());
}

template <typename T>
void enqueue_triad(const Streams& streams, cudaStream_t stream) {
  triad_kernel<T><<<blocks_for<T>(streams, 1), kStreamThreads, 0, stream>>>(
      as<T>(streams.a), as<T>(streams.b), as<T>(streams.c), kTriadScale);
  ASSAY_CUDA(cudaGetLastError());
}

template <int kLanes>
void enqueue_row_gather(const Streams& streams, std::uint32_t guard, cudaStream_t stream) {
  constexpr std::uint64_t kRowBytes = kLanes * sizeof(uint4);
  constexpr std::uint64_t kRowsPerBlock =
      std::uint64_t{kStreamThreads} * kRowGathersPerThread / kLanes;
  const auto blocks =
      static_cast<unsigned>(gathers_per_call(streams.bytes(), kRowBytes) / kRowsPerBlock);
  gather_rows<kLanes><<<blocks, kStreamThreads, 0, stream>>>(
      as<uint4>(streams.b), static_cast<std::uint32_t>(streams.bytes() / kRowBytes), guard,
      streams.sink.data());
  ASSAY_CUDA(cudaGetLastError());
}

}  // namespace

Streams::Streams(std::uint64_t stream_bytes)
    : b(stream_bytes / sizeof(float)),
      c(stream_bytes / sizeof(float)),
      a(stream_bytes / sizeof(float)),
      sink(1) {}

std::optional<Streams> allocate_streams(std::uint64_t stream_bytes) {
  try {
    return std::make_optional<Streams>(stream_bytes);
  } catch (const CudaError& error) {
    if (error.code() != cudaErrorMemoryAllocation) throw;
    static_cast<void>(cudaGetLastError());
    return std::nullopt;
  }
}

void fill(const Streams& streams) {
  const Stream stream = make_stream();
  fill_random_words(streams.a.data(), streams.a.bytes(), 1, stream.get());
  fill_random_floats(streams.b.data(), streams.b.size(), 2, stream.get());
  fill_random_floats(streams.c.data(), streams.c.size(), 3, stream.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
}

void enqueue_read(const Streams& streams, std::uint32_t guard, cudaStream_t stream) {
  enqueue_read_of(streams.b, streams, guard, stream);
}

void enqueue_read_of_a(const Streams& streams, std::uint32_t guard, cudaStream_t stream) {
  enqueue_read_of(streams.a, streams, guard, stream);
}

void enqueue_bulk_read(const Streams& streams, std::uint32_t guard, cudaStream_t stream) {
  // Without it the driver may leave room for fewer blocks than shared memory could hold. Once, and
  // so before any capture: the timer runs all work first.
  static const bool prepared = [] {
    ASSAY_CUDA(cudaFuncSetAttribute(read_bulk, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    cudaSharedmemCarveoutMaxShared));
    return true;
  }();
  static_cast<void>(prepared);
  read_bulk<<<static_cast<unsigned>(streams.bytes() / kBulkTileBytes), kBulkThreads, 0, stream>>>(
      as<uint4>(streams.b), guard, streams.sink.data());
  ASSAY_CUDA(cudaGetLastError());
}

void enqueue_gather_4b(const Streams& streams, std::uint32_t guard, cudaStream_t stream) {
  constexpr std::uint64_t kPerBlock = std::uint64_t{kStreamThreads} * kGathersPerThread;
  const auto blocks =
      static_cast<unsigned>(gathers_per_call(streams.bytes(), sizeof(std::uint32_t)) / kPerBlock);
  gather_4b<<<blocks, kStreamThreads, 0, stream>>>(as<std::uint32_t>(streams.b),
                                                   static_cast<std::uint32_t>(streams.b.size()),
                                                   guard, streams.sink.data());
  ASSAY_CUDA(cudaGetLastError());
}

void enqueue_gather_16b(const Streams& streams, std::uint32_t guard, cudaStream_t stream) {
  enqueue_row_gather<1>(streams, guard, stream);
}

void enqueue_gather_128b(const Streams& streams, std::uint32_t guard, cudaStream_t stream) {
  enqueue_row_gather<8>(streams, guard, stream);
}

void enqueue_write(const Streams& streams, std::uint32_t mask, cudaStream_t stream) {
  write_16b<<<blocks_for<uint4>(streams, 1), kStreamThreads, 0, stream>>>(as<uint4>(streams.a),
                                                                          mask);
  ASSAY_CUDA(cudaGetLastError());
}

void enqueue_copy(const Streams& streams, cudaStream_t stream) {
  copy_16b<<<blocks_for<uint4>(streams, 1), kStreamThreads, 0, stream>>>(as<uint4>(streams.a),
                                                                         as<uint4>(streams.b));
  ASSAY_CUDA(cudaGetLastError());
}

void enqueue_triad_4b(const Streams& streams, cudaStream_t stream) {
  enqueue_triad<float>(streams, stream);
}

void enqueue_triad_8b(const Streams& streams, cudaStream_t stream) {
  enqueue_triad<float2>(streams, stream);
}

void enqueue_triad_16b(const Streams& streams, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(streams.bytes() / (sizeof(float4) * kWideTriadThreads));
  wide_triad<<<blocks, kWideTriadThreads, 0, stream>>>(as<float4>(streams.a), as<float4>(streams.b),
                                                       as<float4>(streams.c), kTriadScale);
  ASSAY_CUDA(cudaGetLastError());
}

void enqueue_copy_engine(const Streams& streams, cudaStream_t stream) {
  ASSAY_CUDA(cudaMemcpyAsync(streams.a.data(), streams.b.data(), streams.bytes(),
                             cudaMemcpyDeviceToDevice, stream));
}

void enqueue_memset(const Streams& streams, int byte, cudaStream_t stream) {
  ASSAY_CUDA(cudaMemsetAsync(streams.a.data(), byte, streams.bytes(), stream));
}

}  // namespace assay
