// SPDX-License-Identifier: Apache-2.0
// One sum of products, D = sum a[k] * b[k] + c, as the bits that go into an instruction and come
// out: the question that the numerics ask a path.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace assay {

inline constexpr int kMostLanes = 32;  ///< along k, of one instruction

struct DotCase {
  std::uint64_t a[kMostLanes] = {};  ///< of a sparse A the stored elements
  std::uint64_t b[kMostLanes] = {};
  std::uint64_t c = 0;
  std::uint32_t metadata = 0;  ///< which elements a sparse A stores
};

struct DotResult {
  std::uint64_t d = 0;
  std::uint32_t differing = 0;  ///< elements of the instruction's D that are not d: must be 0
};

/// Runs every case in every row and column of one instruction. Throws CudaError, and WrongResult
/// when elements of D that must agree differ.
using DotRunner = std::function<std::vector<std::uint64_t>(const std::vector<DotCase>&)>;

}  // namespace assay
