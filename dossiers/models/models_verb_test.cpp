// SPDX-License-Identifier: Apache-2.0
// What do `assay roofline`, `assay llm` and `assay ceiling` do, seen from outside?
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "dossiers/cli/verb_test_support.h"

namespace assay {
namespace {

const std::string kDossier = ASSAY_TEST_SOURCE_DIR "/dossiers/schema/examples/dossier.json";
constexpr const char* kNoGpu = "ASSAY_LIBCUDA=/nowhere/libcuda.so.1";

TEST(ModelVerbs, TheExamplesOfTheirHelpWork) {
  for (const char* verb : {"roofline", "llm", "ceiling"}) {
    const std::string example = example_of_help(verb);
    EXPECT_NE(example, "") << verb;
    const EndedVerb ended = run_built_verb(example);
    EXPECT_EQ(ended.code, 0) << example << ended.err;
    EXPECT_NE(ended.out, "");
  }
}

TEST(ModelVerbs, TheReadmeShowsWhatTheyPrint) {
  EXPECT_EQ(stale_readme_commands("dossiers/models/README.md"), "");
}

TEST(RooflineVerb, CaseD01_FromTheCardTheGivenPeaksAndAsJson) {
  const EndedVerb card =
      run_built_verb("roofline --card h100-sxm --dtype bf16 --mark gemm:400:600");
  EXPECT_TRUE(holds(card.out, "ridge: 295.4 FLOP/B"));
  EXPECT_TRUE(holds(card.out, "60.6  compute-bound"));
  const EndedVerb given =
      run_built_verb("roofline --peak-gbs 3350 --peak-tflops 989.5 --mark gemm:400:600 --json");
  const JsonNode json = parse_json(given.out, "stdout");
  EXPECT_NEAR(json.at("ridge_flop_per_byte").number(), 295.4, 0.05);
  EXPECT_NEAR(json.at("marks").items().at(0).at("percent_of_roof").number(), 60.6, 0.05);
  EXPECT_EQ(json.at("marks").items().at(0).at("bound").string(), "compute-bound");
}

TEST(RooflineVerb, DrawsTheMeasuredRungsOfADossierAndWritesSvg) {
  const TempFolder folder;
  const std::string svg = (folder / "roof.svg").string();
  const EndedVerb ended =
      run_built_verb("roofline --dossier '" + kDossier + "' --svg '" + svg + "'");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(holds(ended.out, "measured, dram_bw."));
  EXPECT_TRUE(holds(read_file(svg), "</svg>"));
  EXPECT_EQ(run_built_verb("roofline --card t4 --svg /nowhere/roof.svg").code, 2);
}

TEST(LlmVerb, CaseD05_FlagsAMeasurementAboveItsCeiling) {
  const std::string model =
      "llm 35b --active-params 3b --bits-per-weight 3 --peak-gbs 512 --memory 24GiB ";
  const EndedVerb own = run_built_verb(model + "--measured 77.6");
  EXPECT_EQ(own.code, 0);
  EXPECT_TRUE(holds(own.out, "read per decode step: 1.125 GB"));
  EXPECT_TRUE(holds(own.out, "13.125 GB"));
  EXPECT_TRUE(holds(own.out, "455.1"));
  EXPECT_TRUE(holds(own.out, "17.1 % of the ceiling: consistent"));
  const EndedVerb above = run_built_verb(model + "--measured 77.6 --ceiling 39.0");
  EXPECT_EQ(above.code, 1);
  EXPECT_TRUE(holds(above.out, "measurement above ceiling"));
  EXPECT_EQ(run_built_verb("llm 35b --active-params 36b --gpus 4090").code, 2);
}

TEST(LlmVerb, CaseD06_SizesCarryTheirUnits) {
  const std::string model = "llm 70.6b --weights 42.52GB --overhead 0B --peak-gbs 1000 ";
  const std::string cache = "--layers 80 --kv-heads 8 --head-dim 128 --context 4096 ";
  const EndedVerb alone = run_built_verb(model + "--memory 40960MiB");
  EXPECT_TRUE(holds(alone.out, "42.52 GB = 39.600 GiB"));
  EXPECT_TRUE(holds(alone.out, "4.818 bits"));
  EXPECT_TRUE(holds(alone.out, "40.00  yes      0.400"));
  const EndedVerb cached = run_built_verb(model + cache + "--memory 40960MiB");
  EXPECT_TRUE(holds(cached.out, "= 1.250 GiB"));
  EXPECT_TRUE(holds(cached.out, "40.00  no"));
  EXPECT_TRUE(holds(run_built_verb(model + cache + "--memory 49152MiB").out, "48.00  yes"));
  EXPECT_TRUE(
      holds(run_built_verb("llm 8.03b --peak-gbs 1008.096 --memory 24GiB --layers 32 --kv-heads 8 "
                           "--head-dim 128 --context 8192")
                .out,
            "58.84"));
}

TEST(LlmVerb, CaseA01_UnknownMemoryIsSaidAndASkip) {
  const EndedVerb unknown = run_built_verb("llm 8b --gpus gb10");
  EXPECT_EQ(unknown.code, 77);
  EXPECT_TRUE(holds(unknown.out, "memory unknown"));
  const EndedVerb given = run_built_verb("llm 8b --gpus gb10 --memory 119GiB");
  EXPECT_EQ(given.code, 0);
  EXPECT_EQ(given.out.find("memory unknown"), std::string::npos);
}

TEST(LlmVerb, OneLineForThePeopleWhoAskAboutTheirCards) {
  const EndedVerb ended = run_built_verb("llm 8b --quant q4 --gpus 4090 --batch 32 --per-watt");
  EXPECT_TRUE(holds(ended.out, "6952       217.2          10322     memory        15.45"));
  EXPECT_TRUE(holds(run_built_verb("llm 70b --quant q4 --gpus 3090 --num-gpus 2").out, "46.11"));
}

TEST(LlmVerb, WithoutAGpuItSaysSoAndWhatToDo) {
  const EndedVerb ended = run_built_verb("llm 8b", kNoGpu);
  EXPECT_EQ(ended.code, 77);
  EXPECT_TRUE(holds(ended.err, "name cards with --gpus"));
}

TEST(CeilingVerb, ShowsTheExampleAndTheRecordedRun) {
  const EndedVerb ended = run_built_verb("ceiling '" + kDossier + "' --json");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(parse_json(ended.out, "stdout").at("kind").string(), "ceiling");
  EXPECT_TRUE(holds(run_built_verb("ceiling").out, "a recorded run"));
}

TEST(ModelVerbs, BadInputIsOneLineThatNamesFlagValueAndWhatIsAllowed) {
  for (const auto& [command, part] : std::initializer_list<std::pair<const char*, const char*>>{
           {"roofline", "want one of --card KEY, --dossier FILE"},
           {"roofline --card t4 --peak-gbs 1 --peak-tflops 1", "want one of"},
           {"roofline --card t4 --ai 0", "--ai: '0': want a number above 0"},
           {"roofline --card t4 --mark add", "--mark: 'add'"},
           {"roofline --card t4 --dtype bf16", "no bf16 peak"},
           {"roofline --card t4 --peaks stated", "--peaks: 'stated' is none of vendor, derived"},
           {"roofline --peak-gbs 100", "--peak-gbs and --peak-tflops: want both"},
           {"roofline --card h100", "no card 'h100'; near: h100-"},
           {"roofline --card t4 --makr a:1", "near: --mark"},
           {"llm 70x --gpus 4090", "parameters: '70x': want a parameter count such as 70b"},
           {"llm 70b --quant q9 --gpus 4090", "--quant: 'q9' is none of f32"},
           {"llm 70b --gpus 4090 --batch 0", "--batch: '0': want a whole number from 1"},
           {"llm 70b --gpus 4090 --memory 24", "--memory: '24': want a size with its unit"},
           {"llm 70b --gpus 4090 --context 4096", "--layers"},
           {"llm 70b --gpus 4090 --quant q4 --weights 40GB", "want one of --quant"},
           {"llm 70b --gpus 4090 --cost t4=1", "--cost: 't4' is not among --gpus"},
           {"llm 70b --gpus 4090 --experts 8", "--experts: '8': want all:used"},
           {"ceiling /nowhere", "/nowhere: no such file"}}) {
    const EndedVerb ended = run_built_verb(command);
    EXPECT_EQ(ended.code, 2) << command << ended.out;
    EXPECT_EQ(ended.out, "") << command;
    EXPECT_TRUE(holds(ended.err, part));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

TEST(ModelVerbs, LocaleAndPipeChangeNothing) {
  for (const char* command : {"roofline --card h100-sxm --dtype bf16 --mark gemm:400.5:600.25",
                              "llm 70.6b --quant q4 --gpus a100-80gb", "ceiling"}) {
    const std::string plain = run_built_verb(command).out;
    EXPECT_EQ(run_built_verb(command, "LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8").out, plain);
    EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace assay
