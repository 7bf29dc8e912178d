// SPDX-License-Identifier: Apache-2.0
// Is the right card found, or none?
#include "dossiers/cards/card_list.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "dossiers/cards/testing/shipped_cards.h"
#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"

namespace assay {
namespace {

const std::string kFile = ASSAY_TEST_SOURCE_DIR "/dossiers/cards/cards.json";

std::string matched(const std::string& driver_name) {
  const CardMatch match = match_driver_name(shipped_cards(), driver_name);
  EXPECT_EQ(match.card == nullptr, !match.why.empty()) << driver_name;
  return match.card == nullptr ? "-" : match.card->key;
}

TEST(Cards, CaseD02_ANameIsMatchedToTheLetterOrUnknown) {
  EXPECT_EQ(matched("NVIDIA H100 80GB HBM3"), "h100-sxm5-80gb");
  EXPECT_EQ(matched("NVIDIA H100 PCIe"), "h100-pcie-80gb");
  EXPECT_EQ(matched("NVIDIA H100 NVL"), "h100-nvl-94gb");
  EXPECT_EQ(matched("NVIDIA H200"), "h200-sxm-141gb");
  EXPECT_EQ(matched("NVIDIA H20"), "h20-96gb");
  EXPECT_EQ(matched("NVIDIA L4"), "l4");
  EXPECT_EQ(matched("NVIDIA L40S"), "l40s");
  EXPECT_EQ(matched("NVIDIA L40"), "l40");
  EXPECT_EQ(matched("NVIDIA GeForce RTX 4090 Laptop GPU"), "-");
  EXPECT_EQ(matched("NVIDIA GeForce RTX 4090 D"), "-");
  EXPECT_EQ(matched("NVIDIA GeForce RTX 3070 Ti"), "rtx-3070-ti");
  EXPECT_EQ(matched("NVIDIA GeForce RTX 3070"), "rtx-3070");
  EXPECT_EQ(matched("NVIDIA RTX A6000"), "rtx-a6000");
  EXPECT_EQ(matched("NVIDIA RTX 6000 Ada Generation"), "rtx-6000-ada");
  EXPECT_EQ(matched("Quadro RTX 6000"), "quadro-rtx-6000");
  EXPECT_EQ(matched("NVIDIA GB10"), "gb10-spark");
  EXPECT_EQ(matched("NVIDIA A100-SXM4-80GB MIG 3g.40gb"), "-");
  EXPECT_EQ(matched("NVIDIA H200 PCIe"), "-");
  EXPECT_EQ(matched("H100"), "-");
  EXPECT_EQ(matched(""), "-");
  EXPECT_EQ(matched("nvidia h200"), "-");
}

TEST(Cards, CaseD02_AMigSliceAndASharedNameSayWhyTheyAreUnknown) {
  EXPECT_TRUE(
      holds(match_driver_name(shipped_cards(), "NVIDIA A100-SXM4-80GB MIG 3g.40gb").why, "MIG"));
  EXPECT_TRUE(holds(match_driver_name(shipped_cards(), "NVIDIA GeForce RTX 3060").why, "several"));
  EXPECT_EQ(matched("NVIDIA GeForce RTX 3080"), "-");
}

TEST(Cards, OlderDriversLeaveNvidiaOut) {
  EXPECT_EQ(matched("A100-SXM4-80GB"), "a100-sxm4-80gb");
  EXPECT_EQ(matched("GeForce RTX 3090"), "rtx-3090");
}

TEST(Cards, AKeyIsFoundByAliasAndByTheNumberOfAGeForce) {
  EXPECT_EQ(card_by_key(shipped_cards(), "3090").key, "rtx-3090");
  EXPECT_EQ(card_by_key(shipped_cards(), "RTX_4090").key, "rtx-4090");
  EXPECT_EQ(card_by_key(shipped_cards(), "h100-sxm").key, "h100-sxm5-80gb");
  EXPECT_EQ(card_by_key(shipped_cards(), "a100-80gb").key, "a100-sxm4-80gb");
}

TEST(Cards, AnUnknownKeyNamesTheNearestAndIsNeverGuessed) {
  const std::string a100 =
      refusal<UnknownCard>([] { return card_by_key(shipped_cards(), "a100").key; });
  EXPECT_TRUE(holds(a100, "no card 'a100'; near: "));
  EXPECT_TRUE(holds(a100, "a100-sxm4-40gb"));
  EXPECT_TRUE(holds(refusal<UnknownCard>([] { return card_by_key(shipped_cards(), "xyz").key; }),
                    "no card 'xyz'; `assay cards`"));
  EXPECT_TRUE(
      holds(refusal<UnknownCard>([] { return card_by_key(shipped_cards(), "h100-sxn").key; }),
            "near: h100-sxm"));
}

TEST(Cards, TheListIsAsLargeAsItSays) {
  EXPECT_EQ(shipped_cards().cards.size(), 100U);
  EXPECT_EQ(std::count_if(shipped_cards().cards.begin(), shipped_cards().cards.end(),
                          [](const Card& card) { return card.vendor == "amd"; }),
            19);
}

/// The shipped list with its first `from` replaced by `to`.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = read_file(kFile);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string reading(const std::string& from, const std::string& to) {
  const TempFolder folder;
  return refusal<DataError>(
      [&] { return read_cards(folder.write("cards.json", changed(from, to))).cards.size(); });
}

TEST(Cards, TheReaderRefusesWithLineAndPath) {
  EXPECT_TRUE(holds(reading("\"units\": {\"value\": 80,", "\"units\": {\"value\": 0,"),
                    "cards[0].figures.units.value: want a number above 0"));
  EXPECT_TRUE(holds(reading("{\"value\": null, \"why\": \"the vendor states tensor peaks at the "
                            "boost clock\"}",
                            "{\"value\": null}"),
                    "null needs a `why`"));
  EXPECT_TRUE(holds(reading("\"from\": \"checked\"", "\"from\": \"guessed\""), "'guessed'"));
  EXPECT_TRUE(holds(reading("\"from\": \"checked\"}", "\"from\": \"checked\", \"x\": 1}"), "x"));
  EXPECT_TRUE(holds(reading("\"tdp_w\"", "\"tdp_kw\""), "unknown figure"));
  EXPECT_TRUE(holds(reading("\"key\": \"v100-pcie-16gb\"", "\"key\": \"v100-sxm2-16gb\""),
                    "'v100-sxm2-16gb' is taken by v100-sxm2-16gb"));
  EXPECT_TRUE(holds(reading("[\"Tesla V100-PCIE-16GB\"]", "[\"Tesla T4\"]"), "is taken by"));
  EXPECT_TRUE(holds(reading("\"vendor\": \"nvidia\"", "\"vendor\": \"nvida\""), "allowed"));
  EXPECT_TRUE(holds(reading("\"kind\": \"cards\"", "\"kind\": \"dossier\""), "kind"));
}

TEST(Cards, PeaksStandOnTheRungThatWasAskedFor) {
  const Card& h100 = card_by_key(shipped_cards(), "h100-sxm");
  EXPECT_DOUBLE_EQ(*peak_tflops(h100, Arithmetic::bf16, PeakBasis::vendor).value, 989.5);
  EXPECT_DOUBLE_EQ(*bandwidth_gbs(h100, PeakBasis::vendor).value, 3350.0);
  EXPECT_NEAR(*peak_tflops(h100, Arithmetic::fp32, PeakBasis::derived).value, 66.91, 0.005);
  EXPECT_NEAR(*peak_tflops(h100, Arithmetic::bf16, PeakBasis::derived).value, 989.43, 0.005);
  EXPECT_NEAR(*bandwidth_gbs(h100, PeakBasis::derived).value, 3352.32, 0.005);
  const Card& t4 = card_by_key(shipped_cards(), "t4");
  EXPECT_FALSE(peak_tflops(t4, Arithmetic::bf16, PeakBasis::derived).value);
  EXPECT_TRUE(holds(peak_tflops(t4, Arithmetic::bf16, PeakBasis::vendor).why, "no BF16"));
  const Card& l40 = card_by_key(shipped_cards(), "l40");  // states the FP32-accumulate rate only
  EXPECT_EQ(peak_tflops(l40, Arithmetic::fp16_f16, PeakBasis::vendor).basis, PeakBasis::derived);
}

/// 8.1, 312 and 71 are roundings of what clock and rate give; 3350 and 989.5 are other figures.
TEST(Cards, AVendorsRoundingKeepsAllDigitsOfWhatItRounds) {
  const auto vendor = [](const char* key, Arithmetic arithmetic) {
    return *peak_tflops(card_by_key(shipped_cards(), key), arithmetic, PeakBasis::vendor).value;
  };
  EXPECT_NEAR(vendor("t4", Arithmetic::fp32), 8.1408, 1e-9);
  EXPECT_NEAR(vendor("a100-80gb", Arithmetic::fp16), 311.869, 0.001);
  EXPECT_NEAR(vendor("3090", Arithmetic::fp16), 71.163, 0.001);
  EXPECT_DOUBLE_EQ(vendor("h20", Arithmetic::fp32), 44.0);  // 39.5 follows: no rounding
}

/// SMs, FP16 rates per clock and clocks from two architecture tables, recomputed by hand.
TEST(Cards, DerivedPeaksOfKnownCardsAreExact) {
  const auto fp16 = [](const char* key) {
    return *derived_tflops(card_by_key(shipped_cards(), key), Arithmetic::fp16);
  };
  EXPECT_NEAR(*derived_tflops(card_by_key(shipped_cards(), "t4"), Arithmetic::fp32), 8.14, 0.005);
  EXPECT_NEAR(fp16("a100-80gb"), 311.9, 0.05);
  EXPECT_NEAR(fp16("mi300x"), 1307.4, 0.05);
  EXPECT_NEAR(*derived_tflops(card_by_key(shipped_cards(), "mi300x"), Arithmetic::fp32), 163.4,
              0.05);
  EXPECT_NEAR(fp16("rtx-4090"), 165.15, 0.005);  // half of the headline: FP32 accumulation
}

void expect_near(const Card& card, std::optional<double> derived, const Figure& stated,
                 std::string_view name) {
  if (!stated.value || !stated.why.empty()) return;
  ASSERT_TRUE(derived) << card.key << " " << name;
  EXPECT_NEAR(*derived / *stated.value, 1.0, 0.02) << card.key << " " << name;
}

TEST(Cards, EachDerivesWithin2PercentOfTheVendorsOrSaysWhy) {
  for (const Card& card : shipped_cards().cards) {
    expect_near(card, derived_bandwidth_gbs(card), card.figures.bandwidth_gbs, "bandwidth");
    for (const Arithmetic one : {Arithmetic::fp32, Arithmetic::fp16, Arithmetic::fp16_f16,
                                 Arithmetic::bf16, Arithmetic::tf32}) {
      expect_near(card, derived_tflops(card, one), stated_tflops(card, one), to_string(one));
    }
  }
}

}  // namespace
}  // namespace assay
