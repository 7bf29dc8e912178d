// SPDX-License-Identifier: Apache-2.0
// Does `assay judge` exit by the verdict, say what is wrong in one line, and stop a bad build?
#include <algorithm>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "invariants/certificate.h"
#include "invariants/test_support.h"

namespace {

using assay::test::Ended;
using assay::test::example_file;
using assay::test::run;

const std::string kBuild = ASSAY_TEST_BINARY_DIR;

Ended judge(const std::string& arguments) {
  return assay::test::run_verb_program("judge", arguments);
}

std::string in_quotes(const std::filesystem::path& file) {
  std::string text = "'";
  return text.append(file.string()).append("'");
}

TEST(JudgeVerb, ExitsByTheVerdictAndNamesTheInvariant) {
  const std::string pin = " --pinned " + in_quotes(example_file());
  const Ended good = judge(in_quotes(example_file()) + pin);
  EXPECT_EQ(good.code, 0) << good.out;
  EXPECT_NE(good.out.find("certifies nothing about this machine"), std::string::npos);
  EXPECT_EQ(good.out.find('\033'), std::string::npos) << "colour in a pipe";

  assay::Dossier swapped = assay::test::example();
  auto& latency = swapped.entries.at("latency").facts;
  std::swap(latency.at("l2").value, latency.at("l1").value);
  const auto file = assay::test::fresh_dir() / "dossier.json";
  assay::write_file_atomically(file, assay::dossier_text(swapped));
  const Ended bad = judge(in_quotes(file) + pin);
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.out.find("fail  latency.order: "), std::string::npos) << bad.out;
}

TEST(JudgeVerb, GivesTheSameBytesTwice) {
  const std::string arguments =
      in_quotes(example_file()) + " --json --pinned " + in_quotes(example_file());
  const Ended first = judge(arguments);
  EXPECT_EQ(first.out, judge(arguments).out);
  EXPECT_EQ(nlohmann::json::parse(first.out).at("kind"), "replay");
}

TEST(JudgeVerb, WithoutAPinIsNoEvidenceUnlessBootstrapped) {
  const std::string none = " --pinned-dir " + in_quotes(assay::test::fresh_dir());
  EXPECT_EQ(judge(in_quotes(example_file()) + none).code, 1);
  const Ended provisional = judge(in_quotes(example_file()) + none + " --bootstrap");
  EXPECT_EQ(provisional.code, 0) << provisional.out;
  EXPECT_NE(provisional.out.find("provisional"), std::string::npos);
}

TEST(JudgeVerb, BadInputIsOneLineAndTwo) {
  const auto broken = assay::test::fresh_dir() / "dossier.json";
  assay::test::write_text(broken, R"({"schema": "1.0.0", "schema": "1.0.0"})");
  const std::string good = in_quotes(example_file());
  for (const std::string& arguments :
       {std::string(), std::string("--nonsense"), std::string("/no/such/file"), in_quotes(broken),
        good + " --share /no/such/folder", good + " --pinned /no/such/file",
        good + " --pinned-dir /no/such/folder", good + " --pinned x --bootstrap",
        good + " --verify x", std::string("--verify /no/such/file")}) {
    const Ended ended = judge(arguments);
    EXPECT_EQ(ended.code, 2) << arguments << ": " << ended.out;
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 1) << ended.out;
  }
  EXPECT_NE(judge(in_quotes(broken)).out.find("dossier.json:1"), std::string::npos);
}

TEST(JudgeVerb, HelpHasAnExample) {
  const Ended help = judge("--help");
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("Example"), std::string::npos);
}

/// A folder with one sound run, and beside it a folder that pins it.
class JudgeFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = assay::test::fresh_dir();
    write("pins/pin.json", example_text());
    write("runs/b/dossier.json", example_text());
    write("runs/b/samples/latency.json", R"({"schema": "1.0.0", "kind": "samples"})");
  }
  void write(const std::string& name, const std::string& text) const {
    assay::test::write_text(dir_ / name, text);
  }
  Ended judge_runs(const std::string& more = "") const {
    return judge(in_quotes(dir_ / "runs") + " --pinned-dir " + in_quotes(dir_ / "pins") + more);
  }
  static std::string example_text() { return assay::read_file(example_file()); }
  static std::string slow_text() {
    assay::Dossier slow = assay::test::example();
    slow.entries.at("latency").facts.at("l2").value = 900.0;
    return assay::dossier_text(slow);
  }
  std::filesystem::path dir_;
};

TEST_F(JudgeFolder, OfSoundRunsPassesWithALineForEach) {
  write("runs/kept.json", example_text());
  const Ended ended = judge_runs();
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 3) << ended.out;
  EXPECT_LT(ended.out.find("b/dossier.json"), ended.out.find("kept.json"));
  EXPECT_NE(ended.out.find("2 dossiers: 2 pass\n"), std::string::npos) << ended.out;
}

TEST_F(JudgeFolder, TheWorstDecides) {
  write("runs/a/dossier.json", slow_text());
  write("runs/c/dossier.json", "{");
  const Ended ended = judge_runs();
  EXPECT_EQ(ended.code, 1) << ended.out;
  EXPECT_EQ(ended.out.find("fail  "), 0U) << ended.out;
  EXPECT_NE(ended.out.find("a/dossier.json  latency."), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("2 dossiers: 1 pass, 1 fail; 1 cannot be read\n"), std::string::npos)
      << ended.out;
}

TEST_F(JudgeFolder, AFileThatCannotBeReadIsNamedAndNeverAPass) {
  write("runs/c/dossier.json", R"({"schema": "1.0.0", "schema": "1.0.0"})");
  const Ended ended = judge_runs();
  EXPECT_EQ(ended.code, 2) << ended.out;
  EXPECT_NE(ended.out.find("unreadable      c/dossier.json"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("1 cannot be read"), std::string::npos) << ended.out;
}

TEST_F(JudgeFolder, WithoutPinsIsNoEvidenceUnlessBootstrapped) {
  std::filesystem::remove(dir_ / "pins/pin.json");
  EXPECT_EQ(judge_runs().code, 1);
  EXPECT_EQ(judge_runs(" --bootstrap").code, 0);
}

TEST_F(JudgeFolder, JsonIsOneDocumentALine) {
  write("runs/a/dossier.json", slow_text());
  write("runs/c\nd/dossier.json", "{");
  const Ended ended = judge_runs(" --json");
  EXPECT_EQ(ended.code, 1) << ended.out;
  std::istringstream lines(ended.out);
  std::vector<nlohmann::json> documents;
  for (std::string line; std::getline(lines, line);) {
    documents.push_back(nlohmann::json::parse(line));
  }
  ASSERT_EQ(documents.size(), 4U);
  EXPECT_EQ(documents[0].at("verdict"), "fail");
  EXPECT_EQ(documents[0].at("notable").at(0).at("outcome"), "fail");
  EXPECT_EQ(documents[1].at("verdict"), "pass");
  EXPECT_TRUE(documents[2].at("verdict").is_null());
  EXPECT_NE(documents[2].at("problem"), "");
  EXPECT_EQ(documents[3].at("unreadable"), 1);
  EXPECT_EQ(documents[3].at("exit_code"), 1);
}

TEST_F(JudgeFolder, WithoutADossierOrWithOnePinIsAMistake) {
  const Ended empty = judge(in_quotes(dir_ / "runs/b/samples"));
  EXPECT_EQ(empty.code, 2) << empty.out;
  EXPECT_NE(empty.out.find("holds no dossier"), std::string::npos) << empty.out;
  EXPECT_EQ(judge(in_quotes(dir_ / "runs") + " --pinned " + in_quotes(example_file())).code, 2);
}

TEST(JudgeVerb, VerifiesACertificateAndFindsAnEdit) {
  const auto dir = assay::test::fresh_dir();
  const assay::Dossier dossier = assay::test::example();
  assay::write_file_atomically(dir / "dossier.json", assay::dossier_text(dossier));
  const std::string text = assay::certificate_text(
      assay::make_certificate(assay::test::rules(), dossier, nullptr, {false, true}));
  assay::write_file_atomically(dir / "certificate.json", text);
  const Ended good = judge("--verify " + in_quotes(dir / "certificate.json"));
  EXPECT_EQ(good.code, 0) << good.out;
  assay::write_file_atomically(dir / "certificate.json",
                               assay::test::replaced(text, "NVIDIA H200", "NVIDIA H100"));
  const Ended bad = judge("--verify " + in_quotes(dir / "certificate.json"));
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.out.find("not verified"), std::string::npos) << bad.out;
}

TEST(CheckRules, AnEntryWithoutEditsThatBreakItStopsTheBuild) {
  const auto share = assay::test::fresh_dir();
  std::filesystem::create_directories(share / "mustpass");
  const auto copy = [&share](const std::string& name) {
    std::filesystem::copy_file(assay::test::rules_dir() / name, share / name,
                               std::filesystem::copy_options::overwrite_existing);
  };
  for (const char* name :
       {"catalog.json", "waivers.json", "mustpass/quick.json", "mustpass/full.json"}) {
    copy(name);
  }
  const std::filesystem::path program = kBuild + "/invariants/assay-check-rules";
  const std::string check = in_quotes(program) + " " + in_quotes(share);
  EXPECT_EQ(run(check).code, 0);
  nlohmann::json catalog = nlohmann::json::parse(assay::read_file(share / "catalog.json"));
  catalog["invariants"][3].erase("breaks");
  assay::test::write_text(share / "catalog.json", catalog.dump(2));
  const Ended stopped = run(check);
  EXPECT_EQ(stopped.code, 1);
  EXPECT_NE(stopped.out.find("dram.peak"), std::string::npos) << stopped.out;
  EXPECT_NE(stopped.out.find("breaks"), std::string::npos) << stopped.out;
}

}  // namespace
