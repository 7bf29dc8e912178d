// SPDX-License-Identifier: Apache-2.0
// How many adds must each address have collected?
#include "probes/scatter.h"

#include <algorithm>

namespace assay {

std::vector<std::uint64_t> sums_per_address(const std::vector<Adder>& adders, std::uint32_t adds,
                                            std::uint32_t addresses) {
  // An adder covers `adds` addresses in a row: whole rounds, then an arc. Arcs are summed by their
  // ends, because walking each of them would take seconds.
  const std::uint32_t arc = adds & (addresses - 1);
  std::vector<std::int64_t> starts_less_ends(addresses + 1, 0);
  std::uint64_t in_one_round = 0;
  for (const Adder& adder : adders) {
    const std::int64_t value = adder.value;
    const std::uint32_t end = adder.first + arc;
    in_one_round += adder.value;
    starts_less_ends[adder.first] += value;
    starts_less_ends[std::min(end, addresses)] -= value;
    if (end > addresses) {
      starts_less_ends[0] += value;
      starts_less_ends[end - addresses] -= value;
    }
  }
  std::vector<std::uint64_t> sums(addresses);
  std::int64_t open = 0;
  for (std::uint32_t address = 0; address < addresses; ++address) {
    open += starts_less_ends[address];
    sums[address] = in_one_round * (adds / addresses) + static_cast<std::uint64_t>(open);
  }
  return sums;
}

std::vector<std::uint64_t> adds_per_address(std::uint32_t threads, std::uint32_t adds,
                                            std::uint32_t salt, std::uint32_t addresses) {
  std::vector<Adder> adders(threads);
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    adders[thread] = {add_address(thread, 0, salt, addresses - 1), 1};
  }
  return sums_per_address(adders, adds, addresses);
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
