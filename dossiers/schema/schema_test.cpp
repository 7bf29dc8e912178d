// SPDX-License-Identifier: Apache-2.0
// Do schema, worked example and code say the same about every document?
#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dossiers/dossier.h"
#include "dossiers/json/json_reader.h"
#include "dossiers/schema/testing/follows_schema.h"
#include "dossiers/test_support.h"

namespace assay {
namespace {

const std::filesystem::path kSchemas = ASSAY_TEST_SOURCE_DIR "/dossiers/schema";
const std::filesystem::path kExamples = kSchemas / "examples";

nlohmann::json load(const std::filesystem::path& file) {
  return nlohmann::json::parse(read_file(file));
}

using Reader = std::function<void(const std::filesystem::path&)>;

const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> all{
      {"dossier", [](const auto& file) { read_dossier(file); }},
      {"evidence", [](const auto& file) { read_evidence(file); }},
      {"run", [](const auto& file) { read_run(file); }},
      {"exit", [](const auto& file) { read_probe_exit(file); }},
  };
  return all;
}

/// What our reader says to the document; empty when it takes it.
std::string reader_refusal(const std::string& kind, const nlohmann::json& document) {
  const TempFolder folder;
  const auto file = folder.write(kind + ".json", document.dump(2));
  return refusal<DataError>([&] {
    readers().at(kind)(file);
    return 0;
  });
}

void expect_refused(const std::string& kind, const nlohmann::json& document,
                    const std::string& what) {
  EXPECT_FALSE(is_valid(kind, document)) << kind << ": the schema takes: " << what;
  EXPECT_TRUE(holds(reader_refusal(kind, document), kind + ".json:")) << what;
}

TEST(Schema, EveryExampleIsValid) {
  for (const char* kind : {"dossier", "evidence", "run", "exit", "descriptor"}) {
    EXPECT_TRUE(is_valid(kind, load(kExamples / (std::string(kind) + ".json")))) << kind;
  }
  int sidecars = 0;
  for (const auto& file : std::filesystem::directory_iterator(kExamples / "samples")) {
    EXPECT_TRUE(is_valid("samples", load(file.path()))) << file.path();
    ++sidecars;
  }
  EXPECT_EQ(sidecars, static_cast<int>(load(kExamples / "dossier.json").at("samples").size()));
}

TEST(Schema, EveryExampleIsWrittenAgainByteForByte) {
  const TempFolder folder;
  write_run(read_run(kExamples / "run.json"), folder / "run.json");
  write_probe_exit(read_probe_exit(kExamples / "exit.json"), folder / "exit.json");
  write_evidence(read_evidence(kExamples / "evidence.json"), folder / "evidence.json");
  write_dossier(read_dossier(kExamples / "dossier.json", true), folder / "dossier.json");
  int files = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (file.is_regular_file()) {
      const auto name = std::filesystem::relative(file.path(), folder.path());
      EXPECT_EQ(read_file(file.path()), read_file(kExamples / name)) << name;
      ++files;
    }
  }
  EXPECT_EQ(files, 4 + static_cast<int>(load(kExamples / "dossier.json").at("samples").size()));
}

TEST(Schema, ADossierReadWithoutSamplesKeepsItsText) {
  const std::string text = read_file(kExamples / "dossier.json");
  EXPECT_EQ(dossier_text(read_dossier(kExamples / "dossier.json")), text);
}

TEST(CaseA1, EveryRequiredKeyRemovedIsRefused) {
  for (const auto& [kind, reader] : readers()) {
    const nlohmann::json good = load(kExamples / (kind + ".json"));
    ASSERT_EQ(reader_refusal(kind, good), "") << kind;
    for (const auto& item : good.items()) {
      nlohmann::json bad = good;
      bad.erase(item.key());
      expect_refused(kind, bad, std::string("no ").append(item.key()));
    }
  }
}

TEST(Schema, UnknownKeysAndWrongTypesAreRefusedInEveryDocument) {
  for (const auto& [kind, reader] : readers()) {
    const nlohmann::json good = load(kExamples / (kind + ".json"));
    nlohmann::json bad = good;
    bad["surprise"] = 1;
    expect_refused(kind, bad, "unknown key");
    for (const auto& item : good.items()) {
      bad = good;
      bad[item.key()] = nlohmann::json::array({nlohmann::json::array()});
      expect_refused(kind, bad, std::string("an array of arrays as ").append(item.key()));
    }
    bad = good;
    bad["schema"] = "1.1.0";
    expect_refused(kind, bad, "newer minor");
    bad["schema"] = "2.0.0";
    expect_refused(kind, bad, "newer major");
    bad = good;
    bad["kind"] = "verdict";
    expect_refused(kind, bad, "another kind");
  }
}

struct Edit {
  const char* kind;
  const char* pointer;
  nlohmann::json value;
};

TEST(Schema, OneWrongValueIsRefusedBySchemaAndReader) {
  const std::vector<Edit> edits{
      {"dossier", "/created_utc", "yesterday"},
      {"dossier", "/level", "fast"},
      {"dossier", "/device/cc_major", -9},
      {"dossier", "/device/serial", "123"},
      {"dossier", "/probes/fma/status", "ok"},
      {"dossier", "/probes/fma/exit_code", 256},
      {"dossier", "/entries/latency/units/l2", "furlong"},
      {"dossier", "/entries/latency/confidence", "certain"},
      {"dossier", "/entries/latency/samples", -1},
      {"dossier", "/entries/latency/rel_spread/l2", -0.1},
      {"dossier", "/entries/fma_f32/raw", nlohmann::json::array({1.0})},
      {"dossier", "/samples/latency/sha256", "ABC"},
      {"dossier", "/pinned", nlohmann::json::object({{"by", "me"}})},
      {"evidence", "/conditions/samples_rejected", 1.5},
      {"evidence", "/conditions/other_processes/0/pid", -1},
      {"evidence", "/seconds", -1.0},
      {"evidence", "/status", "failed"},
      {"run", "/parent_pid", "4242"},
      {"run", "/probes/0", 1},
      {"run", "/device/ecc", "on"},
      {"exit", "/signal", 0},
      {"exit", "/timed_out", "yes"},
  };
  for (const Edit& edit : edits) {
    nlohmann::json bad = load(kExamples / (std::string(edit.kind) + ".json"));
    bad[nlohmann::json::json_pointer(edit.pointer)] = edit.value;
    expect_refused(edit.kind, bad,
                   std::string(edit.pointer).append(" = ").append(edit.value.dump()));
  }
}

TEST(Schema, TheCardListIsValidAndOneWrongValueIsNot) {
  nlohmann::json list = load(ASSAY_TEST_SOURCE_DIR "/dossiers/cards/cards.json");
  EXPECT_TRUE(is_valid("cards", list));
  auto& cards = list["cards"];
  cards.erase(cards.begin() + 2, cards.end());
  const std::vector<Edit> edits{
      {"", "/cards/0/figures/units/value", 0},
      {"", "/cards/0/figures/units/value", nullptr},
      {"", "/cards/0/figures/units/from", "guessed"},
      {"", "/cards/0/figures/tensor_mhz", nlohmann::json::object({{"value", nullptr}})},
      {"", "/cards/0/figures/price", nlohmann::json::object({{"value", nullptr}, {"why", "?"}})},
      {"", "/cards/1/vendor", "nvida"},
      {"", "/cards/1/sure", "certain"},
      {"", "/cards/1/color", "green"},
      {"", "/kind", "dossier"},
      {"", "/schema", "1.1.0"},
  };
  for (const Edit& edit : edits) {
    nlohmann::json bad = list;
    bad[nlohmann::json::json_pointer(edit.pointer)] = edit.value;
    EXPECT_FALSE(is_valid("cards", bad)) << edit.pointer;
  }
}

TEST(Schema, ADescriptorWithOneWrongValueIsInvalid) {
  const std::vector<Edit> edits{
      {"", "/grid", nlohmann::json::array({1, 1})},
      {"", "/block/0", 0},
      {"", "/shared_bytes", -1},
      {"", "/arguments/0/access", "read"},
      {"", "/arguments/0/type", "pointer"},
      {"", "/arguments/4/from", "epsilon"},
      {"", "/kernel", ""},
      {"", "/host_code", "launch.so"},
  };
  for (const Edit& edit : edits) {
    nlohmann::json bad = load(kExamples / "descriptor.json");
    bad[nlohmann::json::json_pointer(edit.pointer)] = edit.value;
    EXPECT_FALSE(is_valid("descriptor", bad)) << edit.pointer;
  }
}

}  // namespace
}  // namespace assay
