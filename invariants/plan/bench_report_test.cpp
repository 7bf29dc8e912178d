// SPDX-License-Identifier: Apache-2.0
// Does the report hold each fact against its figure, and is nothing met by accident?
#include "invariants/plan/bench_report.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "dossiers/dossier.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDevice = "NVIDIA H200";

Dossier example() {
  return read_dossier(fs::path(ASSAY_TEST_SOURCE_DIR) / "dossiers/schema/examples/dossier.json");
}

std::vector<Bar> shipped_bars() {
  return load_bars(fs::path(ASSAY_TEST_SOURCE_DIR) / "probes/bars.json");
}

BenchRow row_of(const std::vector<BenchRow>& rows, const std::string& fact) {
  for (const BenchRow& row : rows) {
    if (row.fact == fact) return row;
  }
  ADD_FAILURE() << "no row for " << fact;
  return {};
}

Bar bar_for(const std::string& fact, double against, std::optional<double> at_least,
            std::optional<double> at_most = {}) {
  Bar bar;
  bar.device = kDevice;
  bar.fact = fact;
  bar.units = Unit::gb_per_s;
  bar.against = against;
  bar.at_least = at_least;
  bar.at_most = at_most;
  bar.source = "a peer";
  return bar;
}

TEST(BenchReport, HoldsTheExampleDossierAgainstTheShippedBars) {
  const auto rows = bench_rows(shipped_bars(), kDevice, example().entries);
  const BenchRow read = row_of(rows, "dram_bw.read");
  EXPECT_EQ(read.value, 4605.0);
  EXPECT_EQ(read.against, 4608.0);
  EXPECT_NEAR(read.ratio.value(), 0.99935, 1e-5);
  EXPECT_EQ(read.standing, Standing::met);
  EXPECT_EQ(row_of(rows, "latency.l2").standing, Standing::met);
  EXPECT_EQ(row_of(rows, "peer_read.*").standing, Standing::unknown) << "one GPU: not measured";
}

TEST(BenchReport, AFactAtItsBarIsMetAndOneBelowItIsShort) {
  const auto entries = example().entries;  // dram_bw.read is 4605
  const auto standing = [&](const Bar& bar) {
    return bench_rows({bar}, kDevice, entries).at(0).standing;
  };
  EXPECT_EQ(standing(bar_for("dram_bw.read", 4605, 1.0)), Standing::met);
  EXPECT_EQ(standing(bar_for("dram_bw.read", 4605.1, 1.0)), Standing::below);
  EXPECT_EQ(standing(bar_for("dram_bw.read", 4605, {}, 1.0)), Standing::met);
  EXPECT_EQ(standing(bar_for("dram_bw.read", 4604.9, {}, 1.0)), Standing::above);
  EXPECT_EQ(standing(bar_for("dram_bw.read", std::numeric_limits<double>::quiet_NaN(), 1.0)),
            Standing::unknown);
}

TEST(BenchReport, WhatIsNullMissingOrInOtherUnitsIsUnknownWithItsReason) {
  Dossier dossier = example();
  dossier.entries.at("dram_bw").facts.at("read") =
      absent(Unit::gb_per_s, "m", {NullKind::contended, "process 17"});
  const auto rows = bench_rows({bar_for("dram_bw.read", 1, 0.1), bar_for("dram_bw.reed", 1, 0.1),
                                bar_for("latency.l2", 1, 0.1)},
                               kDevice, dossier.entries);
  ASSERT_EQ(rows.size(), 3u);
  for (const BenchRow& row : rows) {
    EXPECT_EQ(row.standing, Standing::unknown) << row.fact;
    EXPECT_FALSE(row.why.empty()) << row.fact;
  }
  EXPECT_NE(rows[0].why.find("process 17"), std::string::npos);
  EXPECT_NE(rows[2].why.find("cycles"), std::string::npos);
}

TEST(BenchReport, AnotherProductsBarsAreLeftOut) {
  EXPECT_TRUE(bench_rows(shipped_bars(), "NVIDIA H100", example().entries).empty());
  EXPECT_NE(bench_text({}, "NVIDIA H100").find("no bars"), std::string::npos);
}

TEST(BenchReport, ABarMayNameAnotherFactOrEveryKeyOfAnEntry) {
  Dossier dossier = example();
  for (const char* key : {"0>1", "0>2"}) {
    dossier.entries["peer_read"].facts[key] = derived(400.0, Unit::gb_per_s, "m");
  }
  Bar copy = bar_for("dram_bw.copy", 1, 0.5, 1.0);
  copy.against.reset();
  copy.against_fact = "dram_bw.read";
  const auto rows =
      bench_rows({bar_for("peer_read.*", 393.8, 0.98), copy}, kDevice, dossier.entries);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].fact, "peer_read.0>1");
  EXPECT_EQ(rows[1].standing, Standing::met);
  EXPECT_EQ(rows[2].against, 4605.0);
  EXPECT_EQ(rows[2].standing, Standing::met);
}

/// A device's row of the matrix: the pair that cannot be reached is unknown with its reason, never
/// 0, and takes no part in what is met or short.
TEST(BenchReport, CaseA05_AnUnreachablePeerIsNullAndNeverTheWorst) {
  std::map<std::string, Measurement> entries;
  auto& row = entries["peer_read"].facts;
  row["0>1"] = measured(276.19, Unit::gb_per_s, "m", 1.98, {276.19, 276.2, 276.18});
  row["0>2"] = absent(Unit::gb_per_s, "m", {NullKind::not_supported, "no access"});
  row["0>3"] = measured(276.07, Unit::gb_per_s, "m", 1.98, {276.07, 276.08, 276.06});
  const auto rows = bench_rows({bar_for("peer_read.*", 276.0, 0.98)}, kDevice, entries);
  ASSERT_EQ(rows.size(), 3u) << "no diagonal, no empty key";
  const BenchRow unreachable = row_of(rows, "peer_read.0>2");
  EXPECT_FALSE(unreachable.value);
  EXPECT_FALSE(unreachable.ratio);
  EXPECT_EQ(unreachable.standing, Standing::unknown);
  EXPECT_NE(unreachable.why.find("no access"), std::string::npos);
  double least = std::numeric_limits<double>::infinity();
  for (const BenchRow& one : rows) {
    if (one.ratio) least = std::min(least, *one.ratio);
  }
  EXPECT_DOUBLE_EQ(least, 276.07 / 276.0) << "the least of those that exist, not 0";
  EXPECT_EQ(row_of(rows, "peer_read.0>1").standing, Standing::met);
}

TEST(BenchReport, TheTextAndTheJsonSayTheSame) {
  const auto rows =
      bench_rows({bar_for("dram_bw.read", 4605, 1.0), bar_for("dram_bw.write", 9999, 1.0)}, kDevice,
                 example().entries);
  const std::string text = bench_text(rows, kDevice);
  EXPECT_NE(text.find("1 of 2 bars met, 1 not, 0 unknown"), std::string::npos) << text;
  EXPECT_NE(text.find("a peer"), std::string::npos);
  const std::string json = bench_json(rows, kDevice);
  EXPECT_NE(json.find("\"short\": 1"), std::string::npos) << json;
  EXPECT_NE(json.find("\"standing\": \"met\""), std::string::npos);
}

TEST(Bars, TheFileIsRefusedWhenABarCanNeverBeMissed) {
  const fs::path file =
      fs::path(::testing::TempDir()) / ("bars_" + std::to_string(getpid()) + ".json");
  const auto load = [&](const std::string& bar) {
    std::ofstream(file) << R"({"schema": "1.0.0", "kind": "bars", "bars": [)" << bar << "]}";
    return load_bars(file);
  };
  const std::string head = R"({"device": "d", "fact": "f", "source": "s", )";
  EXPECT_EQ(load(head + R"("units": "GB/s", "against": 1, "at_least": 0.9})").size(), 1u);
  for (const char* rest : {R"("units": "GB/s", "against": 1})", R"("units": "GB/s", "against": 0,
                           "at_least": 1})",
                           R"("units": "furlong", "against": 1, "at_least": 1})",
                           R"("units": "GB/s", "against": 1, "at_lest": 1})"}) {
    EXPECT_THROW(load(head + rest), DataError) << rest;
  }
  fs::remove(file);
}

}  // namespace
}  // namespace assay
