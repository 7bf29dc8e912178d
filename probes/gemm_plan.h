// SPDX-License-Identifier: Apache-2.0
// Where is the vendor's matrix library, how large a product does it get, and how much work is that?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// The library's files in the order in which they are tried: ASSAY_LIBCUBLAS alone where it is set,
/// else the versions that we know by the loader's own search, then in the toolkit's usual folder.
std::vector<std::string> cublas_candidates();

/// One kind of product: square, both operands stored along the summed index.
struct GemmSize {
  int most_side = 8192;
  int in_bytes = 2;   ///< of one element of an operand
  int out_bytes = 2;  ///< of one element of the result
};

/// Bytes of two operands and the result.
std::uint64_t gemm_bytes(const GemmSize& size, int side);

/// Multiplications and additions of one product of that side.
double gemm_flops(int side);

/// The largest side, the most one halved until it fits into a quarter of the free memory; nullopt
/// when not even kLeastSide does.
std::optional<int> fitting_side(const GemmSize& size, std::uint64_t free_bytes);

/// The side for calls of at most `most_seconds` when one of `side` takes `seconds`: halved, each
/// time for an eighth of the work, but never below kLeastSide.
int timely_side(int side, double seconds, double most_seconds);

/// Below it a product does not fill a large device.
inline constexpr int kLeastSide = 1024;

/// "13.1.0" from the library's number 130100 (or 120805: "12.8.5").
std::string cublas_version_text(std::size_t number);

}  // namespace assay
