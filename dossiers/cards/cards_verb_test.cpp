// SPDX-License-Identifier: Apache-2.0
// What does `assay cards` do, seen from outside?
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "dossiers/cli/verb_test_support.h"

namespace assay {
namespace {

constexpr const char* kCompare =
    "cards compare 4090 a100-80gb h100-sxm --ai 0.33 "
    "--cost 4090=0.35,a100-80gb=1.19,h100-sxm=2.69";

TEST(CardsVerb, TheExampleOfItsHelpWorks) {
  const std::string example = example_of_help("cards");
  EXPECT_EQ(example, kCompare);
  EXPECT_EQ(run_built_verb(example).code, 0);
}

TEST(CardsVerb, TheReadmeShowsWhatItPrints) {
  EXPECT_EQ(stale_readme_commands("dossiers/cards/README.md"), "");
}

/// Of another calculator's manual, whose H100 has 3347 GB/s; the vendor states 3350.
TEST(CardsVerb, CompareSaysWhatTheMoneyBuys) {
  const EndedVerb ended = run_built_verb(kCompare);
  EXPECT_TRUE(
      holds(ended.out, "rtx-4090        1008     82.6    165.2   81.9      0.33        1.00x"));
  EXPECT_TRUE(holds(ended.out, "0.35        0.95  memory"));
  EXPECT_TRUE(holds(ended.out, "0.67        2.02x"));
  EXPECT_TRUE(holds(ended.out, "1.19        0.57  memory"));
  EXPECT_TRUE(holds(ended.out, "3.32x"));
  EXPECT_TRUE(holds(ended.out, "2.69        0.41  memory"));
  EXPECT_TRUE(holds(ended.out, "every card is memory-bound: bandwidth is what you are buying"));
  EXPECT_TRUE(holds(ended.out, "most per dollar rtx-4090"));
}

TEST(CardsVerb, CompareBeyondTheRidgesBuysArithmetic) {
  EXPECT_TRUE(holds(run_built_verb("cards compare 4090 h100-sxm --ai 1000 --dtype bf16").out,
                    "every card is compute-bound: bf16 rate is what you are buying"));
  EXPECT_TRUE(holds(run_built_verb("cards compare 4090 h100-sxm --ai 40").out,
                    "rtx-4090 buy bandwidth (memory-bound), h100-sxm5-80gb buy fp32"));
}

TEST(CardsVerb, CompareInJsonHoldsNullsForWhatACardLacks) {
  const EndedVerb ended = run_built_verb("cards compare t4 l4 --ai 10 --dtype bf16 --json");
  EXPECT_EQ(ended.code, 0);
  const JsonNode rows = parse_json(ended.out, "stdout").at("cards");
  EXPECT_TRUE(rows.items().at(0).at("attainable_tflops").is_null());
  EXPECT_TRUE(rows.items().at(1).at("against_first").is_null());
  EXPECT_DOUBLE_EQ(rows.items().at(1).at("attainable_tflops").number(), 3.0);
}

TEST(CardsVerb, CaseD02_MatchIsAKeyOrUnknownWithExit1) {
  EXPECT_EQ(run_built_verb("cards --match 'NVIDIA H100 80GB HBM3'").out,
            "h100-sxm5-80gb  H100 SXM5 80GB\n");
  const EndedVerb laptop = run_built_verb("cards --match 'NVIDIA GeForce RTX 4090 Laptop GPU'");
  EXPECT_EQ(laptop.code, 1);
  EXPECT_EQ(laptop.out.rfind("unknown: ", 0), 0U);
  EXPECT_TRUE(holds(laptop.out, "similar but not it: NVIDIA GeForce RTX 4090"));
  const EndedVerb json = run_built_verb("cards --json --match 'NVIDIA GeForce RTX 4090 D'");
  EXPECT_TRUE(parse_json(json.out, "stdout").at("card").is_null());
}

TEST(CardsVerb, ShowTellsEachFigureWithItsProvenance) {
  const EndedVerb ended = run_built_verb("cards show b200");
  EXPECT_TRUE(holds(ended.out, "tensor_mhz"));
  EXPECT_TRUE(holds(ended.out, "back_solved"));
  EXPECT_TRUE(holds(ended.out, "-4.1 %"));
  const JsonNode card =
      parse_json(run_built_verb("cards show t4 --json").out, "stdout").at("cards").items().at(0);
  EXPECT_EQ(card.at("figures").at("bandwidth_gbs").at("from").string(), "checked");
  EXPECT_TRUE(card.at("figures").at("tf32_f32_tflops").at("value").is_null());
}

TEST(CardsVerb, LintOfABadListIsExit1AndOfAMalformedOne2) {
  EXPECT_EQ(run_built_verb("cards lint").code, 0);
  const TempFolder folder;
  std::string text = read_file(ASSAY_TEST_SOURCE_DIR "/dossiers/cards/cards.json");
  const std::string before = "\"tf32_f32_tflops\": {\"value\": 156,";
  text.replace(text.find(before), before.size(), "\"tf32_f32_tflops\": {\"value\": 312,");
  const auto bad = folder.write("bad.json", text).string();
  const EndedVerb ended = run_built_verb("cards lint --file '" + bad + "'");
  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(holds(ended.out, "a100-sxm4-40gb: tf32_f32_tflops: 312 is not half"));
  const auto broken = folder.write("broken.json", "{\"schema\": 1}").string();
  EXPECT_EQ(run_built_verb("cards lint --file '" + broken + "'").code, 2);
}

TEST(CardsVerb, BadInputIsOneLineThatNamesFlagValueAndWhatIsAllowed) {
  for (const auto& [command, part] : std::initializer_list<std::pair<const char*, const char*>>{
           {"cards compare 4090 --ai 0", "--ai: '0': want a number above 0"},
           {"cards compare 4090 --ai nan", "--ai: 'nan': want a number above 0"},
           {"cards compare 4090 --ai 0,33", "--ai: '0,33'"},
           {"cards compare 4090", "--ai is required"},
           {"cards compare 4091 --ai 1", "no card '4091'; near: rtx-4090"},
           {"cards compare 4090 --ai 1 --dtype fp8", "--dtype: 'fp8' is none of fp32, fp16"},
           {"cards compare 4090 --ai 1 --cost 4090=free", "--cost: '4090=free': want name=price"},
           {"cards compare 4090 --ai 1 --cost t4=1", "--cost: 't4' is not compared here"},
           {"cards compare 4090 --ai 1 --dtyp fp32", "near: --dtype"},
           {"cards show a100", "no card 'a100'; near: "},
           {"cards --file /nowhere/cards.json", "/nowhere/cards.json"}}) {
    const EndedVerb ended = run_built_verb(command);
    EXPECT_EQ(ended.code, 2) << command;
    EXPECT_EQ(ended.out, "") << command;
    EXPECT_TRUE(holds(ended.err, part));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

TEST(CardsVerb, LocaleAndPipeChangeNothing) {
  const std::string plain = run_built_verb(kCompare).out;
  EXPECT_EQ(run_built_verb(kCompare, "LC_ALL=de_DE.UTF-8").out, plain);
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);  // no colour in a pipe
  const std::string ascii = run_built_verb(std::string(kCompare) + " --ascii").out;
  EXPECT_TRUE(std::all_of(ascii.begin(), ascii.end(),
                          [](char letter) { return static_cast<unsigned char>(letter) < 128; }));
}

}  // namespace
}  // namespace assay
