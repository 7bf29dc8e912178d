// SPDX-License-Identifier: Apache-2.0
// Does `assay power` print what it wrote, and refuse what cannot be added up?
#include <algorithm>

#include <gtest/gtest.h>

#include "invariants/rates/power.h"
#include "invariants/test_support.h"

namespace assay {
namespace {

std::string quoted(const std::filesystem::path& file) {
  return "'" + file.string() + "'";
}

TEST(PowerVerb, WritesTheSameDocumentForTheSameSeed) {
  const auto dir = test::fresh_dir();
  const auto record = test::source_dir() / "dossiers/recorded/h200-quick-2026-11-30/dossier.json";
  for (const char* name : {"a.json", "b.json"}) {
    const test::Ended said = test::run_verb_program(
        "power", "--runs 3 --seed 5 --replay " + quoted(record) + " --out " + quoted(dir / name));
    ASSERT_EQ(said.code, 0) << said.out;
    EXPECT_EQ(said.out.rfind("MODEL, not measured", 0), 0u) << said.out;
  }
  EXPECT_EQ(read_file(dir / "a.json"), read_file(dir / "b.json"));
  EXPECT_EQ(read_power(dir / "a.json").seed, 5u);
}

TEST(PowerVerb, AddsUpSessionsOnceEach) {
  const auto example = quoted(test::example_dir() / "repeat.json");
  const test::Ended said = test::run_verb_program("power", "--merge " + example + " " + example);
  EXPECT_EQ(said.code, 0) << said.out;
  EXPECT_NE(said.out.find("1 of 4"), std::string::npos) << said.out;
}

TEST(PowerVerb, RefusesInOneLine) {
  const auto example = quoted(test::example_dir() / "repeat.json");
  const auto dir = test::fresh_dir();
  test::write_text(dir / "other.json",
                   test::replaced(read_file(test::example_dir() / "repeat.json"),
                                  "\"level\": \"quick\"", "\"level\": \"full\""));
  for (const std::string& bad :
       {"--merge " + example + " " + quoted(dir / "other.json"), std::string("--runs 0"),
        "--replay " + quoted(test::example_file()) + " --repeat " + quoted(dir / "other.json"),
        std::string("--replay absent.json")}) {
    const test::Ended said = test::run_verb_program("power", bad);
    EXPECT_EQ(said.code, 2) << bad << said.out;
    EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 1) << said.out;
  }
}

}  // namespace
}  // namespace assay
