// SPDX-License-Identifier: Apache-2.0
// In which order does a latency chase visit its lines, and where must it end?
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

/// A random successor for each of `count` places such that following it from any place visits every
/// place once before coming back (Sattolo's shuffle: one cycle, never several). The same `seed`
/// gives the same ring. Throws std::invalid_argument when `count` is 0.
std::vector<std::uint32_t> single_cycle(std::uint32_t count, std::uint64_t seed);

/// Where a chase goes: the order of its places, and the line of memory that each of them is.
struct Route {
  std::vector<std::uint32_t> next;
  std::vector<std::uint32_t> lines = {};  ///< empty: place i is line i

  std::uint32_t line_of(std::uint32_t place) const { return lines.empty() ? place : lines[place]; }
};

/// All places in the order in which the ring `next` visits them, from place 0 on: its k-th place,
/// and where a walk that began there must be after any number of steps. Throws
/// std::invalid_argument unless `next` is one cycle.
std::vector<std::uint32_t> visiting_order(const std::vector<std::uint32_t>& next);

/// The place reached from `start` after `steps` steps.
std::uint32_t follow(const std::vector<std::uint32_t>& next, std::uint32_t start,
                     std::uint64_t steps);

}  // namespace assay
