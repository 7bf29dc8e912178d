// SPDX-License-Identifier: Apache-2.0
#include "probes/float_format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace assay {

namespace {

/// Where the mantissa starts in the container.
int shift_of(const FloatFormat& format) {
  return format.container_bits - 1 - format.exponent_bits - format.mantissa_bits;
}

std::uint64_t largest_field(const FloatFormat& format) {
  return (std::uint64_t{1} << format.exponent_bits) - 1;
}

std::uint64_t assemble(const FloatFormat& format, bool negative, std::uint64_t exponent,
                       std::uint64_t mantissa) {
  const std::uint64_t magnitude = (exponent << format.mantissa_bits) | mantissa;
  return (std::uint64_t{negative} << (format.container_bits - 1)) | (magnitude << shift_of(format));
}

}  // namespace

std::uint64_t bits_of(const FloatFormat& format, double value) {
  const bool negative = std::signbit(value);
  if (value == 0.0) {
    return assemble(format, negative, 0, 0);
  }
  if (!std::isfinite(value) || std::ilogb(value) > format.largest_exponent()) {
    throw std::domain_error("a number that the format does not hold");
  }
  const int exponent = std::max(std::ilogb(value), format.least_normal());
  // In units of the last place: up to 2^(mantissa_bits + 1), an integer when it is exact.
  const double units = std::ldexp(std::abs(value), format.mantissa_bits - exponent);
  if (units != std::floor(units)) {
    throw std::domain_error("a number that the format does not hold exactly");
  }
  const auto whole = static_cast<std::uint64_t>(units);
  const std::uint64_t hidden = std::uint64_t{1} << format.mantissa_bits;
  if (whole < hidden) {
    return assemble(format, negative, 0, whole);
  }
  const int field = exponent + format.bias();
  return assemble(format, negative, static_cast<std::uint64_t>(field), whole - hidden);
}

double value_of(const FloatFormat& format, std::uint64_t bits) {
  const std::uint64_t hidden = std::uint64_t{1} << format.mantissa_bits;
  const std::uint64_t magnitude = bits >> shift_of(format);
  const std::uint64_t mantissa = magnitude & (hidden - 1);
  const std::uint64_t field = (magnitude >> format.mantissa_bits) & largest_field(format);
  const bool negative = ((bits >> (format.container_bits - 1)) & 1) != 0;
  double value = 0.0;
  if (field == largest_field(format) && format.has_infinity) {
    value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else if (field == largest_field(format) && mantissa == hidden - 1) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (field == 0) {
    value = std::ldexp(static_cast<double>(mantissa), format.least_subnormal());
  } else {
    value = std::ldexp(static_cast<double>(hidden + mantissa),
                       static_cast<int>(field) - format.bias() - format.mantissa_bits);
  }
  return negative ? -value : value;
}

std::uint64_t nan_bits(const FloatFormat& format) {
  const std::uint64_t hidden = std::uint64_t{1} << format.mantissa_bits;
  return assemble(format, false, largest_field(format),
                  format.has_infinity ? hidden / 2 : hidden - 1);
}

std::uint64_t infinity_bits(const FloatFormat& format) {
  if (!format.has_infinity) {
    throw std::domain_error("the format has no infinity");
  }
  return assemble(format, false, largest_field(format), 0);
}

}  // namespace assay
