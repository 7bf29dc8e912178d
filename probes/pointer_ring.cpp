// SPDX-License-Identifier: Apache-2.0
// In which order does a latency chase visit its lines, and where must it end?
#include "probes/pointer_ring.h"

#include <numeric>
#include <stdexcept>
#include <utility>

namespace assay {
namespace {

/// splitmix64: the state is a counter, so a step does not wait for the previous one's multiplies.
std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

std::vector<std::uint32_t> single_cycle(std::uint32_t count, std::uint64_t seed) {
  if (count == 0) throw std::invalid_argument("a pointer ring needs at least one place");
  std::vector<std::uint32_t> next(count);
  std::iota(next.begin(), next.end(), 0u);
  for (std::uint32_t i = count - 1; i > 0; --i) {
    // Strictly below i: choosing i itself would be Fisher-Yates, which makes several cycles.
    const std::uint64_t high = splitmix64(seed) >> 32;
    std::swap(next[i], next[static_cast<std::uint32_t>((high * i) >> 32)]);
  }
  return next;
}

std::vector<std::uint32_t> visiting_order(const std::vector<std::uint32_t>& next) {
  std::vector<std::uint32_t> order;
  order.reserve(next.size());
  std::uint32_t place = 0;
  do {
    if (place >= next.size() || order.size() == next.size()) {
      throw std::invalid_argument("the successors are not one cycle through all places");
    }
    order.push_back(place);
    place = next[place];
  } while (place != 0);
  if (order.size() != next.size()) {
    throw std::invalid_argument("the successors are not one cycle through all places");
  }
  return order;
}

std::uint32_t follow(const std::vector<std::uint32_t>& next, std::uint32_t start,
                     std::uint64_t steps) {
  for (std::uint64_t step = 0; step < steps; ++step) start = next[start];
  return start;
}

}  // namespace assay
