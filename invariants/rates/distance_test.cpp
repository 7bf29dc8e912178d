// SPDX-License-Identifier: Apache-2.0
// Does every band keep six robust standard deviations from what a healthy H200 measures, or say why
// it does not?
#include "invariants/rates/distance.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "invariants/certificate.h"
#include "invariants/test_support.h"

namespace assay {
namespace {

std::vector<std::filesystem::path> recorded_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_dir() / "dossiers/recorded")) {
    if (std::filesystem::exists(entry.path() / "dossier.json")) {
      files.push_back(entry.path() / "dossier.json");
    }
  }
  return files;
}

const Repeat* between_of(const RecordedFigures& figures, const Dossier& dossier) {
  const Repeat* found = nullptr;
  for (const auto& [repeat, sha256] : figures.repeats) {
    if (repeat.product == dossier.device.name && repeat.level == dossier.level) found = &repeat;
  }
  return found;
}

TEST(BandDistance, EveryBandIsSixSigmasFromAHealthyDeviceOrSaysWhyNot) {
  int judged = 0;
  for (const auto& file : recorded_files()) {
    const Dossier dossier = read_dossier(file);
    const Rules rules = load_rules(test::rules_dir(), dossier.level);
    const Repeat* between = between_of(rules.figures, dossier);
    for (const Invariant& invariant : rules.catalog.invariants) {
      const auto distance = distance_to_band(invariant, dossier, between);
      if (!distance) continue;
      ++judged;
      EXPECT_TRUE(distance->sigmas >= kSigmasWanted || !invariant.close_because.empty())
          << invariant.id << " in " << file.parent_path().filename() << ": " << distance->claim
          << " is " << distance->sigmas << " sigmas away (" << 100.0 * distance->rel << " % of "
          << 100.0 * distance->sigma << " %); widen the band, or say in `close_because` why not";
    }
  }
  EXPECT_GT(judged, 100);
}

TEST(BandDistance, AnExplanationIsForABandThatIsClose) {
  const Rules rules = test::rules();
  for (const Invariant& invariant : rules.catalog.invariants) {
    if (invariant.close_because.empty()) continue;
    bool is_close = false;
    for (const auto& file : recorded_files()) {
      const Dossier dossier = read_dossier(file);
      const auto distance =
          distance_to_band(invariant, dossier, between_of(rules.figures, dossier));
      // Twice the room: a new record must not make an honest explanation an error. An edge within
      // one percent is worth a word however little the fact moves.
      is_close =
          is_close ||
          (distance && (distance->sigmas < 2.0 * kSigmasWanted || std::abs(distance->rel) < 0.01));
    }
    EXPECT_TRUE(is_close) << invariant.id << ": nothing is close here";
  }
}

Invariant ratio_of(double low, double high) {
  Invariant invariant;
  invariant.id = "test.ratio";
  invariant.check.kind = CheckKind::ratio;
  invariant.check.terms = {Term{{"dram_bw.read"}, {"dram_bw.write"}, 1.0}};
  invariant.check.bands = {Band{{}, {}, {}, low, high, {}}};
  return invariant;
}

TEST(BandDistance, CountsSpreadsOfAllInputsToTheNearerEdge) {
  Dossier dossier = test::example();
  auto& facts = dossier.entries.at("dram_bw").facts;
  facts.at("read").value = 100.0;
  facts.at("write").value = 100.0;
  facts.at("read").rel_spread = 0.003;
  facts.at("write").rel_spread = 0.004;
  const auto distance = distance_to_band(ratio_of(0.9, 1.05), dossier, nullptr);
  ASSERT_TRUE(distance);
  EXPECT_NEAR(distance->sigma, 0.005, 1e-12);
  EXPECT_NEAR(distance->sigmas, std::log(1.05) / 0.005, 1e-9);
  RepeatSession session;
  session.facts["dram_bw.read"].robust_cv = 0.03;
  Repeat between;
  between.sessions = {session};
  EXPECT_GT(distance_to_band(ratio_of(0.9, 1.05), dossier, &between)->sigma, 0.03);
}

TEST(BandDistance, WhatIsExactOrDoesNotSpreadHasNone) {
  Dossier dossier = test::example();
  auto& facts = dossier.entries.at("dram_bw").facts;
  facts.at("read").rel_spread = 0.0;
  facts.at("write").rel_spread.reset();
  EXPECT_FALSE(distance_to_band(ratio_of(0.9, 1.05), dossier, nullptr));
  const Rules rules = test::rules();
  EXPECT_FALSE(distance_to_band(*rules.catalog.find("device.sm_census"), dossier, nullptr));
  EXPECT_FALSE(distance_to_band(*rules.catalog.find("drift.pinned"), dossier, nullptr));
}

}  // namespace
}  // namespace assay
