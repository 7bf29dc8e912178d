// SPDX-License-Identifier: Apache-2.0
// Does the catalogue's reader take what is right and refuse, by name, what is wrong?
#include "invariants/catalog.h"

#include <gtest/gtest.h>

#include "invariants/test_support.h"

namespace {

using assay::Catalog;
using assay::load_catalog;
using assay::test::refusal;
using assay::test::replaced;
using assay::test::write_text;

const std::string kGood = R"({
  "schema": "1.0.0", "kind": "catalog", "version": "1.0.0",
  "facts": {"latency": ["latency.*"], "fma": ["fma_f32", "fma_per_clock.*"]},
  "units": {"cycles": ["latency.*"], "ns": ["latency.*_ns"], "TFLOP/s": ["fma_f32"]},
  "full_only": ["latency.tlb_*"],
  "invariants": [
    {"id": "latency.order", "title": "t", "why": "w", "catches": "c", "usually": "u", "next": "n",
     "probes": ["latency"],
     "check": {"kind": "descending", "paths": ["latency.l2", "latency.l1"], "margins": [3]},
     "max_spread": 0.04,
     "applies": {"min_cc": 75},
     "breaks": [
      {"name": "past", "edit": {"move": "latency.l2", "past": "low", "by": 0.01}, "expect": "fail"},
      {"name": "in", "edit": {"move": "latency.l2", "inside": "low", "by": 0.01}, "expect": "pass"},
      {"name": "gone", "edit": {"drop": "latency.l2"}, "expect": "no_evidence"}]}
  ]
})";

std::string refusal_of(const std::string& text) {
  const auto file = assay::test::fresh_dir() / "catalog.json";
  write_text(file, text);
  return refusal([&file] { load_catalog(file); });
}

/// The message after one edit of the good catalogue.
std::string refusal_after(const std::string& from, const std::string& to) {
  return refusal_of(replaced(kGood, from, to));
}

::testing::AssertionResult says(const std::string& message, const std::string& wanted) {
  if (message.find(wanted) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << message << "\" lacks \"" << wanted << "\"";
}

TEST(Catalog, ReadsAGoodEntry) {
  const auto file = assay::test::fresh_dir() / "catalog.json";
  write_text(file, kGood);
  const Catalog catalog = load_catalog(file);
  ASSERT_EQ(catalog.invariants.size(), 1U);
  const assay::Invariant& invariant = catalog.invariants.front();
  EXPECT_EQ(invariant.id, "latency.order");
  EXPECT_EQ(invariant.max_spread, 0.04);
  EXPECT_EQ(invariant.applies.min_cc, 75);
  EXPECT_EQ(invariant.breaks.size(), 3U);
  EXPECT_EQ(catalog.sha256.size(), 64U);
  EXPECT_EQ(catalog.probe_of("latency.l2"), "latency");
  EXPECT_EQ(catalog.probe_of("fma_f32"), "fma");
  EXPECT_EQ(catalog.unit_of("latency.l2"), assay::Unit::cycles);
  EXPECT_EQ(catalog.unit_of("latency.l2_ns"), assay::Unit::ns) << "the longest pattern wins";
  EXPECT_FALSE(catalog.unit_of("fma_f64"));
  EXPECT_EQ(catalog.probe_of("latency."), "");
  EXPECT_EQ(catalog.probe_of("fma_f64"), "");
  EXPECT_FALSE(catalog.is_measured_at(assay::Level::quick, "latency.tlb_2GiB"));
  EXPECT_TRUE(catalog.is_measured_at(assay::Level::full, "latency.tlb_2GiB"));
  EXPECT_TRUE(catalog.is_measured_at(assay::Level::quick, "latency.l2"));
}

TEST(Catalog, WordsAndEditsChangeNoVerdictAnythingElseMay) {
  const std::string judging = assay::judging_digest(kGood);
  const auto after = [](const std::string& from, const std::string& to) {
    return assay::judging_digest(replaced(kGood, from, to));
  };
  EXPECT_EQ(after(R"("why": ")", R"("close_because": "near", "why": "Not )"), judging);
  EXPECT_EQ(after(R"("name": "gone")", R"("name": "lost")"), judging);
  EXPECT_NE(after("0.04", "0.05"), judging) << "the spread that is allowed";
  EXPECT_NE(after(R"("id": "latency.order")", R"("id": "latency.other")"), judging);
  EXPECT_NE(after(R"("why": ")", R"("newly": 1, "why": ")"), judging) << "what is not known judges";
}

TEST(Catalog, TheShippedOneIsGoodAndNoSmaller) {
  const Catalog catalog = load_catalog(assay::test::rules_dir() / "catalog.json");
  EXPECT_GE(catalog.invariants.size(), 65U);
}

TEST(Catalog, RefusesUnknownKeysAndKinds) {
  EXPECT_TRUE(says(refusal_after("\"why\": \"w\"", "\"whey\": \"w\""), "whey"));
  EXPECT_TRUE(says(refusal_after("\"margins\"", "\"margin\""), "margin"));
  EXPECT_TRUE(says(refusal_after("\"descending\"", "\"ascending\""), "ascending"));
  EXPECT_TRUE(says(refusal_after("{\"drop\"", "{\"erase\""), "no known edit"));
  EXPECT_TRUE(says(refusal_after("\"expect\": \"fail\"", "\"expect\": \"FAIL\""), "FAIL"));
  EXPECT_TRUE(says(refusal_after("\"min_cc\"", "\"cc_min\""), "cc_min"));
  EXPECT_TRUE(says(refusal_after("\"usually\": \"u\", ", ""), "usually"));
  EXPECT_TRUE(says(refusal_after("\"next\": \"n\"", "\"next\": \"\""), "next"));
}

TEST(Catalog, RefusesAnEntryThatNothingBreaks) {
  const std::size_t at = kGood.find("\"breaks\"");
  EXPECT_TRUE(says(refusal_of(kGood.substr(0, at) + "\"breaks\": []}]}"), "at least one edit"));
  const std::string without = kGood.substr(0, kGood.rfind(',', at)) + "}]}";
  EXPECT_TRUE(says(refusal_of(without), "no \"breaks\""));
}

TEST(Catalog, RefusesAnEntryWithoutAnEditAtEachEdge) {
  EXPECT_TRUE(
      says(refusal_after("\"past\": \"low\", \"by\": 0.01", "\"past\": \"low\", \"by\": 0.5"),
           "just outside"));
  EXPECT_TRUE(
      says(refusal_after("\"expect\": \"fail\"", "\"expect\": \"inconclusive\""), "just outside"));
  EXPECT_TRUE(says(refusal_after("\"expect\": \"pass\"", "\"expect\": \"fail\""), "just inside"));
  EXPECT_TRUE(says(refusal_after("\"expect\": \"no_evidence\"", "\"expect\": \"fail\""),
                   "takes evidence away"));
}

TEST(Catalog, RefusesADuplicateId) {
  const std::size_t begin = kGood.find("{\"id\"");
  const std::size_t end = kGood.rfind('}', kGood.rfind(']')) + 1;
  const std::string entry = kGood.substr(begin, end - begin);
  EXPECT_TRUE(says(refusal_of(kGood.substr(0, end) + "," + entry + "]}"), "twice"));
}

TEST(Catalog, RefusesUnknownProbesAndPaths) {
  EXPECT_TRUE(
      says(refusal_after("\"probes\": [\"latency\"]", "\"probes\": [\"latnecy\"]"), "latnecy"));
  EXPECT_TRUE(says(refusal_after("\"probes\": [\"latency\"]", "\"probes\": [\"fma\"]"),
                   "lacks \"latency\""));
  EXPECT_TRUE(says(
      refusal_after("[\"latency.l2\", \"latency.l1\"]", "[\"latency.l2\", \"lat.l1\"]"), "lat.l1"));
  EXPECT_TRUE(
      says(refusal_after("{\"drop\": \"latency.l2\"}", "{\"drop\": \"lat.l2\"}"), "lat.l2"));
  EXPECT_TRUE(says(refusal_after("[\"latency.l2\", \"latency.l1\"]", "[\"latency l2\", \"a.b\"]"),
                   "want a path"));
}

TEST(Catalog, ADriftFamilyIsAnEntryOfItsProbes) {
  const std::string from =
      R"({"kind": "descending", "paths": ["latency.l2", "latency.l1"], "margins": [3]})";
  EXPECT_EQ(refusal_after(from, R"({"kind": "drift", "entry": "latency"})"), "");
  EXPECT_EQ(refusal_after(from, R"({"kind": "drift"})"), "");
  EXPECT_TRUE(says(refusal_after(from, R"({"kind": "drift", "entry": "latnecy"})"), "latnecy"));
  EXPECT_TRUE(says(refusal_after(from, R"({"kind": "drift", "entry": "fma_f32"})"),
                   "lacks \"fma\", which yields fma_f32"));
  EXPECT_TRUE(says(refusal_after(from, R"({"kind": "drift", "entry": ""})"), "entry"));
}

TEST(Catalog, RefusesUnitsThatAreNoneOrTwo) {
  EXPECT_TRUE(says(refusal_after("\"cycles\": [", "\"clocks\": ["), "no known unit"));
  EXPECT_TRUE(says(refusal_after("[\"latency.*_ns\"]", "[\"latency.*\"]"), "has two units"));
  EXPECT_TRUE(says(refusal_after("\"units\": {", "\"unit\": {"), "unit"));
}

TEST(Catalog, RefusesNumbersThatBindNothing) {
  EXPECT_TRUE(says(refusal_after("[3]", "[0]"), "above zero"));
  EXPECT_TRUE(says(refusal_after("[3]", "[-3]"), "above zero"));
  EXPECT_TRUE(says(refusal_after("[3]", "[3, 3]"), "one number per step"));
  EXPECT_TRUE(says(refusal_after("[3]", "[1e999]"), "catalog.json:"));
  EXPECT_TRUE(says(refusal_after("\"max_spread\": 0.04", "\"max_spread\": 0"), "above zero"));
  EXPECT_TRUE(says(
      refusal_after("\"by\": 0.01}, \"expect\": \"fail\"", "\"by\": -0.01}, \"expect\": \"fail\""),
      "above zero"));
}

TEST(Catalog, RefusesBadBands) {
  const auto with_bands = [](const std::string& bands) {
    const std::string from =
        R"({"kind": "descending", "paths": ["latency.l2", "latency.l1"], "margins": [3]})";
    return refusal_after(from,
                         R"({"kind": "range", "paths": ["latency.l2"], "bands": [)" + bands + "]}");
  };
  EXPECT_EQ(with_bands(R"({"low": 200, "high": 300})"), "");
  EXPECT_TRUE(says(with_bands(""), "empty"));
  EXPECT_TRUE(says(with_bands("{}"), "neither"));
  EXPECT_TRUE(says(with_bands(R"({"low": 300, "high": 200})"), "not below"));
  EXPECT_TRUE(says(with_bands(R"({"low": 1, "nominal": [1, 2]})"), "one per path"));
  EXPECT_TRUE(says(with_bands(R"({"low": 1, "cc": ["90"]})"), "compute capabilities"));
  EXPECT_TRUE(says(with_bands(R"({"low": 1, "cc": []})"), "empty"));
}

TEST(Catalog, RefusesBadIdsAndFeatures) {
  EXPECT_TRUE(says(refusal_after("\"latency.order\"", "\"Latency.order\""), "lower case"));
  EXPECT_TRUE(says(refusal_after("\"latency.order\"", "\"latency\""), "dotted"));
  EXPECT_TRUE(says(refusal_after("\"min_cc\": 75", "\"has\": [\"magic\"]"), "magic"));
}

TEST(Catalog, ProductNamesMatchByWholeWords) {
  EXPECT_TRUE(assay::name_matches("NVIDIA H20", "H20"));
  EXPECT_FALSE(assay::name_matches("NVIDIA H200", "H20"));
  EXPECT_TRUE(assay::name_matches("NVIDIA H20-3e", "H20"));
  EXPECT_TRUE(assay::name_matches("NVIDIA L40", "L40"));
  EXPECT_FALSE(assay::name_matches("NVIDIA L40S", "L40"));
  EXPECT_TRUE(assay::name_matches("NVIDIA GeForce GTX 1660 Ti", "GTX 16*"));
  EXPECT_FALSE(assay::name_matches("NVIDIA GeForce GTX 1080", "GTX 16*"));
  EXPECT_FALSE(assay::name_matches("NVIDIA H200", ""));
  EXPECT_FALSE(assay::name_matches("NVIDIA H200", "*"));
}

}  // namespace
