// SPDX-License-Identifier: Apache-2.0
// What must every word of a memory under test hold, and in which order are the patterns written and
// checked? Run by the kernel and by its tests.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#ifdef __CUDACC__
#define ASSAY_HOST_DEVICE __host__ __device__
#else
#define ASSAY_HOST_DEVICE
#endif

namespace assay {

enum class PatternKind : std::uint32_t {
  address,   ///< each word holds its own byte offset: finds lines that answer for one another
  constant,  ///< each word holds `value`: with its inverse in turn, finds cells that stick
  random,    ///< each word holds a hash of its place and `value`: finds what depends on neighbours
};

struct MemoryPattern {
  PatternKind kind = PatternKind::address;
  std::uint64_t value = 0;
  bool operator==(const MemoryPattern&) const = default;
};

/// A bijection of 64-bit words that looks random (the finaliser of splitmix64).
ASSAY_HOST_DEVICE constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// What the 8-byte word number `index` holds under `pattern`.
ASSAY_HOST_DEVICE constexpr std::uint64_t pattern_word(const MemoryPattern& pattern,
                                                       std::uint64_t index) {
  if (pattern.kind == PatternKind::address) return index * sizeof(std::uint64_t);
  if (pattern.kind == PatternKind::constant) return pattern.value;
  return mix64(index ^ pattern.value);
}

/// One sweep: every word is checked against `check`, then `write` is put there.
struct PatternSweep {
  std::optional<MemoryPattern> check;
  std::optional<MemoryPattern> write;
  bool from_end = false;  ///< the sweep starts at the last word
};

/// Address-in-address, moving inversions of `constants` (each value and its inverse, upwards, then
/// downwards) and random words, chained: what one sweep writes is what the next one checks. The
/// first sweep only writes, the last one only checks.
std::vector<PatternSweep> pattern_sweeps(const std::vector<std::uint64_t>& constants,
                                         std::uint64_t seed);

/// Values for moving inversions: checkered bits, and `walking` of the eight positions of one set
/// bit in each byte.
std::vector<std::uint64_t> inversion_values(int walking);

/// How much to test: `share` of `free_bytes`, at most `limit`, whole 2 MiB pages; nullopt when that
/// is less than eight times the L2, in which the errors of DRAM would not show.
std::optional<std::uint64_t> health_bytes(std::uint64_t free_bytes, double share,
                                          std::uint64_t limit, std::uint64_t l2_bytes);

}  // namespace assay

#undef ASSAY_HOST_DEVICE
