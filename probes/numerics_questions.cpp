// SPDX-License-Identifier: Apache-2.0
#include "probes/numerics_questions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "probes/mma_layout.h"

namespace assay {

namespace {

constexpr int kMostBits = 100;  // no adder is as wide

double power(int exponent) {
  return std::ldexp(1.0, exponent);
}

/// The scale of the largest term: as high as two equal factors and the accumulator allow, up to
/// 2^16, so that small products stay within the normal numbers. Even.
int scale_of(const DotFormats& formats) {
  const int highest =
      std::min({2 * formats.in.largest_exponent(), formats.accumulator.largest_exponent() - 1, 16});
  return highest - highest % 2;
}

/// Puts `product` into a lane: its mantissa and half its exponent into a, the rest into b.
void put(DotCase& dot, int lane, const DotFormats& formats, double product) {
  const int exponent = std::ilogb(product);
  const int half = static_cast<int>(std::floor(exponent / 2.0));
  dot.b[lane] = bits_of(formats.in, power(half));
  dot.a[lane] = bits_of(formats.in, std::ldexp(product, -half));
}

DotCase sum_of(const DotFormats& formats, double c, const std::vector<double>& products) {
  DotCase dot;
  dot.c = bits_of(formats.accumulator, c);
  dot.metadata = sparse_metadata(0, 1);
  for (std::size_t lane = 0; lane < products.size(); ++lane) {
    put(dot, static_cast<int>(lane), formats, products[lane]);
  }
  return dot;
}

std::vector<double> answers(const DotFormats& formats, const DotRunner& run,
                            const std::vector<DotCase>& cases) {
  const std::vector<std::uint64_t> bits = run(cases);
  if (bits.size() != cases.size()) {
    throw std::logic_error("a case without an answer");
  }
  std::vector<double> values;
  values.reserve(bits.size());
  for (const std::uint64_t d : bits) {
    values.push_back(value_of(formats.accumulator, d));
  }
  return values;
}

}  // namespace

DotFormats formats_of(MmaKind kind) {
  switch (kind) {
    case MmaKind::f16_f32:
    case MmaKind::sparse:
      return {kF16, kF32};
    case MmaKind::tf32_f32:
      return {kTf32, kF32};
    case MmaKind::bf16_f32:
      return {kBf16, kF32};
    case MmaKind::f16_f16:
      return {kF16, kF16};
    case MmaKind::f64_f64:
      return {kF64, kF64};
    case MmaKind::e4m3_f32:
      return {kE4m3, kF32};
    default:
      throw std::invalid_argument("integers have no floating-point format");
  }
}

AccumulatorWidth accumulator_width(const DotFormats& formats, const DotRunner& run) {
  const int scale = scale_of(formats);
  const int least = std::max(2 * formats.in.least_normal() + 2, formats.accumulator.least_normal());
  const int most = std::min(kMostBits, scale - least);
  std::vector<DotCase> cases;
  for (int j = 1; j <= most; ++j) {
    cases.push_back(sum_of(formats, power(scale), {-power(scale), power(scale - j)}));
    cases.push_back(sum_of(formats, power(scale), {power(scale - j), -power(scale)}));
  }
  const std::vector<double> sums = answers(formats, run, cases);
  int kept = 0;
  while (kept < most) {
    const double exact = power(scale - kept - 1);
    const std::size_t at = 2 * static_cast<std::size_t>(kept);
    if (sums[at] != exact || sums[at + 1] != exact) {
      break;
    }
    ++kept;
  }
  return {kept + 1, kept == most};
}

std::string rounding_of(const DotFormats& formats, int accumulator_bits, const DotRunner& run) {
  const int scale = scale_of(formats);
  const double top = power(scale);
  const double last =
      power(scale - std::min(accumulator_bits - 1, formats.accumulator.mantissa_bits));
  const std::vector<DotCase> cases = {
      sum_of(formats, top, {0.25 * last}),      sum_of(formats, top, {0.5 * last}),
      sum_of(formats, top, {0.75 * last}),      sum_of(formats, -top, {-0.25 * last}),
      sum_of(formats, -top, {-0.5 * last}),     sum_of(formats, -top, {-0.75 * last}),
      sum_of(formats, top + last, {0.5 * last})};
  const std::vector<double> sums = answers(formats, run, cases);
  const std::vector<double> truncated = {top, top, top, -top, -top, -top, top + last};
  const std::vector<double> nearest = {top,  top,         top + last,    -top,
                                       -top, -top - last, top + 2 * last};
  if (sums == truncated) {
    return "truncate";
  }
  return sums == nearest ? "nearest" : "other";
}

bool keeps_subnormal_inputs(const DotFormats& formats, const DotRunner& run) {
  // Raised into the accumulator's normal numbers, as far as the input format can.
  const int lift = std::min(60, formats.in.largest_exponent());
  DotCase dot;
  dot.metadata = sparse_metadata(0, 1);
  dot.a[0] = bits_of(formats.in, power(formats.in.least_subnormal()));
  dot.b[0] = bits_of(formats.in, power(lift));
  DotCase other = dot;
  std::swap(other.a[0], other.b[0]);
  const double exact = power(formats.in.least_subnormal() + lift);
  const std::vector<double> sums = answers(formats, run, {dot, other});
  return sums[0] == exact && sums[1] == exact;
}

bool keeps_subnormal_results(const DotFormats& formats, const DotRunner& run) {
  const int exponent = formats.accumulator.least_subnormal();
  DotCase dot;
  dot.a[0] = bits_of(formats.in, power(exponent + 20));
  dot.b[0] = bits_of(formats.in, power(-20));
  return answers(formats, run, {dot}).front() == power(exponent);
}

bool propagates_nan(const DotFormats& formats, const DotRunner& run) {
  const DotCase ones = sum_of(formats, 1.0, {1.0, 1.0});
  std::vector<DotCase> cases(3, ones);
  cases[0].a[0] = nan_bits(formats.in);
  cases[1].b[0] = nan_bits(formats.in);
  cases[2].c = nan_bits(formats.accumulator);
  if (formats.in.has_infinity) {
    DotCase times_zero = ones;
    times_zero.a[0] = infinity_bits(formats.in);
    times_zero.b[0] = 0;
    DotCase minus_infinity = ones;
    minus_infinity.a[0] = infinity_bits(formats.in);
    minus_infinity.b[0] = bits_of(formats.in, -1.0);
    minus_infinity.c = infinity_bits(formats.accumulator);
    cases.push_back(times_zero);
    cases.push_back(minus_infinity);
  }
  const std::vector<double> sums = answers(formats, run, cases);
  return std::all_of(sums.begin(), sums.end(), [](double sum) { return std::isnan(sum); });
}

bool is_fused(const DotFormats& formats, const DotRunner& run) {
  // (1 + e)^2 - (1 + 2e) = e^2, of which a rounded product has lost everything.
  const double e = power(-(formats.in.mantissa_bits + 1) / 2 - 1);
  DotCase dot;
  dot.a[0] = dot.b[0] = bits_of(formats.in, 1.0 + e);
  dot.c = bits_of(formats.accumulator, -(1.0 + 2.0 * e));
  return answers(formats, run, {dot}).front() == e * e;
}

int integer_accumulator_bits(const DotRunner& run) {
  constexpr int kLargest = 30;
  std::vector<DotCase> cases;
  for (int exponent = 1; exponent <= kLargest; ++exponent) {
    DotCase dot;
    dot.c = std::uint64_t{1} << exponent;
    dot.a[0] = dot.b[0] = 1;
    cases.push_back(dot);
  }
  const std::vector<std::uint64_t> sums = run(cases);
  int exact = 0;
  while (exact < kLargest &&
         sums.at(static_cast<std::size_t>(exact)) == (std::uint64_t{1} << (exact + 1)) + 1) {
    ++exact;
  }
  return exact + 2;
}

int lanes_reaching_d(MmaKind kind, int k, const DotRunner& run) {
  const bool integers = kind == MmaKind::s8_s32;
  const auto in = [&](int value) {
    return integers ? static_cast<std::uint64_t>(value) : bits_of(formats_of(kind).in, value);
  };
  const auto name = [](int lane) { return 1 + lane % 15; };  // exact in every format
  std::vector<DotCase> cases;
  for (int lane = 0; lane < k; ++lane) {
    DotCase dot;
    const bool upper = lane % 4 >= 2;
    dot.metadata = upper ? sparse_metadata(2, 3) : sparse_metadata(0, 1);
    dot.a[kind == MmaKind::sparse ? lane / 4 * 2 + lane % 2 : lane] = in(1);
    for (int other = 0; other < k; ++other) {
      dot.b[other] = in(name(other));
    }
    cases.push_back(dot);
  }
  const std::vector<std::uint64_t> sums = run(cases);
  int reached = 0;
  for (int lane = 0; lane < k; ++lane) {
    const std::uint64_t expected = integers ? static_cast<std::uint64_t>(name(lane))
                                            : bits_of(formats_of(kind).accumulator, name(lane));
    reached += sums.at(static_cast<std::size_t>(lane)) == expected ? 1 : 0;
  }
  return reached;
}

}  // namespace assay
