// SPDX-License-Identifier: Apache-2.0
// Which SMs computed tiles, and which of them computed wrong ones?
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay {

class TileSummary {
 public:
  /// One round: the SM that computed each tile, and how many of its elements were wrong.
  /// Throws std::invalid_argument when the two differ in length.
  void add(const std::vector<std::uint32_t>& sm_of_tile,
           const std::vector<std::uint32_t>& wrong_of_tile);

  std::int64_t tiles() const { return tiles_; }
  std::int64_t wrong_elements() const;
  int sms_covered() const { return static_cast<int>(wrong_of_sm_.size()); }
  /// One sentence: which SMs (%smid) computed wrong elements, the worst first; at most 16 of them.
  std::string note() const;

 private:
  std::int64_t tiles_ = 0;
  std::map<std::uint32_t, std::int64_t> wrong_of_sm_;
};

}  // namespace assay
