// SPDX-License-Identifier: Apache-2.0
// Is a certificate the same bytes for the same evidence, and is every edit of it found?
#include "invariants/certificate.h"

#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "invariants/seal.h"
#include "invariants/test_support.h"

namespace {

using assay::Certificate;
using assay::Dossier;
using assay::JudgeOptions;
using assay::Outcome;
using assay::PinnedDossier;

constexpr int kParts = 4;

class CertificateTest : public ::testing::Test {
 protected:
  Certificate make(const JudgeOptions& options = {}) const {
    return assay::make_certificate(rules_, dossier_, &pinned_, options);
  }
  Certificate make_without_pin(const JudgeOptions& options = {}) const {
    return assay::make_certificate(rules_, dossier_, nullptr, options);
  }
  /// A run's folder as far as verification reads it; returns the certificate's path.
  std::filesystem::path write_folder(const std::string& certificate) const {
    const auto dir = assay::test::fresh_dir();
    std::filesystem::create_directories(dir / "pins");
    assay::write_file_atomically(dir / "dossier.json", assay::dossier_text(dossier_));
    assay::write_file_atomically(dir / "pins" / "pin.json", assay::dossier_text(pinned_.dossier));
    assay::write_file_atomically(dir / "certificate.json", certificate);
    return dir / "certificate.json";
  }
  std::vector<std::string> verify(const std::filesystem::path& file) const {
    return assay::verify_certificate(file, assay::test::rules_dir(), file.parent_path() / "pins");
  }
  /// What verification says of the edited document; a refusal to read it counts.
  std::vector<std::string> problems_of(const nlohmann::ordered_json& edited) const {
    try {
      return assay::verify_certificate_text(edited.dump(2) + "\n", "edited", rules_, dossier_,
                                            &pinned_);
    } catch (const assay::DataError& error) {
      return {error.what()};
    }
  }
  static PinnedDossier make_pinned() {
    PinnedDossier pinned;
    pinned.dossier = assay::test::example();
    pinned.sha256 = assay::sha256_hex(assay::dossier_text(pinned.dossier));
    pinned.same_device = true;
    return pinned;
  }

  assay::Rules rules_ = assay::test::rules();
  const PinnedDossier pinned_ = make_pinned();
  Dossier dossier_ = pinned_.dossier;
};

TEST_F(CertificateTest, ASoundDossierPasses) {
  const Certificate certificate = make();
  EXPECT_EQ(certificate.verdict, Outcome::pass) << certificate.headline;
  EXPECT_EQ(certificate.headline, "pass");
  EXPECT_EQ(certificate.verdicts.size(), rules_.catalog.invariants.size());
}

TEST_F(CertificateTest, JudgingAgainGivesTheSameBytes) {
  EXPECT_EQ(assay::certificate_text(make()), assay::certificate_text(make()));
}

TEST_F(CertificateTest, ASwapOfTwoFactsFailsByName) {
  auto& latency = dossier_.entries.at("latency").facts;
  std::swap(latency.at("l2").value, latency.at("l1").value);
  const Certificate certificate = make();
  EXPECT_EQ(certificate.verdict, Outcome::fail);
  EXPECT_EQ(assay::find_verdict(certificate, "latency.order")->outcome, Outcome::fail);
}

TEST_F(CertificateTest, FactsStandAgainstTheirCeilings) {
  for (const auto& fact : make().facts) {
    if (fact.path == "dram_bw.read") {
      ASSERT_TRUE(fact.ceiling.has_value());
      EXPECT_EQ(fact.ceiling->from, "device.dram_peak_gbs");
      EXPECT_NEAR(fact.ceiling->percent, 95.7, 0.1);
    }
    if (fact.path == "mma_per_clock.wgmma_tf32_f32") {
      ASSERT_TRUE(fact.ceiling.has_value());
      EXPECT_EQ(fact.ceiling->ceiling, 2048.0);
    }
  }
}

TEST_F(CertificateTest, ANominalWithoutAnUpperBoundIsNoCeiling) {
  std::size_t seen = 0;
  for (const auto& fact : make().facts) {
    if (fact.path != "numerics.wgmma_f16_f32_accumulator_bits") continue;
    ++seen;  // 23 bits must at least be there; more of them are no fault
    EXPECT_FALSE(fact.ceiling.has_value());
  }
  EXPECT_EQ(seen, 1U);
}

TEST_F(CertificateTest, AnUnlistedMissingFactIsNoEvidence) {
  dossier_.entries.at("launch_overhead").facts.erase("sync");  // no invariant reads it
  const Certificate certificate = assay::make_certificate(rules_, dossier_, nullptr, {false, true});
  EXPECT_EQ(certificate.verdict, Outcome::no_evidence);
  ASSERT_EQ(certificate.completeness.missing.size(), 1U);
  EXPECT_EQ(certificate.completeness.missing.front().what, "launch_overhead.sync");
}

TEST_F(CertificateTest, WithoutAPinDriftIsNoEvidenceUnlessBootstrapped) {
  EXPECT_EQ(make_without_pin().verdict, Outcome::no_evidence);
  const Certificate provisional = make_without_pin({false, true});
  EXPECT_EQ(provisional.verdict, Outcome::pass);
  EXPECT_TRUE(provisional.provisional);
  EXPECT_NE(provisional.headline.find("provisional"), std::string::npos);
  EXPECT_FALSE(make({false, true}).provisional) << "a pin was there";
}

TEST_F(CertificateTest, AReplaySaysThatItCertifiesNothing) {
  const Certificate replay = make({true, false});
  EXPECT_NE(replay.headline.find("certifies nothing about this machine"), std::string::npos);
  EXPECT_NE(assay::certificate_text(replay).find("\"kind\": \"replay\""), std::string::npos);
}

TEST_F(CertificateTest, AWaivedFailurePassesAndTheHeadlineSaysSo) {
  dossier_.entries.at("dram_bw").facts.at("triad_16B").value = 4800.0;
  EXPECT_EQ(make_without_pin({false, true}).verdict, Outcome::fail);
  rules_.waivers = {
      {"w1", "dram.triad_ratio", "", "NVIDIA H200", "1", "999", "i", "a", "2030-01-01"}};
  const Certificate certificate = make_without_pin({false, true});
  EXPECT_EQ(certificate.verdict, Outcome::pass);
  EXPECT_NE(certificate.headline.find("1 waived"), std::string::npos);
  ASSERT_EQ(certificate.waivers.size(), 1U);
}

TEST_F(CertificateTest, AMustPassInvariantThatMayNotBeSkippedIsNotExcused) {
  auto& record = dossier_.probes.at("atomics");
  record.status = assay::ProbeStatus::not_applicable;
  record.reason = "no code for sm_90";
  dossier_.entries.erase("atomics_f32");
  const Certificate certificate = make_without_pin({false, true});
  EXPECT_EQ(certificate.verdict, Outcome::no_evidence);
  EXPECT_EQ(certificate.completeness.missing.front().what, "invariant atomics.curve");
}

TEST_F(CertificateTest, ADeviceWithoutAnyCodeIsNotApplicable) {
  for (auto& [name, record] : dossier_.probes) {
    record.status = assay::ProbeStatus::not_applicable;
    record.reason = "no code for sm_70";
  }
  dossier_.entries.clear();
  EXPECT_EQ(make_without_pin().verdict, Outcome::not_applicable);
}

TEST_F(CertificateTest, AnEmptyDossierIsNoEvidence) {
  dossier_.entries.clear();
  dossier_.probes.clear();
  EXPECT_EQ(make().verdict, Outcome::no_evidence);
  EXPECT_EQ(make_without_pin({false, true}).verdict, Outcome::no_evidence);
}

TEST_F(CertificateTest, TheListMustBeOfTheDossiersLevel) {
  dossier_.level = assay::Level::full;
  EXPECT_THROW(make(), std::invalid_argument);
}

TEST_F(CertificateTest, VerifiesAsWritten) {
  for (const JudgeOptions options : {JudgeOptions{false, false}, JudgeOptions{true, false}}) {
    const auto problems = verify(write_folder(assay::certificate_text(make(options))));
    EXPECT_TRUE(problems.empty()) << problems.front();
  }
  const auto problems =
      verify(write_folder(assay::certificate_text(make_without_pin({false, true}))));
  EXPECT_TRUE(problems.empty()) << problems.front();
}

nlohmann::json flipped(const nlohmann::json& leaf) {
  if (leaf.is_boolean()) return !leaf.get<bool>();
  if (leaf.is_number_integer()) return leaf.get<std::int64_t>() + 1;
  if (leaf.is_number()) return leaf.get<double>() * 1.0001 + 1e-9;
  if (leaf.is_null()) return 1;
  const auto& text = leaf.get_ref<const std::string&>();
  return text == "certificate" ? "replay" : text + "x";
}

/// Members of a long list or object are read and written by the same code: the first five and each
/// 31st stand for all.
class Sample {
 public:
  bool takes(const std::string& pointer) {
    const std::size_t section = pointer.find('/', 1);
    if (section == std::string::npos) return true;
    const std::string member = pointer.substr(0, pointer.find('/', section + 1));
    auto& members = members_[pointer.substr(0, section)];
    const int index = members.emplace(member, static_cast<int>(members.size())).first->second;
    return index < kFirst || index % kStep == 0;
  }

 private:
  static constexpr int kFirst = 5;
  static constexpr int kStep = 31;
  std::map<std::string, std::map<std::string, int>> members_;
};

/// The scalars of the certificate, one at a time. The old seal shows the edit; a new seal over the
/// edit is shown by judging again.
/// In four parts, so that they run side by side.
class EditTest : public CertificateTest, public ::testing::WithParamInterface<int> {};

TEST_P(EditTest, OfOneFieldIsFound) {
  const std::string good = assay::certificate_text(make());
  const nlohmann::ordered_json document = nlohmann::ordered_json::parse(good);
  const std::string seal = document["seal"]["digest"];
  const nlohmann::ordered_json flat = document.flatten();  // items() keeps no temporary alive
  int leaves = 0;
  Sample sample;
  for (const auto& [pointer, leaf] : flat.items()) {
    if (leaf.is_structured() || pointer.starts_with("/seal") || !sample.takes(pointer)) {
      continue;
    }
    if (leaves++ % kParts != GetParam()) continue;
    nlohmann::ordered_json edited = document;
    edited[nlohmann::ordered_json::json_pointer(pointer)] = flipped(leaf);
    const std::string digest = assay::seal_digest(edited.dump());
    EXPECT_NE(digest, seal) << pointer;
    edited["seal"]["digest"] = digest;
    EXPECT_FALSE(problems_of(edited).empty()) << pointer << " sealed anew";
  }
  EXPECT_GT(leaves, 250);
}

INSTANTIATE_TEST_SUITE_P(Any, EditTest, ::testing::Range(0, kParts));

TEST_F(CertificateTest, AnOldSealOverAnEditIsNamed) {
  nlohmann::ordered_json edited = nlohmann::ordered_json::parse(assay::certificate_text(make()));
  edited["statement"]["headline"] = "pass, and how";
  EXPECT_TRUE(problems_of(edited).front().starts_with("seal: ")) << problems_of(edited).front();
  edited = nlohmann::ordered_json::parse(assay::certificate_text(make()));
  edited["seal"]["digest"] = "0";
  EXPECT_FALSE(problems_of(edited).empty());
  edited["seal"]["algorithm"] = "none";
  EXPECT_FALSE(problems_of(edited).empty());
  edited.erase("seal");
  EXPECT_FALSE(problems_of(edited).empty());
}

TEST_F(CertificateTest, AnEditedDossierOrALostPinIsFound) {
  const auto file = write_folder(assay::certificate_text(make()));
  dossier_.entries.at("latency").facts.at("l2").value = 281.5;
  assay::write_file_atomically(file.parent_path() / "dossier.json", assay::dossier_text(dossier_));
  EXPECT_FALSE(verify(file).empty());
  std::filesystem::remove(file.parent_path() / "pins/pin.json");
  EXPECT_NE(verify(file).front().find("pinned dossier"), std::string::npos);
}

TEST_F(CertificateTest, AnotherFormattingIsFound) {
  const std::string good = assay::certificate_text(make());
  const auto problems = verify(write_folder(nlohmann::ordered_json::parse(good).dump() + "\n"));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems.front().find("canonical"), std::string::npos);
}

}  // namespace
