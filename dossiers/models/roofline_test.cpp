// SPDX-License-Identifier: Apache-2.0
// Are roofs, marks and charts right?
#include "dossiers/models/roofline.h"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "dossiers/cards/card_list.h"
#include "dossiers/models/chart.h"
#include "dossiers/test_support.h"

namespace assay {
namespace {

const CardList& shipped() {
  static const CardList list = read_cards(ASSAY_TEST_SOURCE_DIR "/dossiers/cards/cards.json");
  return list;
}

Rungs h100(Arithmetic arithmetic) {
  return rungs_of_card(card_by_key(shipped(), "h100-sxm"), arithmetic, PeakBasis::vendor);
}

TEST(Roofline, CaseD01_TheDensePeakGivesTheRidgeAndTheBound) {
  const Roof roof = roof_of(h100(Arithmetic::bf16), "");
  EXPECT_NEAR(ridge_flop_per_byte(roof), 295.4, 0.05);
  const Placement placed = place(roof, {"gemm", 400, 600});
  EXPECT_EQ(placed.bound, Bound::compute);
  EXPECT_NEAR(*placed.percent_of_roof, 60.6, 0.05);
  const Roof sparse{"sparse", 3350, 1979};  // what the headline would say
  EXPECT_NEAR(ridge_flop_per_byte(sparse), 590.7, 0.05);
  EXPECT_EQ(place(sparse, {"gemm", 400, 600}).bound, Bound::memory);
  EXPECT_NEAR(place(sparse, {"gemm", 400, 600}).attainable, 1340, 0.5);
}

/// A T4 by its driver's figures: 5001 MHz, 256 bits; 40 SMs of 64 lanes at 1590 MHz.
TEST(Roofline, FormulaVectorsOfAT4) {
  const Roof t4{"T4", 320.064, 8.1408};
  EXPECT_NEAR(ridge_flop_per_byte(t4), 25.4, 0.05);
  EXPECT_NEAR(attainable_tflops(t4, 0.33), 0.11, 0.005);
  EXPECT_EQ(place(t4, {"add", 0.33, {}}).bound, Bound::memory);
  EXPECT_FALSE(place(t4, {"add", 0.33, {}}).percent_of_roof);
  EXPECT_EQ(place(t4, {"at the ridge", ridge_flop_per_byte(t4), {}}).bound, Bound::compute);
}

/// An H100 at the 3347.2 GB/s and 66.91 TFLOP/s that another calculator derives.
TEST(Roofline, FormulaVectorsOfThreeCardsAt033) {
  EXPECT_NEAR(attainable_tflops({"h100", 3347.2, 66.91}, 0.33), 1.10, 0.005);
  EXPECT_NEAR(attainable_tflops({"a100", 2039.0, 19.49}, 0.33), 0.67, 0.005);
  EXPECT_NEAR(attainable_tflops({"4090", 1008.0, 82.58}, 0.33), 0.33, 0.005);
}

TEST(Roofline, ARateAboveTheRoofIsFlagged) {
  const Roof roof{"r", 1000, 100};
  EXPECT_TRUE(place(roof, {"k", 10, 10.2}).above_roof);
  EXPECT_FALSE(place(roof, {"k", 10, 10.05}).above_roof);  // rounding of the peak
  EXPECT_FALSE(place(roof, {"k", 10, {}}).above_roof);
}

TEST(Roofline, MarksAreReadStrictly) {
  const Mark mark = read_mark("void f<a::b>:0.25:1.5");
  EXPECT_EQ(mark.name, "void f<a::b>");
  EXPECT_DOUBLE_EQ(mark.flop_per_byte, 0.25);
  EXPECT_DOUBLE_EQ(*mark.tflops, 1.5);
  EXPECT_FALSE(read_mark("ns::add:0.25").tflops);
  EXPECT_EQ(read_mark("ns::add:0.25").name, "ns::add");
  for (const char* bad : {"", "add", ":1", "add:", "add:0", "add:-1", "add:1:", "add:1:nan",
                          "add:1:0x10", "add:0,5"}) {
    EXPECT_TRUE(
        holds(refusal<std::invalid_argument>([&] { return read_mark(bad).name; }), "--mark"))
        << bad;
  }
}

TEST(Roofline, ACardWithoutThePeakSaysWhy) {
  const auto rungs = [] {
    return rungs_of_card(card_by_key(shipped(), "t4"), Arithmetic::bf16, PeakBasis::vendor).title;
  };
  EXPECT_TRUE(holds(refusal<std::invalid_argument>(rungs), "t4: no bf16 peak: no BF16"));
}

TEST(Roofline, ADossiersRungsAreItsBestPlainMeasurements) {
  Dossier dossier = read_dossier(examples_dir() / "dossier.json");
  dossier.entries["mma"].facts["wgmma_f16_f32_zeros"] =
      measured(5000.0, Unit::tflop_per_s, "zeros", 1.9, {5000.0});
  const Rungs rungs = rungs_of_dossier(dossier);
  EXPECT_EQ(rungs.bandwidths.front().name, "DRAM");
  const BestFact best = best_fact(dossier, {"dram_bw.read", "dram_bw.write", "dram_bw.copy"});
  EXPECT_GE(rungs.bandwidths.front().value, best.value);
  for (const Rung& rung : rungs.peaks) {
    EXPECT_LT(rung.value, 5000.0) << rung.basis;  // zeros are no ceiling of real data
    EXPECT_TRUE(holds(rung.basis, "measured, "));
  }
  EXPECT_TRUE(holds(refusal<std::invalid_argument>([&] { return roof_of(rungs, "fp8").name; }),
                    "no 'fp8' here; there are fp32"));
}

TEST(Roofline, ADossierWithoutBandwidthHasNoRoof) {
  Dossier dossier = read_dossier(examples_dir() / "dossier.json");
  dossier.entries.erase("dram_bw");
  EXPECT_TRUE(holds(refusal<std::invalid_argument>([&] { return rungs_of_dossier(dossier).title; }),
                    "dram_bw"));
}

Chart t4_chart() {
  const Rungs rungs{"Tesla T4", {{"DRAM", 320.064, "given"}}, {{"fp32", 8.1408, "given"}}, ""};
  return chart_of(rungs, {{"add", 0.33, {}}});
}

TEST(RooflineChart, AsciiIsTheSameEverywhere) {
  TextStyle style;
  style.columns = 60;
  style.ascii = true;
  const std::string expected =
      "Tesla T4\n"
      "  TFLOP/s\n"
      "      10 |\n"
      "         |                               **1***************\n"
      "         |                            ****\n"
      "         |                         ****\n"
      "         |                      ****\n"
      "       1 |                   ****\n"
      "         |                ****\n"
      "         |             ****\n"
      "         |          ****\n"
      "         |       ****\n"
      "     0.1 |     *A*\n"
      "         |  ***\n"
      "         |**\n"
      "         |\n"
      "         |\n"
      "    0.01 |\n";
  const std::string chart = text_chart(t4_chart(), style);
  EXPECT_EQ(chart.find('\x1b'), std::string::npos);
  EXPECT_EQ(chart.substr(0, chart.find("         +")), expected) << chart;
  EXPECT_TRUE(holds(chart, "  1 * DRAM: 320.1 GB/s, up to 8.141 TFLOP/s\n"));
}

TEST(RooflineChart, KeepsToTheWidthAndColoursOnlyWhenAsked) {
  for (const int columns : {40, 80, 120}) {
    TextStyle style;
    style.columns = columns;
    style.ascii = true;
    const std::string chart = text_chart(t4_chart(), style);
    std::size_t start = 0;
    for (std::size_t end = chart.find('\n'); end != std::string::npos;
         start = end + 1, end = chart.find('\n', start)) {
      EXPECT_LE(end - start, std::max<std::size_t>(48, static_cast<std::size_t>(columns)));
    }
  }
  TextStyle colour;
  colour.colour = true;
  EXPECT_NE(text_chart(t4_chart(), colour).find("\x1b["), std::string::npos);
}

TEST(RooflineChart, AMarkFarOutWidensTheAxes) {
  Chart chart = t4_chart();
  chart.marks = {{"far", 5000.0, 0.0001}};
  const ChartRange range = range_of(chart);
  EXPECT_GE(range.ai_high, 10000.0);
  EXPECT_LE(range.tflops_low, 0.0001);
}

TEST(RooflineChart, SvgHoldsHostileNamesAsText) {
  Chart chart = t4_chart();
  chart.title = "A & B \"C\" <script>alert(1)</script>\n";
  chart.marks = {{"void reduce<256, op<float>>(const float*, T&&)", 0.5, 0.1}};
  const std::string svg = svg_chart(chart);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_TRUE(holds(svg, "reduce&lt;256, op&lt;float&gt;&gt;(const float*, T&amp;&amp;)"));
  EXPECT_TRUE(holds(svg, "A &amp; B &quot;C&quot;"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

}  // namespace
}  // namespace assay
