// SPDX-License-Identifier: Apache-2.0
// A replay judges a file: the same bytes each time, faults named, bad files refused with their
// place.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "dossiers/dossier.h"
#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"
#include "invariants/plan/testing/fake_tree.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class ReplayTest : public FakeTree {
 protected:
  void SetUp() override {
    FakeTree::SetUp();
    environment_["ASSAY_LIBCUDA"] = "/nonexistent/libcuda.so.1";
    example_ = root_ / "share" / "assay" / "pinned" / "example.json";
    text_ = text_of(example_);
  }
  /// The example with one place changed, in work_/edited.json.
  Said replay_with(const std::string& from, const std::string& to) {
    const auto at = text_.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return replay_text(std::string(text_).replace(at, from.size(), to));
  }
  Said replay_text(const std::string& text) {
    std::ofstream(work_ / "edited.json") << text;
    return assay({"certify", "--replay", "edited.json"});
  }

  fs::path example_;
  std::string text_;
};

TEST_F(ReplayTest, ASoundDossierPassesAndSaysThatItIsAReplay) {
  const Said said = assay({"certify", "--replay", example_.string(), "--out", "result"});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_EQ(said.out.rfind("REPLAY of a recorded dossier", 0), 0u);
  EXPECT_EQ(read_json(work_ / "result" / "certificate.json").at("kind").string(), "replay");
}

TEST_F(ReplayTest, TwoReplaysGiveTheSameBytes) {
  ASSERT_EQ(assay({"certify", "--replay", example_.string(), "--out", "a"}).code, 0);
  // Named by its folder it is the same dossier.
  fs::create_directories(work_ / "run");
  fs::copy_file(example_, work_ / "run" / "dossier.json");
  ASSERT_EQ(assay({"certify", "--replay", "run", "--out", "b"}).code, 0);
  EXPECT_EQ(text_of(work_ / "a" / "certificate.json"), text_of(work_ / "b" / "certificate.json"));
}

TEST_F(ReplayTest, RepeatedReplaysSayThatTheyMeasureNothing) {
  const Said said =
      assay({"certify", "--replay", example_.string(), "--repeat", "3", "--out", "result"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "nothing is said of false alarms")) << said.out;
  EXPECT_FALSE(contains(said.out, "at most")) << said.out;
  const JsonNode document = read_json(work_ / "result" / "repeat.json");
  EXPECT_EQ(document.at("source").string(), "replay");
  EXPECT_TRUE(document.at("totals").at("failure_rate").is_null());
}

TEST_F(ReplayTest, MachineOutputHoldsNoProse) {
  const Said said = assay({"certify", "--replay", example_.string(), "--json"});
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(parse_json(said.out, "stdout").at("kind").string(), "replay");
  EXPECT_EQ(said.err.rfind("REPLAY", 0), 0u);
}

TEST_F(ReplayTest, SwappedFactsFailAndAreNamed) {
  Dossier dossier = read_dossier(example_);
  auto& facts = dossier.entries.at("latency").facts;
  std::swap(facts.at("l1"), facts.at("l2"));
  write_dossier(dossier, work_ / "swapped.json");
  const Said said = assay({"certify", "--replay", "swapped.json"});
  EXPECT_EQ(said.code, 1);
  EXPECT_TRUE(contains(said.out, "latency.order")) << said.out;
}

TEST_F(ReplayTest, BadFilesAreRefusedWithFileAndLine) {
  const std::vector<std::pair<std::string, std::string>> edits = {
      {"\"schema\": \"1.0.0\"", "\"schema\": \"1.1.0\""},
      {"\"schema\": \"1.0.0\"", "\"schema\": \"2.0.0\""},
      {"\"level\": \"quick\"", "\"level\": \"quick\", \"level\": \"quick\""},
      {"\"driver_cuda\": 13000", "\"driver_cuda\": NaN"},
      {"\"driver_cuda\": 13000", "\"driver_cuda\": \"13000\""},
      {"\"driver_cuda\": 13000", "\"driver_cuda\": 13000, \"surprise\": 1"}};
  for (const auto& [from, to] : edits) {
    const Said said = replay_with(from, to);
    EXPECT_EQ(said.code, 2) << to;
    EXPECT_TRUE(contains(said.err, "edited.json:")) << said.err;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
  EXPECT_EQ(replay_text(text_.substr(0, text_.size() / 2)).code, 2);
  EXPECT_EQ(replay_text("").code, 2);
  EXPECT_EQ(assay({"certify", "--replay", "absent.json"}).code, 2);
}

TEST_F(ReplayTest, AMissingFactIsNeverAPass) {
  Dossier dossier = read_dossier(example_);
  dossier.entries.erase("latency");
  write_dossier(dossier, work_ / "poorer.json");
  EXPECT_EQ(assay({"certify", "--replay", "poorer.json"}).code, 1);
}

}  // namespace
}  // namespace assay
