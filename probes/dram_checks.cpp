// SPDX-License-Identifier: Apache-2.0
#include "probes/dram_checks.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "probes/memory_plan.h"
#include "probes/scatter.h"

namespace assay {
namespace {

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

constexpr std::size_t kChecked = 1024;
std::array<std::size_t, 3> checked_places(std::size_t elements) {
  return {0, elements / 2, elements - kChecked};
}

void check_words(const Streams& streams, std::uint32_t want, const char* what) {
  for (const std::size_t first : checked_places(streams.a.size())) {
    const auto got = slice<std::uint32_t>(streams.a, first, kChecked);
    for (std::size_t i = 0; i < kChecked; ++i) require(got[i] == want, what, first + i);
  }
}

using GuardedLaunch = void (*)(const Streams&, std::uint32_t, cudaStream_t);

/// Proves that a reading kernel's guard hangs on every load of its last thread: given the word
/// which that thread must arrive at, the kernel has to report it.
void check_guard(const Streams& streams, std::uint32_t expected, const char* what,
                 GuardedLaunch launch) {
  const Stream stream = make_stream();
  const int other = static_cast<int>(~expected & 0xff);
  ASSAY_CUDA(cudaMemsetAsync(streams.sink.data(), other, sizeof expected, stream.get()));
  launch(streams, expected, stream.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  if (streams.sink.download().front() != expected) {
    throw WrongResult(std::string(what) + ": the last thread did not read what lies in memory");
  }
}

/// The fold of the last thread of the last block, when a block of `threads` reads the stream's last
/// `count` vectors in rounds.
std::uint32_t last_fold(const Streams& streams, std::size_t count, std::size_t threads) {
  const auto vectors = slice<uint4>(streams.b, streams.bytes() / sizeof(uint4) - count, count);
  std::uint32_t folded = 0;
  for (std::size_t i = threads - 1; i < count; i += threads) folded ^= fold(vectors[i]);
  return folded;
}

void check_row_gather(const Streams& streams, std::uint32_t lanes, const char* what,
                      GuardedLaunch launch) {
  const std::uint64_t row_bytes = lanes * sizeof(uint4);
  const auto rows = static_cast<std::uint32_t>(streams.bytes() / row_bytes);
  const auto end = static_cast<std::uint32_t>(gathers_per_call(streams.bytes(), row_bytes));
  std::uint32_t expected = 0;
  for (std::uint32_t gather = end - kRowGathersPerThread; gather < end; ++gather) {
    const std::size_t row = gather_index(gather, kStreamSalt, rows);
    expected ^= fold(slice<uint4>(streams.b, row * lanes + lanes - 1, 1).front());
  }
  check_guard(streams, expected, what, launch);
}

}  // namespace

void check_write(const Streams& streams) {
  for (const std::size_t first : checked_places(streams.bytes() / sizeof(uint4))) {
    const auto got = slice<uint4>(streams.a, first, kChecked);
    for (std::size_t i = 0; i < kChecked; ++i) {
      const uint4 want = stream_pattern(static_cast<std::uint32_t>(first + i), ~0u);
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
      require(a[i] == std::fma(kTriadScale, c[i], b[i]), "DRAM triad", first + i);
    }
  }
}

void check_memset(const Streams& streams) {
  check_words(streams, kMemsetByte * 0x01010101u, "DRAM memset");
}

void check_zeros(const Streams& streams) {
  check_words(streams, 0, "DRAM write of zeros");
}

void check_read(const Streams& streams) {
  constexpr std::size_t kTileVectors = std::size_t{kStreamThreads} * kReadsPerThread;
  check_guard(streams, last_fold(streams, kTileVectors, kStreamThreads), "DRAM read", enqueue_read);
}

void check_read_zeros(const Streams& streams) {
  check_words(streams, 0, "the stream of zeros");
  check_guard(streams, 0, "DRAM read of zeros", enqueue_read_of_a);
}

void check_bulk_read(const Streams& streams) {
  check_guard(streams, last_fold(streams, kBulkTileBytes / sizeof(uint4), kBulkThreads),
              "DRAM bulk read", enqueue_bulk_read);
}

void check_gather_4b(const Streams& streams) {
  const auto words = static_cast<std::uint32_t>(streams.b.size());
  const auto end = static_cast<std::uint32_t>(gathers_per_call(streams.bytes(), sizeof(float)));
  std::uint32_t expected = 0;
  for (std::uint32_t gather = end - kGathersPerThread; gather < end; ++gather) {
    expected ^=
        slice<std::uint32_t>(streams.b, gather_index(gather, kStreamSalt, words), 1).front();
  }
  check_guard(streams, expected, "DRAM gather of 4 B", enqueue_gather_4b);
}

void check_gather_16b(const Streams& streams) {
  check_row_gather(streams, 1, "DRAM gather of 16 B", enqueue_gather_16b);
}

void check_gather_128b(const Streams& streams) {
  check_row_gather(streams, 8, "DRAM gather of 128 B", enqueue_gather_128b);
}

}  // namespace assay
