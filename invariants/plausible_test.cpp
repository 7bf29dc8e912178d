// SPDX-License-Identifier: Apache-2.0
// Is every figure that no device can have found, and none that a real device has?
#include "invariants/plausible.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "invariants/certificate.h"
#include "invariants/test_support.h"

namespace {

using assay::Dossier;
using assay::Fact;
using assay::Outcome;
using assay::Unit;
using assay::Value;

std::vector<std::filesystem::path> real_dossiers() {
  std::vector<std::filesystem::path> files = {assay::test::example_file()};
  const auto dossiers = assay::test::source_dir() / "dossiers";
  for (const auto& entry : std::filesystem::directory_iterator(dossiers / "pinned")) {
    files.push_back(entry.path());
  }
  for (const auto& entry : std::filesystem::directory_iterator(dossiers / "recorded")) {
    if (entry.is_directory()) files.push_back(entry.path() / "dossier.json");
  }
  return files;
}

Fact fact(Value value, Unit units) {
  Fact made;
  made.value = std::move(value);
  made.units = units;
  made.method = "planted";
  return made;
}

std::string why(const std::string& path, Value value, Unit units) {
  return assay::why_impossible(assay::test::shipped_catalog(), path, fact(std::move(value), units));
}

TEST(Plausible, TakesEveryFigureOfEveryKnownDossier) {
  for (const auto& file : real_dossiers()) {
    for (const auto& gap :
         impossible_facts(assay::test::shipped_catalog(), assay::read_dossier(file))) {
      ADD_FAILURE() << file << ": " << gap.reason;
    }
  }
}

TEST(Plausible, EveryPathOfTheMustPassListsHasAUnit) {
  for (const char* level : {"quick.json", "full.json"}) {
    const auto list = assay::load_mustpass(assay::test::rules_dir() / "mustpass" / level,
                                           assay::test::shipped_catalog());
    for (const std::string& path : list.entries) {
      const bool is_word = path.starts_with("numerics.");  // answers in words and flags
      EXPECT_TRUE(is_word || assay::test::shipped_catalog().unit_of(path))
          << path << ": name its unit under \"units\" of catalog.json";
    }
  }
}

TEST(Plausible, NoNumberOfADossierMayBeASentinel) {
  const Dossier example = assay::test::example();
  const std::vector<Value> always = {std::int64_t{0x7ffffffffffffff0},
                                     std::int64_t{0x7ffffffffffffff2}, ~std::uint64_t{0},
                                     140737488355328.0};
  const std::vector<Value> not_bytes = {std::int64_t{4294967295}, std::int64_t{0x7ffffff0},
                                        std::int64_t{0x7ffffff3}};
  for (const auto& [entry, measurement] : example.entries) {
    for (const auto& [key, known] : measurement.facts) {
      if (!assay::as_number(known.value)) continue;
      const std::string path = assay::fact_path(entry, key);
      for (const Value& sentinel : always) EXPECT_NE(why(path, sentinel, known.units), "") << path;
      if (known.units == Unit::bytes) continue;  // four gibibytes are a size
      for (const Value& sentinel : not_bytes) {
        EXPECT_NE(why(path, sentinel, known.units), "") << path;
      }
    }
  }
}

TEST(Plausible, ARateOfNothingIsNoRateAndNoErrorsAreAnAnswer) {
  EXPECT_NE(why("dram_bw.read", 0.0, Unit::gb_per_s), "");
  EXPECT_NE(why("clock.sm_ghz", 0.0, Unit::ghz), "");
  EXPECT_NE(why("device.memory_bytes", std::int64_t{0}, Unit::bytes), "");
  EXPECT_EQ(why("memory_health.errors", std::int64_t{0}, Unit::count), "");
  EXPECT_EQ(why("memory_health.tested_share", 0.0, Unit::ratio), "");
}

TEST(Plausible, AUnitThatIsNotTheCataloguesIsNamed) {
  EXPECT_EQ(why("latency.l2_ns", 0.14, Unit::us), "latency.l2_ns is in us, want ns");
  EXPECT_EQ(why("latency.l2", 281.0, Unit::ns), "latency.l2 is in ns, want cycles");
  EXPECT_EQ(why("latency.l2", 281.0, Unit::cycles), "");
  EXPECT_EQ(why("brand_new.fact", 281.0, Unit::cycles), "") << "no pattern, no claim";
}

TEST(Plausible, TextFlagsAndNullsAreNoFigures) {
  EXPECT_EQ(why("device.name", std::string("NVIDIA H200"), Unit::none), "");
  EXPECT_EQ(why("device.ecc", true, Unit::none), "");
  EXPECT_EQ(why("dram_bw.read", Value{}, Unit::gb_per_s), "");
}

TEST(Plausible, OneSuchFigureFailsTheCertificateAlsoWhereNoListNamesIt) {
  Dossier dossier = assay::test::example();
  dossier.entries["brand_new"].facts["watts"] = fact(std::int64_t{4294967295}, Unit::watt);
  const auto certificate = assay::make_certificate(assay::test::rules(), dossier, nullptr,
                                                   {.replay = false, .bootstrap = true});
  EXPECT_EQ(certificate.verdict, Outcome::fail);
  ASSERT_EQ(certificate.completeness.missing.size(), 1U);
  EXPECT_EQ(certificate.completeness.missing.front().what, "brand_new.watts");
}

}  // namespace
