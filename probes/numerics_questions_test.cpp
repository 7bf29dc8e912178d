// SPDX-License-Identifier: Apache-2.0
// Do the numerics questions find what an adder of known width, rounding and habits does?
#include "probes/numerics_questions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "probes/mma_layout.h"
#include "probes/numerics_facts.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A tensor core's adder: all terms are aligned to the largest, cut `bits` below its leading bit,
/// summed, and rounded or cut into the accumulator.
struct Adder {
  DotFormats formats;
  int bits = 26;
  bool is_nearest = false;
  bool keeps_subnormals = true;
  bool keeps_nan = true;
  int lanes = 32;  ///< the others are not read

  double into_accumulator(double sum) const {
    if (sum == 0.0 || !std::isfinite(sum)) {
      return sum;
    }
    const int last = std::max(std::ilogb(sum), formats.accumulator.least_normal()) -
                     std::min(formats.accumulator.mantissa_bits, bits - 1);
    const double units = std::ldexp(sum, -last);
    return std::ldexp(is_nearest ? std::nearbyint(units) : std::trunc(units), last);
  }

  double operand(std::uint64_t bits_in) const {
    const double value = value_of(formats.in, bits_in);
    const bool subnormal = std::abs(value) < std::ldexp(1.0, formats.in.least_normal());
    return subnormal && !keeps_subnormals ? 0.0 : value;
  }

  double sum(const DotCase& dot) const {
    std::vector<double> terms = {value_of(formats.accumulator, dot.c)};
    for (int lane = 0; lane < lanes; ++lane) {
      terms.push_back(operand(dot.a[lane]) * operand(dot.b[lane]));
    }
    int largest = std::numeric_limits<int>::min();
    for (const double term : terms) {
      largest = term == 0.0 ? largest : std::max(largest, std::ilogb(term));
      if (!std::isfinite(term)) {
        return keeps_nan ? kNan : 0.0;
      }
    }
    if (largest == std::numeric_limits<int>::min()) {
      return into_accumulator(0.0);  // nothing but zeros: there is no largest term
    }
    // One bit more than is kept for an adder that rounds once, at the end.
    const int last = largest - (bits - 1) - (is_nearest ? 2 : 0);
    double total = 0.0;
    for (const double term : terms) {
      total += std::ldexp(std::trunc(std::ldexp(term, -last)), last);
    }
    return into_accumulator(total);
  }

  DotRunner runner() const {
    return [adder = *this](const std::vector<DotCase>& cases) {
      std::vector<std::uint64_t> sums;
      for (const DotCase& dot : cases) {
        const double sum = adder.sum(dot);
        sums.push_back(std::isnan(sum) ? nan_bits(adder.formats.accumulator)
                                       : bits_of(adder.formats.accumulator, sum));
      }
      return sums;
    };
  }
};

constexpr MmaKind kFloatKinds[] = {MmaKind::f16_f32, MmaKind::tf32_f32, MmaKind::bf16_f32,
                                   MmaKind::e4m3_f32, MmaKind::sparse};

TEST(FloatFormat, HoldsItsNumbersBothWays) {
  for (const FloatFormat& format : {kF16, kBf16, kTf32, kE4m3, kF32, kF64}) {
    for (const double value : {0.0, 1.0, -1.5, 0.25, 12.0}) {
      EXPECT_EQ(value_of(format, bits_of(format, value)), value);
    }
    const double smallest = std::ldexp(1.0, format.least_subnormal());
    EXPECT_EQ(value_of(format, bits_of(format, smallest)), smallest);
    EXPECT_TRUE(std::isnan(value_of(format, nan_bits(format))));
  }
}

TEST(FloatFormat, AgreesWithTheWellKnownPatterns) {
  EXPECT_EQ(bits_of(kF16, 1.0), 0x3C00U);
  EXPECT_EQ(bits_of(kBf16, 1.0), 0x3F80U);
  EXPECT_EQ(bits_of(kF32, -2.0), 0xC0000000U);
  EXPECT_EQ(bits_of(kTf32, 1.5), 0x3FC00000U);
  EXPECT_EQ(bits_of(kF64, 1.0), 0x3FF0000000000000U);
  EXPECT_EQ(bits_of(kE4m3, 448.0), 0x7EU);
  EXPECT_EQ(nan_bits(kE4m3), 0x7FU);
  EXPECT_EQ(bits_of(kF16, std::ldexp(1.0, -24)), 1U);
  EXPECT_EQ(infinity_bits(kF16), 0x7C00U);
}

TEST(FloatFormat, RefusesWhatItCannotHold) {
  EXPECT_THROW(bits_of(kF16, 1.0 + 0x1p-11), std::domain_error);
  EXPECT_THROW(bits_of(kF16, 65536.0), std::domain_error);
  EXPECT_THROW(bits_of(kE4m3, 512.0), std::domain_error);
  EXPECT_THROW(bits_of(kF16, std::ldexp(1.0, -25)), std::domain_error);
  EXPECT_THROW(infinity_bits(kE4m3), std::domain_error);
}

TEST(Numerics, FindTheWidthOfAnAdderThatTruncates) {
  for (const MmaKind kind : kFloatKinds) {
    for (const int bits : {12, 14, 24, 25, 26}) {
      const Adder adder{.formats = formats_of(kind), .bits = bits};
      const AccumulatorWidth width = accumulator_width(adder.formats, adder.runner());
      EXPECT_EQ(width.bits, bits) << name_of(kind);
      EXPECT_FALSE(width.is_at_least);
      EXPECT_EQ(rounding_of(adder.formats, width.bits, adder.runner()), "truncate")
          << name_of(kind) << " " << bits;
    }
  }
}

TEST(Numerics, SayWhenNothingIsSmallEnoughToBeLost) {
  const Adder adder{.formats = formats_of(MmaKind::e4m3_f32), .bits = 50};
  EXPECT_TRUE(accumulator_width(adder.formats, adder.runner()).is_at_least);
}

TEST(Numerics, KnowRoundingToNearest) {
  for (const MmaKind kind : {MmaKind::f16_f32, MmaKind::bf16_f32, MmaKind::f16_f16}) {
    const Adder adder{.formats = formats_of(kind), .bits = 28, .is_nearest = true};
    EXPECT_EQ(rounding_of(adder.formats, 28, adder.runner()), "nearest") << name_of(kind);
  }
}

TEST(Numerics, CallRoundingUpwardsOther) {
  const DotFormats formats = formats_of(MmaKind::f16_f32);
  const Adder adder{.formats = formats};
  const DotRunner upwards = [&](const std::vector<DotCase>& cases) {
    std::vector<std::uint64_t> sums;
    for (const std::uint64_t bits : adder.runner()(cases)) {
      sums.push_back(bits + 1);
    }
    return sums;
  };
  EXPECT_EQ(rounding_of(formats, 24, upwards), "other");
}

TEST(Numerics, TellFlushedSubnormalsFromKeptOnes) {
  for (const MmaKind kind : kFloatKinds) {
    Adder adder{.formats = formats_of(kind)};
    EXPECT_TRUE(keeps_subnormal_inputs(adder.formats, adder.runner())) << name_of(kind);
    adder.keeps_subnormals = false;
    EXPECT_FALSE(keeps_subnormal_inputs(adder.formats, adder.runner())) << name_of(kind);
  }
}

TEST(Numerics, TellLostNanFromPropagatedOne) {
  for (const MmaKind kind : kFloatKinds) {
    Adder adder{.formats = formats_of(kind)};
    EXPECT_TRUE(propagates_nan(adder.formats, adder.runner())) << name_of(kind);
    adder.keeps_nan = false;
    EXPECT_FALSE(propagates_nan(adder.formats, adder.runner())) << name_of(kind);
  }
}

DotRunner fma_runner(bool fused) {
  return [fused](const std::vector<DotCase>& cases) {
    std::vector<std::uint64_t> sums;
    for (const DotCase& dot : cases) {
      const auto a = static_cast<float>(value_of(kF32, dot.a[0]));
      const auto b = static_cast<float>(value_of(kF32, dot.b[0]));
      const auto c = static_cast<float>(value_of(kF32, dot.c));
      const volatile float product = a * b;
      const float sum = fused ? std::fma(a, b, c) : product + c;
      sums.push_back(std::isnan(sum) ? nan_bits(kF32) : bits_of(kF32, sum));
    }
    return sums;
  };
}

TEST(Numerics, TellAFusedMultiplyAddFromTwoRoundings) {
  EXPECT_TRUE(is_fused({kF32, kF32}, fma_runner(true)));
  EXPECT_FALSE(is_fused({kF32, kF32}, fma_runner(false)));
  EXPECT_TRUE(keeps_subnormal_inputs({kF32, kF32}, fma_runner(true)));
  EXPECT_TRUE(keeps_subnormal_results({kF32, kF32}, fma_runner(true)));
  EXPECT_TRUE(propagates_nan({kF32, kF32}, fma_runner(true)));
}

TEST(Numerics, CountTheBitsOfAnIntegerAccumulator) {
  const auto adder = [](std::uint64_t lost) {
    return [lost](const std::vector<DotCase>& cases) {
      std::vector<std::uint64_t> sums;
      for (const DotCase& dot : cases) {
        const std::uint64_t sum = dot.c + dot.a[0] * dot.b[0];
        sums.push_back(sum >= lost ? sum - 1 : sum);
      }
      return sums;
    };
  };
  EXPECT_EQ(integer_accumulator_bits(adder(std::uint64_t{1} << 31)), 32);
  EXPECT_EQ(integer_accumulator_bits(adder(std::uint64_t{1} << 24)), 25);
}

TEST(VerifiedLanes, CountEveryLaneThatIsRead) {
  for (const MmaKind kind : {MmaKind::f16_f32, MmaKind::e4m3_f32, MmaKind::bf16_f32}) {
    const int k = mma_sync_shape(kind, 90).k;
    const Adder adder{.formats = formats_of(kind)};
    EXPECT_EQ(lanes_reaching_d(kind, k, adder.runner()), k) << name_of(kind);
  }
}

TEST(VerifiedLanes, AQuarterOfTheLanesCountsAsAQuarter) {
  const Adder adder{.formats = formats_of(MmaKind::e4m3_f32), .lanes = 8};
  EXPECT_EQ(lanes_reaching_d(MmaKind::e4m3_f32, 32, adder.runner()), 8);
}

/// A sparse instruction: the stored element of A and the metadata say which lane of B it meets.
DotRunner sparse_runner() {
  const Adder adder{.formats = formats_of(MmaKind::sparse)};
  return [adder](const std::vector<DotCase>& cases) {
    std::vector<DotCase> dense(cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      dense[i].c = cases[i].c;
      std::copy(std::begin(cases[i].b), std::end(cases[i].b), std::begin(dense[i].b));
      for (int stored = 0; stored < 16; ++stored) {
        const int within = static_cast<int>(cases[i].metadata >> (2 * (stored % 2))) & 3;
        dense[i].a[stored / 2 * 4 + within] = cases[i].a[stored];
      }
    }
    return adder.runner()(dense);
  };
}

TEST(VerifiedLanes, BothHalvesOfASparseGroupAreAsked) {
  EXPECT_EQ(lanes_reaching_d(MmaKind::sparse, 32, sparse_runner()), 32);
  EXPECT_EQ(accumulator_width(formats_of(MmaKind::sparse), sparse_runner()).bits, 26);
}

TEST(NumericsFacts, SayWhatWasFound) {
  const Adder adder{.formats = formats_of(MmaKind::e4m3_f32), .bits = 14};
  Measurements facts;
  add_mma_numerics({"wgmma_e4m3_f32", "wgmma m64n256k32", MmaKind::e4m3_f32, 32, adder.runner()},
                   facts);
  EXPECT_EQ(facts.find("numerics.wgmma_e4m3_f32_accumulator_bits")->value, Value{std::int64_t{14}});
  EXPECT_EQ(facts.find("numerics.wgmma_e4m3_f32_rounding")->value, Value{std::string("truncate")});
  EXPECT_EQ(facts.find("numerics.wgmma_e4m3_f32_subnormal_inputs")->value, Value{true});
  EXPECT_EQ(facts.find("numerics.wgmma_e4m3_f32_nan_propagates")->value, Value{true});
  EXPECT_EQ(facts.find("verified_k_lanes.wgmma_e4m3_f32_k")->value, Value{std::int64_t{32}});
  EXPECT_EQ(facts.find("verified_k_lanes.wgmma_e4m3_f32_vs_nominal")->value, Value{1.0});
}

TEST(NumericsFacts, AbsentOnesHaveTheSameNames) {
  const NullReason reason{NullKind::not_supported, "no such instruction"};
  const Adder adder{.formats = formats_of(MmaKind::f16_f32)};
  Measurements there, absent;
  add_mma_numerics({"x", "text", MmaKind::f16_f32, 16, adder.runner()}, there);
  add_absent_numerics("x", reason, absent);
  for (const auto& [entry, measurement] : there.entries()) {
    for (const auto& [key, fact] : measurement.facts) {
      std::string path = entry;
      path += "." + key;
      const Fact* other = absent.find(path);
      ASSERT_NE(other, nullptr) << path;
      EXPECT_EQ(other->reason, reason);
      EXPECT_EQ(other->units, fact.units);
    }
  }
}

}  // namespace
}  // namespace assay
