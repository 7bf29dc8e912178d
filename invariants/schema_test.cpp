// SPDX-License-Identifier: Apache-2.0
// Do schema, worked example, shipped file and code say the same about every document of judging?
#include <functional>
#include <iterator>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dossiers/schema/testing/follows_schema.h"
#include "invariants/certificate.h"
#include "invariants/rates/power.h"
#include "invariants/rates/repeat.h"
#include "invariants/test_support.h"

namespace {

using Json = nlohmann::json;
using assay::test::example_dir;

Json load(const std::filesystem::path& file) {
  return Json::parse(assay::read_file(file));
}

assay::Rules example_rules() {
  assay::Rules rules;
  rules.catalog = assay::load_catalog(example_dir() / "catalog.json");
  rules.mustpass = assay::load_mustpass(example_dir() / "mustpass.json", rules.catalog);
  rules.waivers = assay::load_waivers(example_dir() / "waivers.json", rules.catalog);
  return rules;
}

/// The example must be these bytes; where it is not, they are left in a file to look at.
void expect_example(const std::filesystem::path& dir, const std::string& name,
                    const std::string& text) {
  if (assay::read_file(example_dir() / name) == text) return;
  const auto file = dir / name;
  assay::test::write_text(file, text);
  ADD_FAILURE() << name << " is not what the code writes; that is in " << file;
}

std::string reader_refusal(const std::string& kind, const Json& document) {
  const std::map<std::string, std::function<void(const std::filesystem::path&)>> readers{
      {"catalog", [](const auto& file) { assay::load_catalog(file); }},
      {"mustpass", [](const auto& file) { assay::load_mustpass(file, example_rules().catalog); }},
      {"waivers", [](const auto& file) { assay::load_waivers(file, example_rules().catalog); }},
      {"verdict", [](const auto& file) { assay::read_verdict(file); }},
      {"repeat", [](const auto& file) { assay::read_repeat(file); }},
      {"power", [](const auto& file) { assay::read_power(file); }},
  };
  const auto file = assay::test::fresh_dir() / (kind + ".json");
  assay::test::write_text(file, document.dump(2));
  return assay::test::refusal([&] { readers.at(kind)(file); });
}

TEST(JudgingSchema, TheShippedRulesAreValid) {
  const auto rules = assay::test::rules_dir();
  EXPECT_TRUE(assay::is_valid("catalog", load(rules / "catalog.json")));
  EXPECT_TRUE(assay::is_valid("mustpass", load(rules / "mustpass/quick.json")));
  EXPECT_TRUE(assay::is_valid("mustpass", load(rules / "mustpass/full.json")));
  EXPECT_TRUE(assay::is_valid("waivers", load(rules / "waivers.json")));
}

TEST(JudgingSchema, EveryExampleIsValidAndRead) {
  for (const char* kind :
       {"catalog", "mustpass", "waivers", "verdict", "certificate", "repeat", "power"}) {
    EXPECT_TRUE(assay::is_valid(kind, load(example_dir() / (std::string(kind) + ".json")))) << kind;
  }
  EXPECT_NO_THROW(example_rules());
  EXPECT_NO_THROW(assay::read_verdict(example_dir() / "verdict.json"));
}

TEST(JudgingSchema, TheExamplesAreWhatJudgingWrites) {
  const auto dir = assay::test::fresh_dir();
  const assay::Rules rules = example_rules();
  const assay::Dossier dossier = assay::test::example();
  const assay::Certificate certificate = assay::make_certificate(rules, dossier, nullptr, {});
  EXPECT_EQ(certificate.verdict, assay::Outcome::pass);
  expect_example(dir, "certificate.json", assay::certificate_text(certificate));
  const assay::Verdict* verdict = assay::find_verdict(certificate, "latency.order");
  expect_example(dir, "verdict.json",
                 assay::verdict_text({dossier.run_id, dossier.suite, *verdict}));
}

/// A dossier of a few facts, so that the example stays short.
assay::Dossier few_facts(assay::Dossier dossier) {
  for (auto entry = dossier.entries.begin(); entry != dossier.entries.end();) {
    entry = entry->first == "dram_bw" ? std::next(entry) : dossier.entries.erase(entry);
  }
  return dossier;
}

TEST(CountingSchema, TheExampleIsWhatCountingWrites) {
  const assay::Rules rules = example_rules();
  assay::Dossier dossier = assay::test::example();
  assay::RepeatSession begun;
  begun.id = dossier.run_id;
  begun.device = "sha256:0123456789abcdef";
  begun.driver = dossier.device.driver;
  begun.started_utc = begun.ended_utc = dossier.created_utc;
  begun.asked = 5;
  assay::RepeatTally tally(begun);
  for (const double read : {4605.3, 4611.0, 4700.0, 4650.0}) {
    dossier.entries.at("dram_bw").facts.at("read").value = read;
    if (read == 4650.0) dossier.entries.at("latency").facts.at("l2").value = 1.0;
    tally.add(assay::judge_dossier(rules, dossier, nullptr, {}), few_facts(dossier));
  }
  tally.add(assay::Outcome::inconclusive);
  assay::Repeat repeat = assay::repeat_of(dossier.suite, dossier.device, dossier.level,
                                          assay::sha256_hex("catalogue"), false);
  repeat.sessions = {tally.session()};
  EXPECT_EQ(assay::totals_of(repeat).failed, 1);
  expect_example(assay::test::fresh_dir(), "repeat.json", assay::repeat_text(repeat));
}

TEST(CountingSchema, TheModelsExampleIsWhatSimulatingWrites) {
  assay::PowerModel model;
  const assay::Dossier dossier = assay::test::example();
  model.suite = dossier.suite;
  model.product = dossier.device.name;
  model.cc_major = dossier.device.cc_major;
  model.cc_minor = dossier.device.cc_minor;
  model.judging_sha256 = assay::sha256_hex("catalogue");
  model.run_id = dossier.run_id;
  model.seed = 1;
  model.facts_drawn = 3;
  const assay::Plant& plant = assay::plants().front();
  model.rows = {{"", "healthy", "drawn runs as they are", assay::PinTier::same_device, 30, 0, 1},
                {plant.id, plant.title, plant.model, assay::PinTier::same_product, 10, 2, 0}};
  expect_example(assay::test::fresh_dir(), "power.json", assay::power_text(model));
}

TEST(JudgingSchema, ACertificateWithGapsWaiversAndDriftIsValid) {
  assay::Dossier dossier = assay::test::example();
  assay::Rules rules = example_rules();
  const assay::PinnedDossier pinned{dossier, assay::sha256_hex("pin"), true};
  dossier.entries.at("dram_bw").facts.at("read").value = 4900.0;
  dossier.entries.at("latency").facts.erase("l2");
  const auto certificate = assay::make_certificate(rules, dossier, &pinned, {true, false});
  ASSERT_EQ(certificate.waivers.size(), 1U);
  ASSERT_FALSE(certificate.completeness.missing.empty());
  ASSERT_GT(certificate.drift->over_tol, 0);
  EXPECT_TRUE(assay::is_valid("certificate", Json::parse(assay::certificate_text(certificate))));
}

TEST(JudgingSchema, ACertificateStatesTheErrorRatesThatAreRecorded) {
  assay::Rules rules = example_rules();
  const assay::Dossier dossier = assay::test::example();
  const auto without =
      Json::parse(assay::certificate_text(assay::make_certificate(rules, dossier, nullptr, {})));
  EXPECT_TRUE(without.at("error_rates").at("measured").is_null());
  EXPECT_EQ(without.at("error_rates").at("absent").size(), 2U);
  const auto folder = assay::test::fresh_dir();
  for (const char* name : {"repeat.json", "power.json"}) {
    std::filesystem::copy_file(example_dir() / name, folder / name);
  }
  rules.figures = assay::read_figures(folder);
  const auto certificate = assay::make_certificate(rules, dossier, nullptr, {});
  const auto with = Json::parse(assay::certificate_text(certificate));
  EXPECT_TRUE(assay::is_valid("certificate", with));
  const Json& rates = with.at("error_rates");
  EXPECT_EQ(rates.at("measured").at("failed"), 1);
  EXPECT_EQ(rates.at("measured").at("decided"), 4);
  EXPECT_EQ(rates.at("measured").at("same_judging"), false);
  EXPECT_EQ(rates.at("model").at("source"), "model");
  EXPECT_EQ(rates.at("model").at("rows").size(), 2U);
  EXPECT_TRUE(rates.at("absent").empty());
  // Those of another level or product are not this one's.
  rules.figures.repeats.front().document.level = assay::Level::full;
  rules.figures.models.front().document.product = "NVIDIA H20";
  EXPECT_EQ(assay::make_certificate(rules, dossier, nullptr, {}).rates.absent.size(), 2U);
}

TEST(JudgingSchema, SchemaAndReaderRefuseTheSame) {
  struct Case {
    std::string kind, pointer;
    Json value;
  };
  const Case cases[] = {
      {"catalog", "/invariants/0/breaks", Json::array()},
      {"catalog", "/invariants/0/check/kind", "magic"},
      {"catalog", "/invariants/0/check/extra", 1},
      {"catalog", "/invariants/0/id", "Upper.case"},
      {"catalog", "/invariants/0/breaks/0/edit/by", -0.01},
      {"catalog", "/invariants/0/breaks/0/expect", "passed"},
      {"catalog", "/invariants/0/why", ""},
      {"catalog", "/invariants/0/usually", ""},
      {"catalog", "/invariants/0/next", 1},
      {"catalog", "/full_only", Json::array()},
      {"catalog", "/invariants", Json::array()},
      {"catalog", "/schema", "2.0.0"},
      {"mustpass", "/level", "fast"},
      {"mustpass", "/entries", Json::array()},
      {"mustpass", "/invariants/0/extra", true},
      {"waivers", "/waivers/0/expires", "soon"},
      {"waivers", "/waivers/0/device", Json::object()},
      {"waivers", "/waivers/0/driver/min", "new"},
      {"verdict", "/outcome", "ok"},
      {"verdict", "/measured", "1"},
      {"verdict", "/extra", 1},
      {"repeat", "/totals/extra", 1},
      {"repeat", "/totals/failed", -1},
      {"repeat", "/totals/failure_rate", "low"},
      {"repeat", "/sessions", Json::array()},
      {"repeat", "/sessions/0/verdicts/passed", 1},
      {"repeat", "/sessions/0/ran", 1.5},
      {"repeat", "/sessions/0/facts/dram_bw.read/robust_cv", -1},
      {"repeat", "/sessions/0/started_utc", "today"},
      {"repeat", "/source", "model"},
      {"power", "/source", "device"},
      {"power", "/rows", Json::array()},
      {"power", "/rows/0/pinned", "any device"},
      {"power", "/rows/0/runs", 0},
      {"power", "/rows/0/extra", 1},
      {"power", "/seed", -1},
  };
  for (const Case& item : cases) {
    Json document = load(example_dir() / (item.kind + ".json"));
    ASSERT_EQ(reader_refusal(item.kind, document), "");
    document[Json::json_pointer(item.pointer)] = item.value;
    EXPECT_FALSE(assay::is_valid(item.kind, document)) << item.kind << item.pointer;
    EXPECT_NE(reader_refusal(item.kind, document), "") << item.kind << item.pointer;
  }
}

}  // namespace
