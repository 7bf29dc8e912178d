// SPDX-License-Identifier: Apache-2.0
// Do waivers, must-pass lists and pinned dossiers let through only what they name?
#include <gtest/gtest.h>

#include "invariants/mustpass.h"
#include "invariants/pinned.h"
#include "invariants/test_support.h"
#include "invariants/waivers.h"

namespace {

using assay::Catalog;
using assay::Dossier;
using assay::Outcome;
using assay::Verdict;
using assay::Waiver;
using assay::test::refusal;
using assay::test::replaced;
using assay::test::write_text;

Catalog catalog() {
  return assay::load_catalog(assay::test::rules_dir() / "catalog.json");
}

Waiver h200_waiver() {
  Waiver waiver;
  waiver.id = "w1";
  waiver.invariant = "dram.gather";
  waiver.device_name = "NVIDIA H200";
  waiver.driver_min = "580.100";
  waiver.driver_max = "580.159.04";
  waiver.issue = "https://example.org/1";
  waiver.author = "a";
  waiver.expires = "2026-11-29";
  return waiver;
}

Verdict failed(const std::string& id) {
  Verdict verdict;
  verdict.id = id;
  verdict.outcome = Outcome::fail;
  verdict.reason = "too much";
  return verdict;
}

TEST(Waivers, WaiveAFailureOfThatInvariantDeviceAndDriver) {
  Verdict verdict = failed("dram.gather");
  const auto used = assay::apply_waivers({h200_waiver()}, assay::test::example(), verdict);
  ASSERT_TRUE(used.has_value());
  EXPECT_FALSE(used->expired);
  EXPECT_EQ(verdict.outcome, Outcome::waived);
  EXPECT_NE(verdict.reason.find("too much"), std::string::npos) << "the failure stays readable";
  EXPECT_NE(verdict.reason.find("w1"), std::string::npos);
}

TEST(Waivers, ExpireByTheDateOfTheRunNotOfToday) {
  Waiver waiver = h200_waiver();
  waiver.expires = "2026-11-28";
  Verdict verdict = failed("dram.gather");
  const auto used = assay::apply_waivers({waiver}, assay::test::example(), verdict);
  ASSERT_TRUE(used.has_value());
  EXPECT_TRUE(used->expired);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_NE(verdict.reason.find("w1 expired on 2026-11-28"), std::string::npos) << verdict.reason;
}

TEST(Waivers, DoNotReachOtherInvariantsDevicesOrDrivers) {
  const auto stays = [](const Waiver& waiver) {
    Verdict verdict = failed("dram.gather");
    assay::apply_waivers({waiver}, assay::test::example(), verdict);
    return verdict.outcome == Outcome::fail;
  };
  Waiver waiver = h200_waiver();
  waiver.invariant = "dram.peak";
  EXPECT_TRUE(stays(waiver));
  waiver = h200_waiver();
  waiver.device_name = "NVIDIA H20";
  EXPECT_TRUE(stays(waiver));
  waiver = h200_waiver();
  waiver.device_name.clear();
  waiver.device_uuid = "sha256:0123456789abcdef";
  EXPECT_TRUE(stays(waiver));
  waiver = h200_waiver();
  waiver.driver_max = "580.159.03";
  EXPECT_TRUE(stays(waiver));
  waiver = h200_waiver();
  waiver.driver_min = "580.160";
  waiver.driver_max = "590";
  EXPECT_TRUE(stays(waiver));
}

TEST(Waivers, FindADeviceByItsHashBeforeAndAfterRedaction) {
  Dossier dossier = assay::test::example();
  Waiver waiver = h200_waiver();
  waiver.device_name.clear();
  waiver.device_uuid = assay::device_hash(dossier.device.uuid);
  Verdict verdict = failed("dram.gather");
  assay::apply_waivers({waiver}, dossier, verdict);
  EXPECT_EQ(verdict.outcome, Outcome::waived);
  verdict = failed("dram.gather");
  assay::apply_waivers({waiver}, assay::redact(dossier), verdict);
  EXPECT_EQ(verdict.outcome, Outcome::waived);
}

TEST(Waivers, CannotWaiveMissingEvidence) {
  for (const Outcome outcome : {Outcome::no_evidence, Outcome::inconclusive, Outcome::pass}) {
    Verdict verdict = failed("dram.gather");
    verdict.outcome = outcome;
    EXPECT_FALSE(assay::apply_waivers({h200_waiver()}, assay::test::example(), verdict));
    EXPECT_EQ(verdict.outcome, outcome);
  }
}

TEST(Waivers, TheFileIsRefusedWhenItNamesWhatIsNot) {
  const std::string good = R"({"schema": "1.0.0", "kind": "waivers", "waivers": [
    {"id": "w1", "invariant": "dram.gather", "device": {"name": "NVIDIA H200"},
     "driver": {"min": "580", "max": "581"}, "issue": "i", "author": "a",
     "expires": "2027-03-31"}]})";
  const auto file = assay::test::fresh_dir() / "waivers.json";
  write_text(file, good);
  EXPECT_EQ(assay::load_waivers(file, catalog()).size(), 1U);
  const std::pair<std::string, std::string> edits[] = {
      {"dram.gather", "dram.gathre"},
      {"2027-03-31", "31.03.2027"},
      {"2027-03-31", "2027-13-01"},
      {"\"min\": \"580\"", "\"min\": \"new\""},
      {"\"max\": \"581\"", "\"max\": \"579\""},
      {"{\"name\": \"NVIDIA H200\"}", "{}"},
      {"{\"name\": \"NVIDIA H200\"}", "{\"uuid\": \"GPU-1\"}"},
      {"\"author\": \"a\"", "\"author\": \"\""},
      {"\"author\": \"a\"", "\"autor\": \"a\""},
      {"\"author\": \"a\",", ""},
  };
  for (const auto& [from, to] : edits) {
    write_text(file, replaced(good, from, to));
    EXPECT_NE(refusal([&] { assay::load_waivers(file, catalog()); }), "") << to;
  }
}

TEST(MustPass, TheShippedListsNameTheWholeCatalogue) {
  const Catalog all = catalog();
  for (const assay::Level level : {assay::Level::quick, assay::Level::full}) {
    const assay::Rules rules = assay::load_rules(assay::test::rules_dir(), level);
    for (const auto& invariant : all.invariants) {
      EXPECT_NE(rules.mustpass.find(invariant.id), nullptr) << invariant.id;
    }
  }
}

TEST(MustPass, TheListIsRefusedWhenItNamesWhatIsNot) {
  const std::string good = R"({"schema": "1.0.0", "kind": "mustpass", "id": "x", "version": "1",
    "level": "quick", "entries": ["latency.l2"],
    "invariants": [{"id": "latency.order", "may_not_apply": false}]})";
  const auto file = assay::test::fresh_dir() / "quick.json";
  write_text(file, good);
  EXPECT_EQ(refusal([&] { assay::load_mustpass(file, catalog()); }), "");
  const std::pair<std::string, std::string> edits[] = {
      {"\"latency.order\"", "\"latency.disorder\""},
      {"[\"latency.l2\"]", "[\"latnecy.l2\"]"},
      {"[\"latency.l2\"]", "[\"latency.l2\", \"latency.l2\"]"},
      {"[\"latency.l2\"]", "[]"},
      {"[\"latency.l2\"]", "[\"latency.tlb_2GiB\"]"},
      {"\"level\": \"quick\"", "\"level\": \"fast\""},
      {", \"may_not_apply\": false", ""},
      {"\"may_not_apply\": false}",
       "\"may_not_apply\": false}, {\"id\": \"latency.order\", "
       "\"may_not_apply\": true}"},
  };
  for (const auto& [from, to] : edits) {
    write_text(file, replaced(good, from, to));
    EXPECT_NE(refusal([&] { assay::load_mustpass(file, catalog()); }), "") << to;
  }
}

TEST(MustPass, CompletenessLooksBothWays) {
  const assay::Rules rules = assay::test::rules();
  Dossier dossier = assay::test::example();
  EXPECT_TRUE(completeness_of(rules.mustpass, rules.catalog, dossier).missing.empty());
  dossier.entries.at("latency").facts.erase("l2");
  dossier.entries.at("latency").facts["l3"] = assay::derived(1.0, assay::Unit::cycles, "m");
  dossier.entries.at("clock").facts.at("nvml_ghz") =
      assay::absent(assay::Unit::ghz, "m", {assay::NullKind::not_supported, "no NVML"});
  const auto completeness = completeness_of(rules.mustpass, rules.catalog, dossier);
  ASSERT_EQ(completeness.missing.size(), 1U);
  EXPECT_EQ(completeness.missing.front().what, "latency.l2");
  ASSERT_EQ(completeness.skipped.size(), 1U);
  EXPECT_NE(completeness.skipped.front().reason.find("no NVML"), std::string::npos);
  const auto& unlisted = completeness.unlisted;
  EXPECT_NE(std::find(unlisted.begin(), unlisted.end(), "latency.l3"), unlisted.end());
}

class PinnedTest : public ::testing::Test {
 protected:
  void SetUp() override { dir_ = assay::test::fresh_dir(); }
  void pin(const std::string& name, const Dossier& dossier) const {
    assay::write_file_atomically(dir_ / name, assay::dossier_text(dossier));
  }
  std::filesystem::path dir_;
  const Dossier example_ = assay::test::example();
};

TEST_F(PinnedTest, NoFolderAndNoFileAreNoPin) {
  EXPECT_FALSE(assay::find_pinned(example_, dir_ / "none").has_value());
  EXPECT_FALSE(assay::find_pinned(example_, dir_).has_value());
}

TEST_F(PinnedTest, TheSameDeviceWinsOverANewerPinOfTheProduct) {
  Dossier other = example_;
  other.device.uuid = "GPU-other";
  other.run_id = "other";
  other.created_utc = "2027-01-01T00:00:00Z";
  pin("a.json", other);
  EXPECT_EQ(assay::find_pinned(example_, dir_)->dossier.run_id, "other");
  EXPECT_FALSE(assay::find_pinned(example_, dir_)->same_device);
  pin("b.json", assay::redact(example_));
  const auto found = assay::find_pinned(example_, dir_);
  EXPECT_EQ(found->dossier.run_id, example_.run_id);
  EXPECT_TRUE(found->same_device);
}

TEST_F(PinnedTest, AnotherProductEccOrMigStateIsNeverChosen) {
  Dossier other = example_;
  other.device.name = "NVIDIA H100";
  pin("a.json", other);
  other = example_;
  other.device.ecc = false;
  pin("b.json", other);
  other = example_;
  other.device.mig = true;
  pin("c.json", other);
  EXPECT_FALSE(assay::find_pinned(example_, dir_).has_value());
}

TEST_F(PinnedTest, AFileThatCannotBeReadIsRefusedNotSkipped) {
  write_text(dir_ / "a.json", "{");
  EXPECT_THROW(assay::find_pinned(example_, dir_), assay::DataError);
}

TEST(Share, AFolderWithoutACatalogueIsNamed) {
  const auto dir = assay::test::fresh_dir();
  try {
    assay::share_dir(dir);
    FAIL() << "took an empty folder";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(dir.string()), std::string::npos) << error.what();
  }
}

}  // namespace
