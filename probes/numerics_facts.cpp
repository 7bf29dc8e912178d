// SPDX-License-Identifier: Apache-2.0
#include "probes/numerics_facts.h"

#include <cstdint>
#include <utility>

namespace assay {

namespace {

constexpr const char* kWidthMethod =
    "c = 2^s with products -2^s and 2^(s-j): the most bits that are kept below the largest term; ";
constexpr const char* kRoundingMethod = "parts of the last kept place added to 2^s and -2^s; ";
constexpr const char* kSubnormalMethod = "the smallest subnormal operand times a power of two; ";
constexpr const char* kNanMethod = "NaN in a, b and c, infinity times 0, infinity - infinity; ";
constexpr const char* kLanesMethod = "operand 1 in one lane along k at a time; ";

/// Seen once on the device. No samples: it depends on no clock and has no spread.
Fact observed(Value value, Unit units, std::string method) {
  Fact fact;
  fact.value = std::move(value);
  fact.units = units;
  fact.method = std::move(method);
  return fact;
}

void add_float_facts(const MmaNumerics& path, Measurements& measurements) {
  const DotFormats formats = formats_of(path.kind);
  const AccumulatorWidth width = accumulator_width(formats, path.run);
  const std::string entry = "numerics." + path.key;
  measurements.add(entry + "_accumulator_bits",
                   observed(std::int64_t{width.bits}, Unit::bits,
                            kWidthMethod + path.text + (width.is_at_least ? ", or more" : "")));
  measurements.add(entry + "_rounding", observed(rounding_of(formats, width.bits, path.run),
                                                 Unit::none, kRoundingMethod + path.text));
  measurements.add(entry + "_subnormal_inputs", observed(keeps_subnormal_inputs(formats, path.run),
                                                         Unit::none, kSubnormalMethod + path.text));
  measurements.add(entry + "_nan_propagates",
                   observed(propagates_nan(formats, path.run), Unit::none, kNanMethod + path.text));
}

void add_absent_float_facts(const std::string& key, const NullReason& reason,
                            Measurements& measurements) {
  const std::string entry = "numerics." + key;
  measurements.add(entry + "_rounding", absent(Unit::none, kRoundingMethod + key, reason));
  measurements.add(entry + "_subnormal_inputs", absent(Unit::none, kSubnormalMethod + key, reason));
  measurements.add(entry + "_nan_propagates", absent(Unit::none, kNanMethod + key, reason));
}

}  // namespace

void add_mma_numerics(const MmaNumerics& path, Measurements& measurements) {
  if (path.kind == MmaKind::s8_s32) {
    measurements.add("numerics." + path.key + "_accumulator_bits",
                     observed(std::int64_t{integer_accumulator_bits(path.run)}, Unit::bits,
                              "c = 2^s with a product 1, sign included; " + path.text));
    add_absent_float_facts(path.key, {NullKind::not_supported, "integers"}, measurements);
  } else {
    add_float_facts(path, measurements);
  }
  const int lanes = lanes_reaching_d(path.kind, path.k, path.run);
  const std::string entry = "verified_k_lanes." + path.key;
  measurements.add(entry + "_k",
                   observed(std::int64_t{lanes}, Unit::count, kLanesMethod + path.text));
  measurements.add(entry + "_vs_nominal",
                   observed(static_cast<double>(lanes) / path.k, Unit::ratio,
                            kLanesMethod + path.text + ", of k " + std::to_string(path.k)));
}

void add_absent_numerics(const std::string& key, const NullReason& reason,
                         Measurements& measurements) {
  measurements.add("numerics." + key + "_accumulator_bits",
                   absent(Unit::bits, kWidthMethod + key, reason));
  add_absent_float_facts(key, reason, measurements);
  measurements.add("verified_k_lanes." + key + "_k",
                   absent(Unit::count, kLanesMethod + key, reason));
  measurements.add("verified_k_lanes." + key + "_vs_nominal",
                   absent(Unit::ratio, kLanesMethod + key, reason));
}

void add_fma_numerics(const std::string& key, const DotFormats& formats, const DotRunner& run,
                      Measurements& measurements) {
  const std::string entry = "numerics." + key;
  measurements.add(entry + "_fused", observed(is_fused(formats, run), Unit::none,
                                              "(1 + e)^2 - (1 + 2e) = e^2: one rounding; fma"));
  measurements.add(
      entry + "_subnormals",
      observed(keeps_subnormal_inputs(formats, run) && keeps_subnormal_results(formats, run),
               Unit::none, "the smallest subnormal as operand and as result; fma"));
  measurements.add(entry + "_nan_propagates", observed(propagates_nan(formats, run), Unit::none,
                                                       "NaN in a, b and c, infinity times 0; fma"));
}

}  // namespace assay
