// SPDX-License-Identifier: Apache-2.0
// What do the verbs record, pin and drift do, seen from outside?
#include "dossiers/record.h"

#include <cstdio>
#include <string>
#include <sys/wait.h>

#include <gtest/gtest.h>

#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"

namespace assay {
namespace {

const std::string kExample = ASSAY_TEST_SOURCE_DIR "/dossiers/schema/examples/dossier.json";
const std::string kVerbs = ASSAY_TEST_BINARY_DIR "/libexec/assay/assay-";

struct Ended {
  int code = -1;
  std::string out, err;
};

Ended run(const TempFolder& folder, const std::string& command) {
  const std::string out = (folder / "stdout").string();
  const std::string err = (folder / "stderr").string();
  const int status = std::system((kVerbs + command + " >'" + out + "' 2>'" + err + "'").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

std::string quoted(const std::filesystem::path& path) {
  return " '" + path.string() + "'";
}

TEST(RecordVerb, WritesARedactedDossierThatRereadsWithItsSamples) {
  const TempFolder folder;
  const Ended ended =
      run(folder, "record '" + kExample + "' --json --out" + quoted(folder / "rec"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(parse_json(ended.out, "stdout").at("redacted").boolean(), true);
  const Dossier dossier = read_dossier(folder / "rec/dossier.json", true);
  EXPECT_TRUE(dossier.redacted);
  EXPECT_EQ(dossier.find("fma_f32")->raw.size(), 11U);
  EXPECT_EQ(read_file(folder / "rec/dossier.json").find("GPU-"), std::string::npos);
}

TEST(RecordVerb, NeverOverwrites) {
  const TempFolder folder;
  const std::string command = "record '" + kExample + "' --out" + quoted(folder / "rec");
  EXPECT_EQ(run(folder, command).code, 0);
  const Ended again = run(folder, command);
  EXPECT_EQ(again.code, 2);
  EXPECT_TRUE(holds(again.err, "assay record: "));
  EXPECT_TRUE(holds(again.err, "never overwritten"));
}

TEST(RecordVerb, KeepsTheIdentityOnlyWhenAsked) {
  const TempFolder folder;
  run(folder, "record '" + kExample + "' --no-redact --out" + quoted(folder / "rec"));
  EXPECT_EQ(read_file(folder / "rec/dossier.json"), read_file(kExample));
}

TEST(PinVerb, WritesOneRedactedApprovedFile) {
  const TempFolder folder;
  const std::string command = "pin '" + kExample +
                              "' --by Ada --why agreed --date 2026-11-30 --out" +
                              quoted(folder / "pins/h200.json");
  const Ended ended = run(folder, command);
  EXPECT_EQ(ended.code, 0) << ended.err;
  const Dossier pinned = read_dossier(folder / "pins/h200.json", true);
  EXPECT_EQ(pinned.pinned, (Pinned{"Ada", "agreed", "2026-11-30T00:00:00Z"}));
  EXPECT_TRUE(pinned.redacted && pinned.sample_digests.empty());
  EXPECT_EQ(pinned.find("fma_f32")->samples, 11);
  EXPECT_EQ(run(folder, command).code, 2) << "an existing pin is replaced only with --force";
  EXPECT_EQ(run(folder, command + " --force").code, 0);
}

TEST(PinVerb, RefusesNobodyNothingAndNoDay) {
  const Dossier dossier = read_dossier(kExample);
  EXPECT_THROW(pin_dossier(dossier, {"", "why", "2026-11-30"}), std::invalid_argument);
  EXPECT_THROW(pin_dossier(dossier, {"Ada", "", "2026-11-30"}), std::invalid_argument);
  for (const char* date : {"", "yesterday", "2026-02-30", "2026-13-01", "2026-1-01", "20261130",
                           "2026-11-30T25:00:00Z", "2026-11-30T01:00:00"}) {
    EXPECT_THROW(utc_from_date(date), std::invalid_argument) << date;
  }
  EXPECT_EQ(utc_from_date("2024-02-29"), "2024-02-29T00:00:00Z");
  EXPECT_EQ(utc_from_date("2026-11-30T02:14:07Z"), "2026-11-30T02:14:07Z");
  EXPECT_NO_THROW(utc_from_date(today()));
  const Dossier pinned = pin_dossier(dossier, {"Ada", "why", "2026-11-30"});
  EXPECT_THROW(pin_dossier(pinned, {"Bob", "why", "2026-11-30"}), std::invalid_argument);
}

TEST(CaseA53, DriftExitsOneAndFlagsTheEntryThatMoved) {
  const TempFolder folder;
  std::string text = read_file(kExample);
  text.replace(text.find("\"copy\": 4197.0"), 14, "\"copy\": 4658.7");  // 11 % up
  const auto moved = folder.write("moved.json", text);
  const Ended ended =
      run(folder, "drift --json --rel-tol 0.10" + quoted(moved) + " '" + kExample + "'");
  EXPECT_EQ(ended.code, 1);
  const JsonNode json = parse_json(ended.out, "stdout");
  EXPECT_EQ(json.at("over_tol").integer(), 1);
  EXPECT_FALSE(json.at("pass").boolean());
  EXPECT_TRUE(holds(ended.err, "OVER"));
  EXPECT_EQ(run(folder, "drift '" + kExample + "' '" + kExample + "'").code, 0);
  EXPECT_EQ(run(folder, "drift --rel-tol 0.12" + quoted(moved) + " '" + kExample + "'").code, 0);
}

TEST(DriftVerb, BadInputIsOneLineAndTwo) {
  const TempFolder folder;
  const auto broken = folder.write("broken.json", "{\n\"schema\": \"9.0.0\"}");
  const Ended ended = run(folder, "drift" + quoted(broken) + " '" + kExample + "'");
  EXPECT_EQ(ended.code, 2);
  EXPECT_TRUE(holds(ended.err, "broken.json:2: schema: is version 9.0.0"));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1);
  EXPECT_EQ(run(folder, "drift '" + kExample + "'").code, 2);
  EXPECT_EQ(run(folder, "drift --rel-tol nan '" + kExample + "' '" + kExample + "'").code, 2);
  EXPECT_EQ(run(folder, "drift --rel-tol -1 '" + kExample + "' '" + kExample + "'").code, 2);
}

TEST(Verbs, HelpHasAnExampleAndIsZero) {
  const TempFolder folder;
  for (const char* verb : {"record", "pin", "drift"}) {
    const Ended ended = run(folder, std::string(verb) + " --help");
    EXPECT_EQ(ended.code, 0);
    EXPECT_TRUE(holds(ended.out, "Example:\n  assay " + std::string(verb)));
  }
}

}  // namespace
}  // namespace assay
