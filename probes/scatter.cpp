// SPDX-License-Identifier: Apache-2.0
// How many adds must each address have collected?
#include "probes/scatter.h"

#include <algorithm>

namespace assay {

std::vector<std::uint64_t> adds_per_address(std::uint32_t threads, std::uint32_t adds,
                                            std::uint32_t salt, std::uint32_t addresses) {
  // A thread covers `adds` addresses in a row: whole rounds, then an arc. Arcs are summed by their
  // ends, because walking each of them would take seconds.
  const std::uint32_t mask = addresses - 1;
  const std::uint32_t arc = adds & mask;
  std::vector<std::int64_t> starts_less_ends(addresses + 1, 0);
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    const std::uint32_t first = add_address(thread, 0, salt, mask);
    const std::uint32_t end = first + arc;
    ++starts_less_ends[first];
    --starts_less_ends[std::min(end, addresses)];
    if (end > addresses) {
      ++starts_less_ends[0];
      --starts_less_ends[end - addresses];
    }
  }
  std::vector<std::uint64_t> totals(addresses);
  std::int64_t open = 0;
  const std::uint64_t rounds = std::uint64_t{threads} * (adds / addresses);
  for (std::uint32_t address = 0; address < addresses; ++address) {
    open += starts_less_ends[address];
    totals[address] = rounds + static_cast<std::uint64_t>(open);
  }
  return totals;
}

std::uint32_t countable_adds(std::uint32_t threads, std::uint32_t wanted, std::uint32_t salt,
                             std::uint32_t addresses) {
  constexpr std::uint64_t kLargestCount = std::uint64_t{1} << 24;
  for (std::uint32_t adds = wanted; adds > 0; adds /= 2) {
    const auto totals = adds_per_address(threads, adds, salt, addresses);
    if (*std::max_element(totals.begin(), totals.end()) <= kLargestCount) return adds;
  }
  return 0;
}

}  // namespace assay
