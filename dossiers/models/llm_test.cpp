// SPDX-License-Identifier: Apache-2.0
// Are the ceilings of language models right?
#include "dossiers/models/llm.h"

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "dossiers/cards/card_list.h"
#include "dossiers/cli/numbers.h"
#include "dossiers/models/llm_devices.h"
#include "dossiers/models/llm_text.h"
#include "dossiers/models/prefixes.h"
#include "dossiers/test_support.h"

namespace assay {
namespace {

constexpr double kMebi = 1048576.0;

LlmModel dense(double parameters, double bits) {
  LlmModel model;
  model.parameters = parameters;
  model.active = parameters;
  model.bits_per_weight = bits;
  return model;
}

LlmDevice device(double gbs, double gibi = 0.0, double tflops = 0.0) {
  LlmDevice made;
  made.name = "device";
  made.gbs = gbs;
  if (gibi > 0.0) made.memory_bytes = gibi * kGibi;
  if (tflops > 0.0) made.tflops = tflops;
  return made;
}

LlmLoad load(int batch = 1, double context = 0.0, double overhead = 0.0) {
  LlmLoad made;
  made.batch = batch;
  made.context = context;
  made.overhead_bytes = overhead;
  return made;
}

TEST(Llm, CaseD05_AMixtureReadsItsActiveParametersAndStoresAll) {
  LlmModel model = dense(35e9, 3.0);
  model.active = 3e9;
  const LlmCeiling ceiling = llm_ceiling(model, device(512), load());
  EXPECT_DOUBLE_EQ(ceiling.step_bytes, 1.125e9);
  EXPECT_NEAR(*ceiling.decode_tokens, 455.1, 0.05);
  EXPECT_DOUBLE_EQ(ceiling.weight_bytes, 13.125e9);
  const MeasuredAgainst own = measured_against(77.6, ceiling.decode_tokens);
  EXPECT_NEAR(*own.percent, 17.1, 0.05);
  EXPECT_FALSE(own.above);
  EXPECT_TRUE(measured_against(77.6, 39.0).above);  // a ceiling from all parameters
}

TEST(Llm, CaseD05_MoreActiveThanAllIsRefusedAndDenseUsesAll) {
  LlmModel model = dense(35e9, 3.0);
  model.active = 36e9;
  EXPECT_TRUE(holds(refusal<std::invalid_argument>([&] {
                      check_model(model);
                      return 0;
                    }),
                    "--active-params"));
  EXPECT_DOUBLE_EQ(parameters_read(dense(8e9, 16.0), 32), 8e9);
}

TEST(Llm, CaseD06_TheCacheHasKvHeadsNotQueryHeads) {
  EXPECT_DOUBLE_EQ(kv_bytes_per_token({32, 8, 128, 16.0}), 131072.0);
  EXPECT_DOUBLE_EQ(8192 * kv_bytes_per_token({32, 8, 128, 16.0}), 1073741824.0);
  EXPECT_DOUBLE_EQ(8192 * kv_bytes_per_token({32, 32, 128, 16.0}), 4 * kGibi);
}

TEST(Llm, CaseD06_GbAndGibAreToldApart) {
  EXPECT_EQ(size_text(42.52e9), "42.52 GB = 39.600 GiB");
  LlmModel model = dense(70.6e9, 42.52e9 * 8.0 / 70.6e9);
  EXPECT_NEAR(model.bits_per_weight, 4.818, 0.0005);
  LlmDevice card = device(1000);
  card.memory_bytes = 40960 * kMebi;
  const LlmCeiling alone = llm_ceiling(model, card, load());
  EXPECT_EQ(alone.fits, Fits::yes);
  EXPECT_NEAR(*alone.left_bytes / kGibi, 0.400, 0.0005);
  model.kv = KvShape{80, 8, 128, 16.0};
  const LlmCeiling cached = llm_ceiling(model, card, load(1, 4096));
  EXPECT_DOUBLE_EQ(cached.kv_bytes, 1.25 * kGibi);
  EXPECT_EQ(cached.fits, Fits::no);
  card.memory_bytes = 49152 * kMebi;
  EXPECT_EQ(llm_ceiling(model, card, load(1, 4096)).fits, Fits::yes);
}

TEST(Llm, CaseD06_TheCacheIsReadToo) {
  LlmModel model = dense(8.03e9, 16.0);
  model.kv = KvShape{32, 8, 128, 16.0};
  EXPECT_NEAR(*llm_ceiling(model, device(1008.096), load()).decode_tokens, 62.77, 0.005);
  EXPECT_NEAR(*llm_ceiling(model, device(1008.096), load(1, 8192)).decode_tokens, 58.84, 0.005);
}

/// The peaks are those that another calculator derives, tensor rates at the boost clock.
TEST(Llm, FormulaVectorsOfA70bModelAtQ4) {
  const LlmModel model = dense(70e9, bits_of_quantisation("q4"));
  EXPECT_NEAR(weight_bytes(model) / 1e9, 40.6, 0.001);
  const LlmLoad usual = load(1, 0.0, 2e9);
  const LlmCeiling a100 = llm_ceiling(model, device(2039.0, 80, 311.9), usual);
  EXPECT_NEAR(*a100.decode_tokens, 50, 0.5);
  EXPECT_NEAR(*a100.prefill_tokens, 2228, 0.5);
  EXPECT_EQ(a100.fits, Fits::yes);
  const LlmCeiling h100 = llm_ceiling(model, device(3347.2, 80, 1070.53), usual);
  EXPECT_NEAR(*h100.decode_tokens, 82, 0.5);
  EXPECT_NEAR(*h100.prefill_tokens, 7647, 0.5);
  EXPECT_EQ(llm_ceiling(model, device(1008.0, 24, 165.15), usual).fits, Fits::no);
  EXPECT_NEAR(*llm_ceiling(model, device(5300.0, 192), usual).decode_tokens, 131, 0.5);
}

TEST(Llm, FormulaVectorsOfSeveralDevicesBatchesAndPrices) {
  LlmLoad two = load(1, 0.0, 2e9);
  two.devices = 2;
  const LlmModel model = dense(70e9, bits_of_quantisation("q4"));
  const LlmCeiling pair = llm_ceiling(model, device(936.0, 24, 71.16), two);
  EXPECT_EQ(pair.fits, Fits::yes);
  EXPECT_NEAR(*pair.decode_tokens, 46, 0.5);
  EXPECT_NEAR(*pair.prefill_tokens, 1017, 0.5);
  LlmDevice card = device(1008.0, 24, 165.15);
  card.watts = 450;
  const LlmCeiling batch = llm_ceiling(dense(8e9, bits_of_quantisation("q4")), card, load(32));
  EXPECT_NEAR(*batch.decode_tokens, 6952, 0.5);
  EXPECT_NEAR(*batch.stream_tokens, 217, 0.5);
  EXPECT_NEAR(*batch.prefill_tokens, 10322, 0.5);
  EXPECT_NEAR(*batch.tokens_per_watt, 15.45, 0.005);
  LlmDevice a100 = device(2039.0, 80, 311.9);
  a100.dollars_per_hour = 1.19;
  EXPECT_NEAR(*llm_ceiling(model, a100, load()).tokens_per_dollar, 42.2, 0.05);
  LlmDevice h100 = device(3347.2, 80, 1070.53);
  h100.dollars_per_hour = 2.69;
  EXPECT_NEAR(*llm_ceiling(model, h100, load()).tokens_per_dollar, 30.6, 0.05);
}

TEST(Llm, FormulaVectorsOfAMixtureOnEightDevices) {
  LlmModel model = dense(671e9, bits_of_quantisation("q4"));
  model.active = 37e9;
  LlmLoad eight = load();
  eight.devices = 8;
  const LlmCeiling ceiling = llm_ceiling(model, device(3347.2, 80, 1070.53), eight);
  EXPECT_NEAR(*ceiling.decode_tokens, 1248, 0.5);
  EXPECT_NEAR(*ceiling.prefill_tokens, 115733, 1.0);
}

TEST(Llm, ABatchOfAMixtureReadsTheExpectedDistinctExperts) {
  LlmModel model = dense(671e9, 4.64);
  model.active = 37e9;
  model.experts = Experts{256, 8};
  const double one = (671e9 - 37e9) / (256 - 8);  // an expert, of all layers together
  EXPECT_DOUBLE_EQ(parameters_read(model, 1), 37e9);
  const double distinct = 256 * (1.0 - std::pow(1.0 - 8.0 / 256.0, 32));
  EXPECT_NEAR(parameters_read(model, 32), 37e9 - 8 * one + distinct * one, 1.0);
  EXPECT_NEAR(parameters_read(model, 100000), 671e9, 1.0);  // in the end all are read
  model.experts.reset();
  EXPECT_DOUBLE_EQ(parameters_read(model, 32), 37e9);  // a bound from below
}

TEST(Llm, ExpertsThatCannotBeAreRefused) {
  LlmModel model = dense(671e9, 4.64);
  model.active = 37e9;
  for (const Experts& bad : {Experts{8, 8}, Experts{8, 0}, Experts{8, 9}, Experts{256, 200}}) {
    model.experts = bad;
    EXPECT_TRUE(holds(refusal<std::invalid_argument>([&] {
                        check_model(model);
                        return 0;
                      }),
                      "--experts"))
        << bad.total << ":" << bad.used;
  }
}

TEST(Llm, CaseA01_UnknownMemoryIsNeitherFitNorMisfit) {
  const LlmCeiling ceiling = llm_ceiling(dense(8e9, 16.0), device(273), load());
  EXPECT_EQ(ceiling.fits, Fits::unknown);
  EXPECT_FALSE(ceiling.left_bytes);
  EXPECT_TRUE(ceiling.decode_tokens);  // what needs no memory size is still said
  const CardList list = read_cards(ASSAY_TEST_SOURCE_DIR "/dossiers/cards/cards.json");
  const LlmDevice gb10 = llm_device(card_by_key(list, "gb10"), Arithmetic::fp16, PeakBasis::vendor);
  EXPECT_FALSE(gb10.memory_bytes);
  EXPECT_TRUE(holds(gb10.memory_why, "unified"));
}

TEST(Llm, CaseA01_ADossierWithoutMemorySaysItsReason) {
  Dossier dossier = read_dossier(ASSAY_TEST_SOURCE_DIR "/dossiers/schema/examples/dossier.json");
  dossier.entries["device"].facts["memory_bytes"] =
      absent(Unit::bytes, "driver", {NullKind::not_available, "the driver says so"});
  const LlmDevice made = llm_device(dossier, Arithmetic::fp16);
  EXPECT_FALSE(made.memory_bytes);
  EXPECT_EQ(made.memory_why, "not available: the driver says so");
  EXPECT_TRUE(made.gbs);
}

TEST(Llm, CaseA01_ALiveUnifiedDeviceHasUnknownMemoryWhateverTheDriverCounts) {
  DeviceInfo info;
  info.device.identity.name = "NVIDIA GB10";
  info.device.memory_bytes = {128000000000ULL, {}};
  info.device.attributes["integrated"] = {1, {}};
  EXPECT_FALSE(llm_device(info, nullptr, Arithmetic::fp16).memory_bytes);
  info.device.attributes["integrated"] = {0, {}};
  EXPECT_TRUE(llm_device(info, nullptr, Arithmetic::fp16).memory_bytes);
  info.device.memory_bytes = {0ULL, {}};
  EXPECT_FALSE(llm_device(info, nullptr, Arithmetic::fp16).memory_bytes);
}

TEST(Llm, ParametersAreReadStrictly) {
  EXPECT_DOUBLE_EQ(parameter_count("p", "70b"), 70e9);
  EXPECT_DOUBLE_EQ(parameter_count("p", "900m"), 900e6);
  EXPECT_DOUBLE_EQ(parameter_count("p", "1.5T"), 1.5e12);
  for (const char* bad : {"70x", "70", "b", "-7b", "7bb", "0b", "7 b", "infb"}) {
    EXPECT_TRUE(
        holds(refusal<std::invalid_argument>([&] { return parameter_count("p", bad); }), "p: '"))
        << bad;
  }
}

}  // namespace
}  // namespace assay
