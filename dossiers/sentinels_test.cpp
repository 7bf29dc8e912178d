// SPDX-License-Identifier: Apache-2.0
// Does a source's "no value" ever pass for a measurement, or a missing clock for a peak?
#include "dossiers/sentinels.h"

#include <string>

#include <gtest/gtest.h>

#include "dossiers/json/json_reader.h"
#include "dossiers/json/measurement_json.h"
#include "dossiers/peaks.h"

namespace assay {
namespace {

TEST(CaseA02, SentinelIntegersAreNullWithTheRightReason) {
  const JsonNode facts = parse_json(
      R"({"sm_active":140737488355328.0,"pcie_tx_bytes":9223372036854775792,
          "nvlink_tx_bytes":9223372036854775794,"sync_boost":2147483634,
          "gpu_util_pct":4294967295,"mem_clock_mhz":-1,"fb_used_bytes":0,"power_w":69.4})",
      "facts.json");
  const auto kind = [&](const char* key, Unit units) {
    const Fact fact = imported(read_scalar(facts.at(key)), units, "DCGM");
    EXPECT_EQ(as_number(fact.value), std::nullopt) << key;
    return fact.reason.value_or(NullReason{}).kind;
  };
  EXPECT_EQ(kind("sm_active", Unit::ratio), NullKind::blank);
  EXPECT_EQ(kind("pcie_tx_bytes", Unit::bytes), NullKind::blank);
  EXPECT_EQ(kind("nvlink_tx_bytes", Unit::bytes), NullKind::not_supported);
  EXPECT_EQ(kind("sync_boost", Unit::us), NullKind::not_supported);
  EXPECT_EQ(kind("gpu_util_pct", Unit::percent), NullKind::out_of_range);
  EXPECT_EQ(kind("mem_clock_mhz", Unit::mhz), NullKind::not_available);
  EXPECT_EQ(imported(read_scalar(facts.at("fb_used_bytes")), Unit::bytes, "DCGM").value,
            Value(std::int64_t{0}));
  EXPECT_EQ(imported(read_scalar(facts.at("power_w")), Unit::watt, "DCGM").value, Value(69.4));
}

TEST(CaseA02, EachOffsetHasItsOwnReason) {
  const NullKind kinds[] = {NullKind::blank, NullKind::not_available, NullKind::not_supported,
                            NullKind::no_permission};
  for (std::int64_t i = 0; i < 4; ++i) {
    const NullKind want = kinds[i];
    EXPECT_EQ(imported(std::int64_t{0x7ffffffffffffff0} + i, Unit::bytes, "m").reason->kind, want);
    EXPECT_EQ(imported(std::int64_t{0x7ffffff0} + i, Unit::count, "m").reason->kind, want);
    EXPECT_EQ(imported(140737488355328.0 + static_cast<double>(i), Unit::watt, "m").reason->kind,
              want);
  }
  EXPECT_FALSE(imported(std::int64_t{0x7ffffff0} - 1, Unit::count, "m").reason);
  EXPECT_FALSE(imported(std::int64_t{0x7ffffff0} + 4, Unit::count, "m").reason);
}

TEST(CaseA02, RealNumbersOfTheSameSizeAreKept) {
  EXPECT_FALSE(imported(std::int64_t{0x7ffffff0}, Unit::bytes, "m").reason);
  EXPECT_FALSE(imported(std::int64_t{0xffffffff}, Unit::bytes, "m").reason);
  EXPECT_FALSE(imported(std::int64_t{-1}, Unit::celsius, "m").reason);
  EXPECT_FALSE(imported(std::string("-1"), Unit::none, "m").reason);
  EXPECT_EQ(imported(std::int64_t{-7}, Unit::watt, "m").reason->kind, NullKind::out_of_range);
  EXPECT_EQ(imported(-1.0, Unit::watt, "m").reason->kind, NullKind::not_available);
  EXPECT_EQ(imported(~std::uint64_t{0}, Unit::bytes, "m").reason->kind, NullKind::out_of_range);
}

TEST(CaseA03, PeakBandwidthFromClockAndBus) {
  EXPECT_DOUBLE_EQ(dram_peak_gbs(10501000, 384).value(), 1008.096);
  EXPECT_DOUBLE_EQ(dram_peak_gbs(14001000, 128).value(), 448.032);
  EXPECT_DOUBLE_EQ(dram_peak_gbs(2619000, 5120).value(), 3352.32);
  EXPECT_DOUBLE_EQ(dram_peak_gbs(3186000, 6144).value(), 4893.696);
  EXPECT_DOUBLE_EQ(dram_peak_gbs(3996000, 7936).value(), 7928.064);
  EXPECT_DOUBLE_EQ(dram_peak_gbs(5001000, 256).value(), 320.064);
  EXPECT_DOUBLE_EQ(dram_peak_gbs(3201000, 6016).value(), 4814.304);
}

TEST(CaseA03, AMissingClockOrBusIsUnknownAndSoIsThePercentage) {
  EXPECT_EQ(dram_peak_gbs(0, 384), std::nullopt);
  EXPECT_EQ(dram_peak_gbs(10501000, 0), std::nullopt);
  EXPECT_EQ(dram_peak_gbs(-1, 384), std::nullopt);
  EXPECT_EQ(percent_of_peak(900.0, dram_peak_gbs(0, 384)), std::nullopt);
  EXPECT_EQ(percent_of_peak(900.0, 0.0), std::nullopt);
  EXPECT_EQ(percent_of_peak(std::nullopt, 900.0), std::nullopt);
  EXPECT_DOUBLE_EQ(percent_of_peak(262.0, 288.0).value(), 100.0 * 262.0 / 288.0);
}

}  // namespace
}  // namespace assay
