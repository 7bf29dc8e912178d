// SPDX-License-Identifier: Apache-2.0
// How much memory must a memory probe touch, and how many bytes does one call of each kernel count?
#include "probes/memory_plan.h"

#include <algorithm>

namespace assay {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kGiB = 1024 * kMiB;
constexpr std::uint64_t kPage = 2 * kMiB;
constexpr std::uint64_t kL2Multiple = 8;
constexpr double kCallSeconds = 0.9e-3;

std::uint64_t round_down(std::uint64_t bytes, std::uint64_t granule) {
  return bytes / granule * granule;
}

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t granule) {
  return round_down(bytes + granule - 1, granule);
}

/// `wanted`, raised to eight times the L2 and lowered to `limit`; nullopt when these two collide.
std::optional<std::uint64_t> beyond_l2(std::uint64_t wanted, std::uint64_t limit,
                                       std::uint64_t l2_bytes) {
  const std::uint64_t least = round_up(kL2Multiple * l2_bytes, kPage);
  const std::uint64_t most = round_down(limit, kPage);
  if (l2_bytes == 0 || least > most) return std::nullopt;
  return std::clamp(round_down(wanted, kPage), least, most);
}

}  // namespace

std::optional<std::uint64_t> dram_stream_bytes(std::uint64_t free_bytes, std::uint64_t l2_bytes,
                                               double peak_bytes_per_s) {
  const double in_one_call = peak_bytes_per_s * kCallSeconds;
  const bool known = in_one_call > 0.0 && in_one_call < static_cast<double>(4 * kGiB);
  const std::uint64_t unknown = peak_bytes_per_s > 0.0 ? 4 * kGiB : kGiB;
  const std::uint64_t wanted = known ? static_cast<std::uint64_t>(in_one_call) : unknown;
  return beyond_l2(wanted, std::min(4 * kGiB, free_bytes / 4), l2_bytes);
}

std::optional<std::uint64_t> dram_ring_bytes(std::uint64_t free_bytes, std::uint64_t l2_bytes) {
  return beyond_l2(kGiB, std::min(4 * kGiB, free_bytes / 2), l2_bytes);
}

std::optional<std::uint64_t> l2_set_bytes(std::uint64_t l2_bytes) {
  const std::uint64_t wanted = std::clamp(l2_bytes / 4, 512 * kKiB, 16 * kMiB);
  const std::uint64_t set = round_down(std::min(wanted, l2_bytes / 2), 4 * kKiB);
  if (set == 0) return std::nullopt;
  return set;
}

std::optional<std::uint64_t> l2_ring_bytes(std::uint64_t l2_bytes) {
  const std::uint64_t ring = round_down(std::min(2 * kMiB, l2_bytes / 4), 4 * kKiB);
  if (ring == 0) return std::nullopt;
  return ring;
}

std::uint64_t gathers_per_call(std::uint64_t stream_bytes, std::uint64_t row_bytes) {
  constexpr std::uint64_t kVector = 16;
  const bool is_word = row_bytes < kVector;
  const std::uint64_t threads = is_word ? kStreamThreads : kStreamThreads * kVector / row_bytes;
  const std::uint64_t block = threads * (is_word ? kGathersPerThread : kRowGathersPerThread);
  const std::uint64_t share = is_word ? 16 : row_bytes == kVector ? 8 : 2;
  return std::max(block, round_down(stream_bytes / row_bytes / share, block));
}

std::uint64_t bytes_per_call(StreamKernel kernel, std::uint64_t stream_bytes) {
  switch (kernel) {
    case StreamKernel::read:
    case StreamKernel::write:
      return stream_bytes;
    case StreamKernel::copy:
      return 2 * stream_bytes;
    case StreamKernel::triad:
      return 3 * stream_bytes;
    case StreamKernel::gather_4b:
      return 4 * gathers_per_call(stream_bytes, 4);
    case StreamKernel::gather_16b:
      return 16 * gathers_per_call(stream_bytes, 16);
    case StreamKernel::gather_128b:
      return 128 * gathers_per_call(stream_bytes, 128);
  }
  return 0;
}

std::uint32_t steps_per_block(std::uint64_t set_bytes, std::uint64_t step_bytes,
                              std::uint32_t blocks, std::uint32_t passes) {
  const std::uint64_t wave = step_bytes * blocks;
  return static_cast<std::uint32_t>((set_bytes * passes + wave - 1) / wave);
}

}  // namespace assay
