// SPDX-License-Identifier: Apache-2.0
// Which address does a given thread touch? One formula, run by the kernels and by their checks.
#pragma once

#include <cstdint>
#include <vector>

#ifdef __CUDACC__
#define ASSAY_HOST_DEVICE __host__ __device__
#else
#define ASSAY_HOST_DEVICE
#endif

namespace assay {

/// A bijection of 32-bit words that looks random (two multiplies, three shifts).
ASSAY_HOST_DEVICE constexpr std::uint32_t mix32(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

/// The word, of `words`, that gather number `gather` reads.
ASSAY_HOST_DEVICE constexpr std::uint32_t gather_index(std::uint32_t gather, std::uint32_t salt,
                                                       std::uint32_t words) {
  return static_cast<std::uint32_t>((std::uint64_t{mix32(gather ^ salt)} * words) >> 32);
}

/// The address, of a power of two (`mask` + 1), that `thread` adds to in its add number `add`.
/// Unlike lanes start at unlike addresses, so nothing can merge a warp's adds before they run.
ASSAY_HOST_DEVICE constexpr std::uint32_t add_address(std::uint32_t thread, std::uint32_t add,
                                                      std::uint32_t salt, std::uint32_t mask) {
  return (mix32(thread ^ salt) + add) & mask;
}

/// The first 16-byte vector that `block` of `blocks` (at most 2^11) touches in a set of `vectors`
/// (a multiple of 32, at most 2^26): spread evenly, so that no two blocks want one line at one time
/// and get it for the price of one.
ASSAY_HOST_DEVICE constexpr std::uint32_t first_vector(std::uint32_t block, std::uint32_t blocks,
                                                       std::uint32_t vectors) {
  return block * (vectors / 32) / blocks * 32;
}

/// `at` moved on by `by` (at most `vectors`), from the end of the set to its start.
ASSAY_HOST_DEVICE constexpr std::uint32_t wrapped(std::uint32_t at, std::uint32_t by,
                                                  std::uint32_t vectors) {
  return at + by >= vectors ? at + by - vectors : at + by;
}

/// What `thread` adds each time where integers are added: 1 to 8, not known to the compiler, which
/// could otherwise count a warp's lanes and add once.
ASSAY_HOST_DEVICE constexpr std::uint32_t add_value(std::uint32_t thread, std::uint32_t salt) {
  return 1 + (mix32(thread + salt) >> 29);
}

/// A thread that adds `value` to address `first` and to those after it, one each time.
struct Adder {
  std::uint32_t first;
  std::uint32_t value;
};
/// What `adds` adds by each of the adders leave at each of `addresses` (a power of two).
std::vector<std::uint64_t> sums_per_address(const std::vector<Adder>& adders, std::uint32_t adds,
                                            std::uint32_t addresses);

/// How many of `threads` x `adds` adds fall on each of `addresses` (a power of two).
std::vector<std::uint64_t> adds_per_address(std::uint32_t threads, std::uint32_t adds,
                                            std::uint32_t salt, std::uint32_t addresses);

/// The most adds per thread, at most `wanted`, for which no address collects more than 2^24 of
/// them, beyond which a float cannot count by ones. 0 when even one is too many.
std::uint32_t countable_adds(std::uint32_t threads, std::uint32_t wanted, std::uint32_t salt,
                             std::uint32_t addresses);

}  // namespace assay

#undef ASSAY_HOST_DEVICE
