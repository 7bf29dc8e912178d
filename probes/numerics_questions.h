// SPDX-License-Identifier: Apache-2.0
// How does a path add up products? Found from outside, by cases whose result tells two ways apart.
// Host only: the tests answer the cases with adders of known width and rounding.
#pragma once

#include <optional>
#include <string>

#include "probes/dot_case.h"
#include "probes/float_format.h"
#include "probes/mma_shape.h"

namespace assay {

/// What a path takes and gives.
struct DotFormats {
  FloatFormat in;
  FloatFormat accumulator;
};
/// Throws std::invalid_argument for integers (s8_s32).
DotFormats formats_of(MmaKind kind);

/// Bits that a sum keeps below and including its largest term's leading one: with c = 2^s and
/// products -2^s and 2^(s-j), in either order of the lanes, D is 2^(s-j) while j bits below the
/// leading one are kept. The largest j for which this and all smaller ones come out exact, plus 1.
struct AccumulatorWidth {
  int bits = 0;
  bool is_at_least = false;  ///< even the smallest product of normal numbers was kept
};
AccumulatorWidth accumulator_width(const DotFormats& formats, const DotRunner& run);

/// "truncate", "nearest" (ties to even) or "other": what becomes of c = +-2^s plus a quarter, half
/// and three quarters of the last place that is kept, and of a tie at an odd one.
std::string rounding_of(const DotFormats& formats, int accumulator_bits, const DotRunner& run);

/// True when the input format's smallest subnormal makes its exact product.
bool keeps_subnormal_inputs(const DotFormats& formats, const DotRunner& run);

/// True when a result that only the accumulator's smallest subnormal can hold is that. For formats
/// whose accumulator is no wider than the input.
bool keeps_subnormal_results(const DotFormats& formats, const DotRunner& run);

/// True when NaN in a, in b and in c, infinity times 0 and infinity minus infinity all give NaN.
bool propagates_nan(const DotFormats& formats, const DotRunner& run);

/// True when a * a + c, whose product needs twice the mantissa, is rounded once.
bool is_fused(const DotFormats& formats, const DotRunner& run);

/// Integers: bits of the largest sum that comes out exact with 1 added to it, sign included.
int integer_accumulator_bits(const DotRunner& run);

/// How many lanes along k reach D: a is 1 in that lane alone, b another number in every lane.
/// `in` is nullopt for integers.
int lanes_reaching_d(MmaKind kind, int k, const DotRunner& run);

}  // namespace assay
