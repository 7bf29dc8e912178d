// SPDX-License-Identifier: Apache-2.0
// Does the view say what the dossier and the vendor say, and nothing else?
#include "dossiers/models/ceiling.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "dossiers/cards/card_list.h"
#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"

namespace assay {
namespace {

const Card& h200() {
  static const CardList list = read_cards(ASSAY_TEST_SOURCE_DIR "/dossiers/cards/cards.json");
  return card_by_key(list, "h200");
}

CeilingRow row(const Ceiling& ceiling, const std::string& name) {
  const auto found = std::find_if(ceiling.rows.begin(), ceiling.rows.end(),
                                  [&](const CeilingRow& one) { return one.name == name; });
  EXPECT_NE(found, ceiling.rows.end()) << name;
  return found == ceiling.rows.end() ? CeilingRow{} : *found;
}

TEST(Ceiling, PutsTheMeasuredBesideTheVendors) {
  const Dossier dossier = read_dossier(examples_dir() / "dossier.json");
  const Ceiling ceiling = ceiling_of(dossier, &h200(), "");
  const double read = *as_number(dossier.find("dram_bw.read")->value);
  const CeilingRow dram = row(ceiling, "DRAM, read");
  EXPECT_DOUBLE_EQ(*dram.measured, read);
  EXPECT_DOUBLE_EQ(*dram.vendor, 4800.0);
  EXPECT_DOUBLE_EQ(*dram.percent_of_vendor, 100.0 * read / 4800.0);
  EXPECT_TRUE(dram.percent_of_driver);
  const CeilingRow fma = row(ceiling, "FP32 FMA");
  const double clock = *dossier.find("fma_f32")->clock_ghz;
  EXPECT_NEAR(*fma.at_clock, 132 * 256 * clock * 1e-3, 1e-9);
}

TEST(Ceiling, CaseA03_PercentOfAnUnknownPeakIsNull) {
  Dossier dossier = read_dossier(examples_dir() / "dossier.json");
  dossier.entries["device"].facts["dram_peak_gbs"] =
      absent(Unit::gb_per_s, "driver", {NullKind::not_available, "the memory clock is 0"});
  const Ceiling ceiling = ceiling_of(dossier, nullptr, "no card of the list has this name");
  for (const CeilingRow& one : ceiling.rows) {
    EXPECT_FALSE(one.percent_of_vendor) << one.name;
    EXPECT_FALSE(one.percent_of_driver) << one.name;
    EXPECT_FALSE(one.percent_at_clock) << one.name;
  }
  const JsonNode json = parse_json(ceiling_json(ceiling), "json");
  EXPECT_TRUE(json.at("vendor_card").is_null());
  EXPECT_TRUE(json.at("ceilings").items().at(0).at("percent_of_vendor").is_null());
  EXPECT_FALSE(json.at("ceilings").items().at(0).at("measured").is_null());
}

TEST(Ceiling, WhatWasNotMeasuredIsNullWithItsReason) {
  Dossier dossier = read_dossier(examples_dir() / "dossier.json");
  dossier.entries["dram_bw"].facts["read"] =
      absent(Unit::gb_per_s, "16 B loads", {NullKind::throttled, "1.2 GHz"});
  dossier.entries.erase("fma_f32");
  const Ceiling ceiling = ceiling_of(dossier, &h200(), "");
  EXPECT_FALSE(row(ceiling, "DRAM, read").measured);
  EXPECT_FALSE(row(ceiling, "DRAM, read").percent_of_vendor);
  EXPECT_EQ(row(ceiling, "DRAM, read").why, "throttled: 1.2 GHz");
  EXPECT_TRUE(holds(row(ceiling, "FP32 FMA").why, "no such fact"));
  EXPECT_TRUE(holds(ceiling_text(ceiling), "dram_bw.read: throttled: 1.2 GHz"));
}

TEST(Ceiling, OnChipMemoryHasNoVendorsFigure) {
  const Ceiling ceiling = ceiling_of(read_dossier(examples_dir() / "dossier.json"), &h200(), "");
  EXPECT_FALSE(row(ceiling, "L2, read").vendor);
  EXPECT_FALSE(row(ceiling, "L2, read").percent_of_vendor);
}

}  // namespace
}  // namespace assay
