// SPDX-License-Identifier: Apache-2.0
// What do the bits of a floating-point format of 8 to 64 bits mean?
#pragma once

#include <cstdint>

namespace assay {

struct FloatFormat {
  int exponent_bits = 0;
  int mantissa_bits = 0;     ///< that products are formed from
  int container_bits = 0;    ///< bits below `mantissa_bits` are not read (tf32)
  bool has_infinity = true;  ///< e4m3 has a NaN and no infinity

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int least_normal() const { return 1 - bias(); }  ///< as a power of two
  int least_subnormal() const { return least_normal() - mantissa_bits; }
  int largest_exponent() const { return has_infinity ? bias() : bias() + 1; }
};

inline constexpr FloatFormat kF16{5, 10, 16};
inline constexpr FloatFormat kBf16{8, 7, 16};
inline constexpr FloatFormat kTf32{8, 10, 32};
inline constexpr FloatFormat kE4m3{4, 3, 8, false};
inline constexpr FloatFormat kF32{8, 23, 32};
inline constexpr FloatFormat kF64{11, 52, 64};

/// The bits of `value`. Throws std::domain_error unless the format holds it exactly; finite only.
std::uint64_t bits_of(const FloatFormat& format, double value);
/// The number that `bits` are; NaN and infinities as themselves.
double value_of(const FloatFormat& format, std::uint64_t bits);
std::uint64_t nan_bits(const FloatFormat& format);
/// Throws std::domain_error where the format has none.
std::uint64_t infinity_bits(const FloatFormat& format);

}  // namespace assay
