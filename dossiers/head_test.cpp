// SPDX-License-Identifier: Apache-2.0
// Is the right head read, and is what is no dossier refused?
#include "dossiers/head.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dossiers/cli/verb_test_support.h"
#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"

namespace assay {
namespace {

nlohmann::ordered_json example_document() {
  return nlohmann::ordered_json::parse(read_file(examples_dir() / "dossier.json"));
}

std::string refused_head(const std::string& text) {
  const TempFolder folder;
  const auto file = folder.write("dossier.json", text);
  return refusal<DataError>([&] { return read_dossier_head(file); });
}

TEST(DossierHead, IsWhatTheWholeDossierSays) {
  const auto file = examples_dir() / "dossier.json";
  const Dossier whole = read_dossier(file);
  const DossierHead head = read_dossier_head(file);
  EXPECT_EQ(head.run_id, whole.run_id);
  EXPECT_EQ(head.created_utc, whole.created_utc);
  EXPECT_EQ(head.level, "quick");
  EXPECT_EQ(head.suite_version, whole.suite.version);
  EXPECT_EQ(head.device, whole.device.name);
  EXPECT_EQ(head.uuid, whole.device.uuid);
  EXPECT_EQ(head.driver, whole.device.driver);
}

TEST(DossierHead, IsFoundWhereverTheKeysStand) {
  const nlohmann::json sorted = nlohmann::json::parse(example_document().dump());
  const TempFolder folder;
  const auto file = folder.write("dossier.json", sorted.dump());
  EXPECT_EQ(read_dossier_head(file).run_id, example_document().at("run_id"));
}

TEST(DossierHead, OfACutFileIsRefused) {
  const std::string text = example_document().dump(2);
  for (const std::size_t kept : {std::size_t{0}, std::size_t{1}, text.size() / 3}) {
    EXPECT_FALSE(refused_head(text.substr(0, kept)).empty()) << kept;
  }
}

TEST(DossierHead, NamesWhatIsMissingOrNewer) {
  for (const char* key : {"run_id", "created_utc", "level"}) {
    auto bad = example_document();
    bad.erase(key);
    EXPECT_TRUE(holds(refused_head(bad.dump()), std::string(key) + ": missing")) << key;
  }
  auto newer = example_document();
  newer["schema"] = "2.0.0";
  EXPECT_TRUE(holds(refused_head(newer.dump()), "2.0.0"));
  auto other = example_document();
  other["kind"] = "certificate";
  EXPECT_TRUE(holds(refused_head(other.dump()), "certificate"));
}

TEST(DossierFile, IsTheFileOrTheOneInTheFolder) {
  EXPECT_EQ(dossier_file(examples_dir()), examples_dir() / "dossier.json");
  EXPECT_EQ(dossier_file(examples_dir() / "dossier.json"), examples_dir() / "dossier.json");
  const TempFolder empty;
  EXPECT_TRUE(holds(refusal<DataError>([&] { return dossier_file(empty.path()); }),
                    "dossier.json: no such file; want"));
}

TEST(ListVerb, ListsTheNewestFirstAndNamesWhatCannotBeRead) {
  const TempFolder folder;
  auto older = example_document();
  older["created_utc"] = "2020-01-01T00:00:00Z";
  folder.write("a/dossier.json", older.dump(2));
  folder.write("b/dossier.json", example_document().dump(2));
  folder.write("c/dossier.json", "{\"kind\": \"dossier\"");
  folder.write("d/notes.json", "{}");
  const auto ended = run_built_verb("list '" + folder.path().string() + "' --json");
  EXPECT_EQ(ended.code, 2);
  EXPECT_TRUE(holds(ended.err, "c/dossier.json"));
  const auto json = nlohmann::json::parse(ended.out);
  ASSERT_EQ(json.at("dossiers").size(), 2U);
  EXPECT_EQ(json.at("dossiers").at(0).at("file"), "b/dossier.json");
  EXPECT_EQ(json.at("dossiers").at(1).at("created_utc"), "2020-01-01T00:00:00Z");
  EXPECT_EQ(json.at("unreadable").size(), 1U);
}

TEST(ListVerb, TheExampleOfTheHelpWorks) {
  const auto ended = run_built_verb(example_of_help("list"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(holds(ended.out, "NVIDIA H200"));
}

TEST(ListVerb, AnEmptyOrAbsentFolderIsRefused) {
  const TempFolder folder;
  for (const std::string& bad : {folder.path().string(), folder.path().string() + "/nowhere"}) {
    const auto ended = run_built_verb("list '" + bad + "'");
    EXPECT_EQ(ended.code, 2);
    EXPECT_TRUE(holds(ended.err, bad));
    EXPECT_TRUE(ended.out.empty());
  }
}

}  // namespace
}  // namespace assay
