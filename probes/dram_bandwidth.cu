// SPDX-License-Identifier: Apache-2.0
// How many bytes a second does the device memory move: reading, writing, copying, by triads of
// three access widths, and by random words?
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "probes/harness/probe.h"
#include "probes/memory_plan.h"
#include "probes/scatter.h"

namespace assay {
namespace {

constexpr std::uint32_t kSalt = 0x5eed1234u;
constexpr float kScale = 0.4f;
constexpr int kTileVectors = kStreamThreads * kReadsPerThread;

__host__ __device__ std::uint32_t fold(const uint4& v) {
  return v.x ^ v.y ^ v.z ^ v.w;
}

/// What the write kernel stores at vector `i`.
__host__ __device__ uint4 pattern(std::uint32_t i) {
  return make_uint4(i, ~i, i * 0x9e3779b1u, i ^ kSalt);
}

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

__global__ void __launch_bounds__(kStreamThreads) write_16b(uint4* data) {
  const std::size_t i = element_index();
  __stcs(data + i, pattern(static_cast<std::uint32_t>(i)));
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

__global__ void __launch_bounds__(kStreamThreads)
    gather_4b(const std::uint32_t* data, std::uint32_t words, std::uint32_t guard,
              std::uint32_t* sink) {
  const std::uint32_t first = static_cast<std::uint32_t>(element_index()) * kGathersPerThread;
  std::uint32_t v[kGathersPerThread];
#pragma unroll
  for (int j = 0; j < kGathersPerThread; ++j) {
    v[j] = __ldcg(data + gather_index(first + j, kSalt, words));
  }
  std::uint32_t seen = 0;
#pragma unroll
  for (int j = 0; j < kGathersPerThread; ++j) seen ^= v[j];
  if (seen == guard) *sink = seen;
}

/// The three streams and the word that a reading kernel may write.
struct Streams {
  explicit Streams(std::uint64_t stream_bytes)
      : a(stream_bytes / sizeof(float)),
        b(stream_bytes / sizeof(float)),
        c(stream_bytes / sizeof(float)),
        sink(1) {}
  std::uint64_t bytes() const { return a.bytes(); }
  DeviceBuffer<float> a, b, c;
  DeviceBuffer<std::uint32_t> sink;
};

/// nullopt when the memory that was free a moment ago is not any more.
std::optional<Streams> allocate(std::uint64_t stream_bytes) {
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

template <typename T>
unsigned blocks_for(const Streams& streams, int elements_per_thread) {
  const std::uint64_t per_block = sizeof(T) * kStreamThreads * std::uint64_t(elements_per_thread);
  return static_cast<unsigned>(streams.bytes() / per_block);
}

void enqueue_read(const Streams& streams, std::uint32_t guard, cudaStream_t stream) {
  read_16b<<<blocks_for<uint4>(streams, kReadsPerThread), kStreamThreads, 0, stream>>>(
      reinterpret_cast<const uint4*>(streams.b.data()), guard, streams.sink.data());
  ASSAY_CUDA(cudaGetLastError());
}

void enqueue_write(const Streams& streams, cudaStream_t stream) {
  write_16b<<<blocks_for<uint4>(streams, 1), kStreamThreads, 0, stream>>>(
      reinterpret_cast<uint4*>(streams.a.data()));
  ASSAY_CUDA(cudaGetLastError());
}

void enqueue_copy(const Streams& streams, cudaStream_t stream) {
  copy_16b<<<blocks_for<uint4>(streams, 1), kStreamThreads, 0, stream>>>(
      reinterpret_cast<uint4*>(streams.a.data()), reinterpret_cast<const uint4*>(streams.b.data()));
  ASSAY_CUDA(cudaGetLastError());
}

template <typename T>
void enqueue_triad(const Streams& streams, cudaStream_t stream) {
  triad_kernel<T><<<blocks_for<T>(streams, 1), kStreamThreads, 0, stream>>>(
      reinterpret_cast<T*>(streams.a.data()), reinterpret_cast<const T*>(streams.b.data()),
      reinterpret_cast<const T*>(streams.c.data()), kScale);
  ASSAY_CUDA(cudaGetLastError());
}

void enqueue_gather(const Streams& streams, std::uint32_t guard, cudaStream_t stream) {
  const std::uint64_t blocks =
      gathers_per_call(streams.bytes()) / (std::uint64_t{kStreamThreads} * kGathersPerThread);
  gather_4b<<<static_cast<unsigned>(blocks), kStreamThreads, 0, stream>>>(
      reinterpret_cast<const std::uint32_t*>(streams.b.data()),
      static_cast<std::uint32_t>(streams.b.size()), guard, streams.sink.data());
  ASSAY_CUDA(cudaGetLastError());
}

/// `count` objects of the stream from object `first` on.
template <typename T>
std::vector<T> slice(const DeviceBuffer<float>& stream, std::size_t first, std::size_t count) {
  std::vector<T> host(count);
  ASSAY_CUDA(cudaMemcpy(host.data(), reinterpret_cast<const T*>(stream.data()) + first,
                        count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

void require(bool right, const std::string& what, std::size_t element) {
  if (!right) throw WrongResult(what + " is wrong at element " + std::to_string(element));
}

/// Where results are checked: the start, the middle and the end of `elements`.
constexpr std::size_t kChecked = 1024;
std::array<std::size_t, 3> checked_places(std::size_t elements) {
  return {0, elements / 2, elements - kChecked};
}

void check_write(const Streams& streams) {
  for (const std::size_t first : checked_places(streams.bytes() / sizeof(uint4))) {
    const auto got = slice<uint4>(streams.a, first, kChecked);
    for (std::size_t i = 0; i < kChecked; ++i) {
      const uint4 want = pattern(static_cast<std::uint32_t>(first + i));
      require(got[i].x == want.x && got[i].y == want.y && got[i].z == want.z && got[i].w == want.w,
              "DRAM write", first + i);
    }
  }
}

void check_copy(const Streams& streams) {
  for (const std::size_t first : checked_places(streams.a.size())) {
    const auto got = slice<std::uint32_t>(streams.a, first, kChecked);
    const auto want = slice<std::uint32_t>(streams.b, first, kChecked);
    for (std::size_t i = 0; i < kChecked; ++i) require(got[i] == want[i], "DRAM copy", first + i);
  }
}

void check_triad(const Streams& streams) {
  for (const std::size_t first : checked_places(streams.a.size())) {
    const auto a = slice<float>(streams.a, first, kChecked);
    const auto b = slice<float>(streams.b, first, kChecked);
    const auto c = slice<float>(streams.c, first, kChecked);
    for (std::size_t i = 0; i < kChecked; ++i) {
      require(a[i] == std::fma(kScale, c[i], b[i]), "DRAM triad", first + i);
    }
  }
}

/// Proves that a reading kernel's guard hangs on every load of its last thread: given the word
/// which that thread must arrive at, the kernel has to report it.
template <typename Launch>
void check_guard(const Streams& streams, std::uint32_t expected, const char* what,
                 const Launch& launch) {
  const Stream stream = make_stream();
  const int other = static_cast<int>(~expected & 0xff);
  ASSAY_CUDA(cudaMemsetAsync(streams.sink.data(), other, sizeof expected, stream.get()));
  launch(streams, expected, stream.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  if (streams.sink.download().front() != expected) {
    throw WrongResult(std::string(what) + ": the last thread did not read what lies in memory");
  }
}

void check_read(const Streams& streams) {
  const std::size_t tile = streams.bytes() / sizeof(uint4) - kTileVectors;
  const auto vectors = slice<uint4>(streams.b, tile, kTileVectors);
  std::uint32_t expected = 0;
  for (int j = 1; j <= kReadsPerThread; ++j) expected ^= fold(vectors[j * kStreamThreads - 1]);
  check_guard(streams, expected, "DRAM read", enqueue_read);
}

void check_gather(const Streams& streams) {
  const auto words = static_cast<std::uint32_t>(streams.b.size());
  const auto end = static_cast<std::uint32_t>(gathers_per_call(streams.bytes()));
  std::uint32_t expected = 0;
  for (std::uint32_t gather = end - kGathersPerThread; gather < end; ++gather) {
    expected ^= slice<std::uint32_t>(streams.b, gather_index(gather, kSalt, words), 1).front();
  }
  check_guard(streams, expected, "DRAM gather", enqueue_gather);
}

struct Kernel {
  const char* key;
  const char* method;
  StreamKernel counts;
  void (*enqueue)(const Streams&, cudaStream_t);
  void (*check)(const Streams&);
};

constexpr std::array kKernels{
    Kernel{"read",
           "16 B ld.global.cs, 4 in flight per thread, 256 threads, one 16 KiB tile a block",
           StreamKernel::read, [](const Streams& s, cudaStream_t q) { enqueue_read(s, kSalt, q); },
           check_read},
    Kernel{"write", "16 B st.global.cs, one per thread, 256 threads", StreamKernel::write,
           enqueue_write, check_write},
    Kernel{"copy",
           "16 B ld.global.cs and st.global.cs, one per thread, 256 threads; read + written",
           StreamKernel::copy, enqueue_copy, check_copy},
    Kernel{"triad_4B", "a = b + s*c, one float per thread, 256 threads; read + written",
           StreamKernel::triad, enqueue_triad<float>, check_triad},
    Kernel{"triad_8B", "a = b + s*c, one float2 per thread, 256 threads; read + written",
           StreamKernel::triad, enqueue_triad<float2>, check_triad},
    Kernel{"triad_16B", "a = b + s*c, one float4 per thread, 256 threads; read + written",
           StreamKernel::triad, enqueue_triad<float4>, check_triad},
    Kernel{"gather_4B",
           "4 B ld.global.cg at hashed addresses over the whole stream, 16 in flight per thread; "
           "useful bytes only",
           StreamKernel::gather,
           [](const Streams& s, cudaStream_t q) { enqueue_gather(s, kSalt, q); }, check_gather},
};

constexpr const char* kSetMethod =
    "bytes of one stream, the smallest set that a reading kernel covers; at least 8 x L2";

/// Stated peak in bytes per second; 0 where the driver does not say.
double stated_peak(const Device& device) {
  const double khz = device.attribute(cudaDevAttrMemoryClockRate);
  const double bits = device.attribute(cudaDevAttrGlobalMemoryBusWidth);
  return 2.0 * khz * 1e3 * bits / 8.0;
}

Measurements nothing_available(const std::string& detail) {
  Measurements out;
  const NullReason reason{NullKind::not_available, detail};
  for (const Kernel& kernel : kKernels) {
    out.add(std::string("dram_bw.") + kernel.key, absent(Unit::gb_per_s, kernel.method, reason));
  }
  out.add("dram_bw.working_set_bytes", absent(Unit::bytes, kSetMethod, reason));
  return out;
}

SlopeOptions slope_options(Level level) {
  SlopeOptions options;
  options.samples = level == Level::quick ? 7 : 31;
  return options;
}

Fact measure(const Device& device, const Streams& streams, const Kernel& kernel) {
  const Timing timing = time_slope(
      device, [&](cudaStream_t stream) { kernel.enqueue(streams, stream); },
      slope_options(device.level()));
  kernel.check(streams);
  const double bytes = static_cast<double>(bytes_per_call(kernel.counts, streams.bytes()));
  return rate(timing, bytes, Unit::gb_per_s, kernel.method);
}

}  // namespace

Measurements run_probe(const Device& device) {
  const auto bytes = dram_stream_bytes(device.free_bytes(), device.l2_bytes(), stated_peak(device));
  if (!bytes) return nothing_available("free memory does not hold three streams of 8 x L2");
  const auto streams = allocate(*bytes);
  if (!streams) return nothing_available("the free memory was taken before it could be used");
  fill(*streams);

  Measurements out;
  for (const Kernel& kernel : kKernels) {
    out.add(std::string("dram_bw.") + kernel.key, measure(device, *streams, kernel));
  }
  out.add("dram_bw.working_set_bytes",
          derived(static_cast<double>(*bytes), Unit::bytes, kSetMethod));
  return out;
}

}  // namespace assay
