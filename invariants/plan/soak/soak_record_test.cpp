// SPDX-License-Identifier: Apache-2.0
// Do schema, worked example and code say the same about a soak's record?
#include "invariants/plan/soak/soak_record.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dossiers/schema/testing/follows_schema.h"
#include "invariants/test_support.h"

namespace assay {
namespace {

using Json = nlohmann::json;

/// Two hours of a device that reported one Xid and computed one word wrongly.
SoakRecord example_record() {
  const Dossier dossier = test::example();
  SoakRecord record;
  record.run_id = dossier.run_id;
  record.suite = dossier.suite;
  record.device = dossier.device;
  record.created_utc = dossier.created_utc;
  record.updated_utc = dossier.created_utc;
  record.wanted_s = 7200.0;
  record.clean_s = 7204.5;
  record.total_s = 7266.25;
  record.rounds = {{Outcome::pass, 240}, {Outcome::fail, 1}, {Outcome::inconclusive, 1}};
  record.resumed = 1;
  record.first_fault = "round 17: mma_tile.mma_sync_f16_f32 is 1, not 0 (SM 77)";
  record.kept = {{17, Outcome::fail, "mma_tile.mma_sync_f16_f32 is 1, not 0 (SM 77)"},
                 {90, Outcome::inconclusive, "probe mma_tile ran beside pid 4711"}};
  for (auto* counter :
       {&record.before.ecc_corrected, &record.before.ecc_uncorrected, &record.before.pcie_replays,
        &record.before.rows_remapped, &record.before.rows_pending, &record.before.rows_failed}) {
    *counter = {std::uint64_t{0}, {}};
  }
  record.before.nvlink_retries = no_answer<std::uint64_t>("not supported: no NVLink");
  record.before.nvlink_recoveries = no_answer<std::uint64_t>("not supported: no NVLink");
  record.before.pages_pending = no_answer<std::uint64_t>("not supported: row remapping instead");
  record.xids = {13};
  record.health["health"].facts["xid_events"] =
      derived(std::int64_t{1}, Unit::count, "NVML events while the soak ran");
  record.finished = true;
  record.verdict = Outcome::fail;
  record.reason = record.first_fault;
  return record;
}

std::string reader_refusal(const Json& document) {
  const auto file = test::fresh_dir() / "soak.json";
  test::write_text(file, document.dump(2));
  return test::refusal([&file] { read_soak(file); });
}

TEST(SoakSchema, TheExampleIsWhatARecordIsWrittenAs) {
  const auto example = test::example_dir() / "soak.json";
  const std::string text = soak_text(example_record());
  EXPECT_TRUE(is_valid("soak", Json::parse(text)));
  if (std::filesystem::exists(example) && read_file(example) == text) return;
  const auto file = test::fresh_dir() / "soak.json";
  test::write_text(file, text);
  ADD_FAILURE() << "soak.json is not what the code writes; that is in " << file;
}

TEST(SoakSchema, TheExampleIsReadAndWrittenAgainByteForByte) {
  const auto example = test::example_dir() / "soak.json";
  EXPECT_EQ(soak_text(read_soak(example)), read_file(example));
}

TEST(SoakSchema, SchemaAndReaderRefuseTheSame) {
  const std::pair<const char*, Json> cases[] = {
      {"/schema", "2.0.0"},
      {"/kind", "run"},
      {"/extra", 1},
      {"/run_id", ""},
      {"/created_utc", "today"},
      {"/clean_s", -1.0},
      {"/clean_s", "long"},
      {"/rounds/passed", 1},
      {"/rounds/pass", -1},
      {"/resumed", 0.5},
      {"/first_fault", nullptr},
      {"/kept/0/outcome", "ok"},
      {"/kept/0/extra", 1},
      {"/kept/0/round", -1},
      {"/before/rows_failed", nullptr},
      {"/before/rows_failed", -1},
      {"/before/extra", 1},
      {"/xids/0", "13"},
      {"/finished", 1},
      {"/verdict", "ok"},
      {"/reason", nullptr},
      {"/device/name", 1},
      {"/health/health/units", "furlongs"},
  };
  const Json example = Json::parse(read_file(test::example_dir() / "soak.json"));
  ASSERT_EQ(reader_refusal(example), "");
  ASSERT_TRUE(is_valid("soak", example));
  for (const auto& [pointer, value] : cases) {
    Json document = example;
    document[Json::json_pointer(pointer)] = value;
    EXPECT_FALSE(is_valid("soak", document)) << pointer << " " << value;
    EXPECT_NE(reader_refusal(document), "") << pointer << " " << value;
  }
  for (const auto& [key, value] : example.items()) {
    Json document = example;
    document.erase(key);
    EXPECT_FALSE(is_valid("soak", document)) << "without " << key;
    EXPECT_NE(reader_refusal(document), "") << "without " << key;
  }
}

}  // namespace
}  // namespace assay
