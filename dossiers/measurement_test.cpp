// SPDX-License-Identifier: Apache-2.0
// Does an unlabelled, empty or impossible number have a way in?
#include "dossiers/measurement.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "dossiers/identity.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Units, EveryNameReadsBackAndTheListIsClosed) {
  for (int raw = 0; raw <= static_cast<int>(Unit::gop_per_s); ++raw) {
    const Unit unit = static_cast<Unit>(raw);
    EXPECT_EQ(unit_from(to_string(unit)), unit);
  }
  EXPECT_EQ(unit_from("GiB/s"), std::nullopt);
  EXPECT_EQ(unit_from(""), std::nullopt);
}

TEST(CaseA5, ANumberWithoutClockMethodOrSamplesHasNoWayIn) {
  const std::vector<double> samples{1.0, 2.0, 3.0};
  EXPECT_NO_THROW(measured(2.0, Unit::gb_per_s, "copy", 1.98, samples));
  EXPECT_THROW(measured(2.0, Unit::gb_per_s, "copy", 0.0, samples), std::invalid_argument);
  EXPECT_THROW(measured(2.0, Unit::gb_per_s, "copy", kNan, samples), std::invalid_argument);
  EXPECT_THROW(measured(2.0, Unit::gb_per_s, "", 1.98, samples), std::invalid_argument);
  EXPECT_THROW(measured(kNan, Unit::gb_per_s, "copy", 1.98, samples), std::invalid_argument);
  EXPECT_THROW(measured(kInf, Unit::gb_per_s, "copy", 1.98, samples), std::invalid_argument);
  EXPECT_THROW(measured(-2.0, Unit::gb_per_s, "copy", 1.98, samples), std::invalid_argument);
}

TEST(CaseB02, NoSamplesAtAllIsRefused) {
  EXPECT_THROW(measured(2.0, Unit::tflop_per_s, "fma", 1.98, {}), std::invalid_argument);
  EXPECT_EQ(median({}), std::nullopt);
  EXPECT_EQ(relative_spread({}), std::nullopt);
}

TEST(CaseB02, ZeroThroughputIsNotHealth) {
  EXPECT_THROW(measured(0.0, Unit::tflop_per_s, "fma", 1.98, {0, 0, 0}), std::invalid_argument);
  EXPECT_THROW(measured(1.0, Unit::tflop_per_s, "fma", 1.98, {0, 0, 0}), std::invalid_argument);
  EXPECT_THROW(measured(1.0, Unit::tflop_per_s, "fma", 1.98, {1, kNan}), std::invalid_argument);
}

TEST(Facts, ANumberThatIsNotFiniteBecomesNullWithItsReason) {
  const Fact fact = derived(kInf, Unit::gb_per_s, "bytes / seconds");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(fact.value));
  ASSERT_TRUE(fact.reason);
  EXPECT_EQ(to_string(*fact.reason), "out of range: infinite");
  EXPECT_EQ(to_string(*stated(kNan, Unit::watt, "NVML").reason), "out of range: not a number");
}

TEST(Facts, StatedNumbersHaveNoClockAndNoSamples) {
  const Fact fact = stated(std::uint64_t{132}, Unit::count, "attribute 16");
  EXPECT_EQ(fact.value, Value(std::int64_t{132}));
  EXPECT_EQ(fact.samples, 0);
  EXPECT_EQ(fact.clock_ghz, std::nullopt);
  EXPECT_EQ(stated(std::uint64_t{1} << 63, Unit::bytes, "x").value, Value(std::uint64_t{1} << 63));
}

TEST(NullReasons, EveryKindReadsBack) {
  for (int raw = 0; raw <= static_cast<int>(NullKind::unstated); ++raw) {
    const NullReason bare{static_cast<NullKind>(raw), ""};
    const NullReason full{static_cast<NullKind>(raw), "pid 17: nbody"};
    EXPECT_EQ(null_reason_from(to_string(bare)), bare);
    EXPECT_EQ(null_reason_from(to_string(full)), full);
  }
  EXPECT_EQ(to_string(NullReason{NullKind::clock_lost, "x"}), "clock lost: x");
}

TEST(NullReasons, AnUnknownKindIsKeptAsUnstatedText) {
  EXPECT_EQ(null_reason_from("moon phase: full"),
            (NullReason{NullKind::unstated, "moon phase: full"}));
  EXPECT_EQ(null_reason_from(""), (NullReason{NullKind::unstated, ""}));
}

TEST(Measurements, PathsAreCheckedAndFactsAreFoundByPath) {
  Measurements all;
  all.add("fma_f32", derived(65.0, Unit::tflop_per_s, "m"));
  all.add("latency.l2", derived(281.0, Unit::cycles, "m"));
  ASSERT_NE(all.find("latency.l2"), nullptr);
  EXPECT_EQ(all.find("latency"), nullptr);
  EXPECT_NE(all.find("fma_f32"), nullptr);
  EXPECT_EQ(all.find("fma_f32.x"), nullptr);
  const Fact fact = derived(1.0, Unit::ratio, "m");
  for (const char* path : {"", ".", "a.", ".b", "A.b", "a b", "a.b c", "a.\n"}) {
    EXPECT_THROW(all.add(path, fact), std::invalid_argument) << path;
  }
  EXPECT_THROW(all.add("latency.l2", fact), std::invalid_argument);
  EXPECT_THROW(all.add("latency", fact), std::invalid_argument);
  EXPECT_THROW(all.add("fma_f32.k", fact), std::invalid_argument);
}

TEST(Statistics, MedianAndSpreadAreTheDocumentedOnes) {
  EXPECT_EQ(median({3.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median({4.0, 1.0, 2.0, 3.0}), 2.5);
  EXPECT_EQ(median({1.0, kNan}), std::nullopt);
  EXPECT_EQ(relative_spread({1.0, 2.0}), std::nullopt);
  EXPECT_EQ(relative_spread({0.0, 0.0, 0.0}), std::nullopt);
  EXPECT_DOUBLE_EQ(relative_spread({9.0, 10.0, 12.0, 10.0, 8.0}).value(), 1.4826 * 1.0 / 10.0);
}

TEST(Statistics, OnlyFiniteNumbersAreNumbers) {
  EXPECT_EQ(as_number(Value(std::int64_t{-3})), -3.0);
  EXPECT_EQ(as_number(Value(std::uint64_t{3})), 3.0);
  EXPECT_EQ(as_number(Value(true)), std::nullopt);
  EXPECT_EQ(as_number(Value(std::string("3"))), std::nullopt);
  EXPECT_EQ(as_number(Value(kNan)), std::nullopt);
  EXPECT_EQ(as_number(Value()), std::nullopt);
}

TEST(Identity, TheSuiteKnowsItsVersion) {
  EXPECT_FALSE(this_suite().version.empty());
  DeviceIdentity device;
  device.cc_major = 12;
  device.cc_minor = 1;
  EXPECT_EQ(architecture(device), "sm_121");
}

}  // namespace
}  // namespace assay
