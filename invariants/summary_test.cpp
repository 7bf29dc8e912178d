// SPDX-License-Identifier: Apache-2.0
// Can a person read the summary in ten seconds, and does it hide nothing?
#include "invariants/summary.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "invariants/test_support.h"

namespace {

using assay::Certificate;
using assay::Dossier;

class SummaryTest : public ::testing::Test {
 protected:
  std::string summary(bool replay = false) const {
    assay::PinnedDossier pinned{pinned_, "digest", true};
    return assay::summary_text(assay::make_certificate(rules_, dossier_, &pinned, {replay, false}));
  }
  const assay::Rules rules_ = assay::test::rules();
  const Dossier pinned_ = assay::test::example();
  Dossier dossier_ = pinned_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(SummaryTest, ACleanPassFitsOnAScreen) {
  const std::string text = summary();
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40);
  EXPECT_TRUE(text.starts_with("verdict  pass\n")) << text;
  EXPECT_TRUE(has(text, "NVIDIA H200"));
  EXPECT_TRUE(has(text, "580.159.04"));
  EXPECT_TRUE(has(text, "95.7 % of 4814.3 GB/s"));
}

TEST_F(SummaryTest, HasNoColourUnlessAsked) {
  EXPECT_FALSE(has(summary(), "\033"));
  const Certificate certificate = assay::make_certificate(rules_, dossier_, nullptr, {});
  EXPECT_TRUE(has(assay::summary_text(certificate, {true}), "\033[31m"));
  EXPECT_TRUE(has(assay::verdict_table(certificate, {true}), "\033[32m"));
}

TEST_F(SummaryTest, AReplaySaysSoInItsFirstLine) {
  const std::string text = summary(true);
  EXPECT_TRUE(has(text.substr(0, text.find('\n')), "certifies nothing about this machine"));
}

TEST_F(SummaryTest, AFailureShowsBothNumbersAndItsMargin) {
  dossier_.entries.at("dram_bw").facts.at("gather_4B").value = 2000.0;
  const std::string text = summary();
  EXPECT_TRUE(text.starts_with("verdict  fail")) << text;
  EXPECT_TRUE(has(text, "fail  dram.gather: dram_bw.gather_4B 2000 GB/s / dram_bw.read 4605 GB/s"));
  EXPECT_TRUE(has(text, "margin -44.8 %")) << text;
}

TEST_F(SummaryTest, EverySkipHasItsReason) {
  for (const char* probe : {"mma_wgmma", "mma_tile_wgmma"}) {
    auto& record = dossier_.probes.at(probe);
    record.status = assay::ProbeStatus::not_applicable;
    record.reason = std::string("no code for sm_90a in ") + probe;
  }
  for (const char* entry : {"mma", "mma_per_clock", "mma_scaling", "mma_tile"}) {
    std::erase_if(dossier_.entries.at(entry).facts,
                  [](const auto& fact) { return fact.first.starts_with("wgmma"); });
  }
  const std::string text = summary();
  EXPECT_TRUE(has(text, "no code for sm_90a in mma_wgmma"));
  EXPECT_TRUE(has(text, "no code for sm_90a in mma_tile_wgmma"));
}

TEST_F(SummaryTest, ACrashShowsHowItEnded) {
  auto& record = dossier_.probes.at("latency");
  record.status = assay::ProbeStatus::failed;
  record.reason = "crashed";
  record.exit_code.reset();
  record.signal = 11;
  EXPECT_TRUE(has(summary(), "signal 11"));
  EXPECT_TRUE(summary().starts_with("verdict  no_evidence"));
}

TEST_F(SummaryTest, TheTableHasALineForEachInvariant) {
  const Certificate certificate = assay::make_certificate(rules_, dossier_, nullptr, {});
  const std::string table = assay::verdict_table(certificate);
  const auto lines = static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n'));
  EXPECT_EQ(lines, rules_.catalog.invariants.size());
}

}  // namespace
