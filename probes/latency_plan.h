// SPDX-License-Identifier: Apache-2.0
// Which lines must a latency chase touch to tell L2 partitions apart, and to reach past the TLBs?
#pragma once

#include <cstdint>
#include <optional>

namespace assay {

/// Bytes whose lines are mapped to L2 partitions: 8 MiB or an eighth of the L2; nullopt when the L2
/// size is unknown (0).
std::optional<std::uint64_t> l2_map_bytes(std::uint64_t l2_bytes);

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
