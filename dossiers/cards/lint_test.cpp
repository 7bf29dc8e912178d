// SPDX-License-Identifier: Apache-2.0
// Does lint refuse what must not be in a card list?
#include "dossiers/cards/lint.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "dossiers/cards/testing/shipped_cards.h"
#include "dossiers/test_support.h"

namespace assay {
namespace {

/// What lint says of the shipped list after one card was changed: "figure: what" per finding.
std::string findings_after(const std::string& key, const std::function<void(Card&)>& change) {
  CardList list = shipped_cards();
  for (Card& card : list.cards) {
    if (card.key == key) change(card);
  }
  std::string text;
  for (const LintFinding& finding : lint_cards(list)) {
    text += finding.card + ": " + finding.figure + ": " + finding.what + "\n";
  }
  return text;
}

TEST(CardsLint, TheShippedListIsClean) {
  EXPECT_EQ(findings_after("", [](Card&) {}), "");
}

TEST(CardsLint, CaseD01_ASparsePeakAmongDenseOnesIsRefusedWhateverItSays) {
  const auto sparse = [](Card& card) {
    card.figures.fp16_f32_tflops.value = 1979;
    card.figures.fp16_f32_tflops.why = "the headline";
  };
  EXPECT_TRUE(holds(findings_after("h100-sxm5-80gb", sparse),
                    "h100-sxm5-80gb: fp16_f32_tflops: 1979 is twice the 989.4"));
  const auto both = [](Card& card) {
    card.figures.bf16_f32_tflops.value = 1979;
    card.figures.bf16_f32_sparse_tflops.value = 3958;
    card.figures.tf32_f32_tflops.value = 989.5;
  };
  EXPECT_TRUE(holds(findings_after("h100-sxm5-80gb", both), "bf16_f32_tflops: 1979 is twice"));
}

TEST(CardsLint, CaseD01_SparseIsTwiceDenseWithin1Percent) {
  const auto set = [](double sparse) {
    return [sparse](Card& card) { card.figures.bf16_f32_sparse_tflops.value = sparse; };
  };
  EXPECT_EQ(findings_after("a100-sxm4-80gb", set(624 * 1.009)), "");
  EXPECT_TRUE(holds(findings_after("a100-sxm4-80gb", set(624 * 1.012)),
                    "bf16_f32_sparse_tflops: 631.49 is not twice the dense 312 within 1 %"));
  EXPECT_TRUE(holds(findings_after("a100-sxm4-80gb", set(312)), "is not twice"));
}

TEST(CardsLint, CaseD01_EveryEntryStatesDense) {
  EXPECT_TRUE(holds(findings_after("a100-sxm4-80gb",
                                   [](Card& card) {
                                     card.figures.bf16_f32_tflops = {{}, {}, "?"};
                                   }),
                    "every entry states dense"));
}

TEST(CardsLint, CaseD01_Tf32IsHalfOfBf16OrSaysWhy) {
  const auto tf32 = [](double tflops, const char* why) {
    return [tflops, why](Card& card) {
      card.figures.tf32_f32_tflops = {tflops, Provenance::recalled, why};
    };
  };
  EXPECT_TRUE(holds(findings_after("a100-sxm4-80gb", tf32(312, "")),
                    "tf32_f32_tflops: 312 is not half of BF16's 312"));
  EXPECT_TRUE(holds(findings_after("a100-sxm4-80gb", tf32(140, "")), "is not half of BF16's 312"));
  EXPECT_EQ(findings_after("a100-sxm4-80gb", tf32(140, "a reason")), "");
}

TEST(CardsLint, APeakFollowsWithin2PercentOrSaysWhy) {
  const auto bandwidth = [](double gbs, const char* why) {
    return [gbs, why](Card& card) {
      card.figures.bandwidth_gbs = {gbs, Provenance::recalled, why};
    };
  };
  EXPECT_EQ(findings_after("rtx-4090", bandwidth(1008 / 1.019, "")), "");
  EXPECT_TRUE(holds(findings_after("rtx-4090", bandwidth(1008 / 1.021, "")), "bandwidth_gbs"));
  EXPECT_EQ(findings_after("rtx-4090", bandwidth(1008 / 1.021, "rounded")), "");
  EXPECT_TRUE(holds(findings_after("rtx-4090", bandwidth(1008 * 2, "said twice")), "is twice"));
}

TEST(CardsLint, OneWrongSmCountFailsThatCardAlone) {
  const std::string said =
      findings_after("rtx-4090", [](Card& card) { card.figures.units.value = 120; });
  EXPECT_TRUE(holds(said, "rtx-4090: fp32_tflops"));
  EXPECT_EQ(said.find("rtx-4080"), std::string::npos);
}

TEST(CardsLint, UnitSlipsAreNamed) {
  EXPECT_TRUE(holds(findings_after("t4", [](Card& card) { card.figures.boost_mhz.value = 1.59; }),
                    "boost_mhz: 1.59 MHz is outside 300 to 5000: wrong unit?"));
  EXPECT_TRUE(
      holds(findings_after("t4", [](Card& card) { card.figures.bandwidth_gbs.value = 0.32; }),
            "bandwidth_gbs: 0.32 GB/s is outside"));
  EXPECT_TRUE(holds(findings_after("t4", [](Card& card) { card.figures.memory_gib.value = 16384; }),
                    "memory_gib"));
  EXPECT_TRUE(holds(findings_after("t4", [](Card& card) { card.figures.bus_bits.value = 32; }),
                    "bandwidth_gbs: 320 stated, 40 follows"));
}

TEST(CardsLint, CopiedRowsAreRefusedUnlessTheySaySo) {
  const auto copy = [](Card& card) {
    card.figures = card_by_key(shipped_cards(), "rtx-4090").figures;
  };
  EXPECT_TRUE(holds(findings_after("rtx-4080", copy), "all equal those of rtx-4080"));
  EXPECT_TRUE(holds(findings_after("h800-pcie-80gb", [](Card& card) { card.same_figures_as = ""; }),
                    "h800-pcie-80gb: figures: all equal those of h100-pcie-80gb"));
  EXPECT_TRUE(holds(findings_after("t4", [](Card& card) { card.same_figures_as = "l4"; }),
                    "t4: same_figures_as: 'l4' has other figures"));
}

TEST(CardsLint, RatesFitTheArchitecture) {
  EXPECT_TRUE(
      holds(findings_after("a2", [](Card& card) { card.figures.fp16_f32_per_clock.value = 768; }),
            "is neither all nor half"));
  EXPECT_TRUE(
      holds(findings_after("b100", [](Card& card) { card.figures.fp32_per_clock.value = 128; }),
            "fp32_per_clock: 128, but compute capability 10.0 has 256"));
  EXPECT_EQ(*fp32_per_clock_of("8.0"), 128.0);
  EXPECT_EQ(*fp32_per_clock_of("8.6"), 256.0);
  EXPECT_FALSE(fp32_per_clock_of("13.0"));
}

TEST(CardsLint, APeakThatCannotBeDerivedSaysWhy) {
  EXPECT_TRUE(holds(findings_after("b100", [](Card& card) { card.figures.fp32_tflops.why = ""; }),
                    "fp32_tflops: cannot be derived"));
}

}  // namespace
}  // namespace assay
