// SPDX-License-Identifier: Apache-2.0
// Which lines must a latency chase touch to tell L2 partitions apart, and to reach past the TLBs?
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace assay {

/// Bytes whose lines are mapped to L2 partitions: 8 MiB or an eighth of the L2; nullopt when the L2
/// size is unknown (0).
std::optional<std::uint64_t> l2_map_bytes(std::uint64_t l2_bytes);

/// Where lane `lane` of `lanes` begins in a ring of `places`: as far from the others as can be. An
/// index into the ring's visiting order.
std::uint32_t lane_start(std::uint32_t lane, std::uint32_t lanes, std::uint32_t places);

/// One number per SM: the middle, the least and the most; nullopt when one is missing, not positive
/// or not finite. The middle describes the device: an SM's distance to the L2 is a matter of its
/// place on the chip, and of which of its neighbours were left out of the product.
struct SmSpread {
  double middle = 0.0, least = 0.0, most = 0.0;
};
std::optional<SmSpread> spread_over_sms(const std::vector<double>& by_sm);

/// The TLB chase: lines in one ring, whatever the working set, and the size of a page.
inline constexpr std::uint32_t kTlbPlaces = 1u << 19;
inline constexpr std::uint64_t kTlbPageBytes = 2u << 20;

constexpr std::uint64_t tlb_set_bytes(std::uint32_t gib) {
  return std::uint64_t{gib} << 30;
}
/// Whether a working set of `gib` fits beside what the chase needs else: successors, lines, and
/// what empties the L2.
bool tlb_fits(std::uint64_t free_bytes, std::uint64_t l2_bytes, std::uint32_t gib);
/// The line, counted from the start of the working set, of a place of the TLB chase: as many places
/// on each of `pages` (a power of two, at most 2^19), never a page's first line, no line twice, at
/// irregular distances.
std::uint32_t tlb_line(std::uint32_t place, std::uint32_t pages);

}  // namespace assay
