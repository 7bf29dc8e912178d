// SPDX-License-Identifier: Apache-2.0
// Does the audit fail whenever something did not run, ran elsewhere or said something else?
#include "invariants/audit.h"

#include <gtest/gtest.h>

#include "invariants/test_support.h"

namespace {

using assay::Audit;
using assay::Certificate;
using assay::Outcome;
using assay::Verdict;

/// A run's folder in which everything that had to run did.
class AuditTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = assay::test::fresh_dir();
    std::filesystem::create_directories(folder_ / "evidence");
    std::filesystem::create_directories(folder_ / "verdicts");
    assay::Run run;
    run.run_id = dossier_.run_id;
    run.suite = dossier_.suite;
    run.created_utc = dossier_.created_utc;
    run.device = dossier_.device;
    run.parent_pid = 1;
    run.parent_start = 1;
    for (const auto& [probe, record] : dossier_.probes) {
      run.probes.push_back(probe);
      write_exit(probe, dossier_.run_id);
    }
    assay::write_run(run, folder_ / "run.json");
    for (const Verdict& verdict : certificate_.verdicts) write_verdict(dossier_.run_id, verdict);
  }
  void write_exit(const std::string& probe, const std::string& run_id) const {
    assay::ProbeExit ended;
    ended.run_id = run_id;
    ended.probe = probe;
    ended.exit_code = 0;
    assay::write_probe_exit(ended, folder_ / "evidence" / (probe + ".exit.json"));
  }
  void write_verdict(const std::string& run_id, const Verdict& verdict) const {
    assay::write_verdict({run_id, dossier_.suite, verdict}, verdict_file(verdict.id));
  }
  std::filesystem::path verdict_file(const std::string& id) const {
    return folder_ / "verdicts" / (id + ".json");
  }
  Audit audit() const { return assay::audit_run(folder_, rules_.mustpass, certificate_); }
  void expect_problem(const std::string& part) const {
    const Audit found = audit();
    EXPECT_FALSE(found.pass());
    std::string all;
    for (const std::string& problem : found.problems) all += problem + "\n";
    EXPECT_NE(all.find(part), std::string::npos) << all;
  }

  const assay::Rules rules_ = assay::test::rules();
  const assay::Dossier dossier_ = assay::test::example();
  Certificate certificate_ = assay::make_certificate(rules_, dossier_, nullptr, {false, true});
  std::filesystem::path folder_;
};

TEST_F(AuditTest, PassesWhenEverythingRan) {
  const Audit found = audit();
  EXPECT_TRUE(found.pass()) << (found.problems.empty() ? "" : found.problems.front());
  EXPECT_EQ(found.planned_probes, static_cast<int>(dossier_.probes.size()));
  EXPECT_EQ(found.probes_accounted, found.planned_probes);
  EXPECT_EQ(found.verdicts_confirmed, found.wanted_verdicts);
}

TEST_F(AuditTest, AMissingVerdictFails) {
  std::filesystem::remove(verdict_file("latency.order"));
  expect_problem("latency.order: no verdict file");
}

TEST_F(AuditTest, AVerdictOfAnotherRunFails) {
  write_verdict("another-run", certificate_.verdicts.front());
  expect_problem("of run another-run");
}

TEST_F(AuditTest, ADifferingVerdictFails) {
  Verdict verdict = certificate_.verdicts.front();
  verdict.outcome = Outcome::fail;
  verdict.reason = "because";
  write_verdict(dossier_.run_id, verdict);
  expect_problem("says fail, differs from the certificate's verdict pass");
  verdict = certificate_.verdicts.front();
  verdict.measured = *verdict.measured + 1.0;
  write_verdict(dossier_.run_id, verdict);
  expect_problem("differs");
}

TEST_F(AuditTest, AVerdictThatCannotBeReadFails) {
  assay::test::write_text(verdict_file("latency.order"), "{");
  expect_problem("latency.order.json");
}

TEST_F(AuditTest, AProbeThatLeftNothingFails) {
  std::filesystem::remove(folder_ / "evidence/latency.exit.json");
  expect_problem("probe latency: neither evidence nor an exit record");
}

TEST_F(AuditTest, EvidenceOfAnotherRunFails) {
  write_exit("latency", "another-run");
  expect_problem("of run another-run, not of");
}

TEST_F(AuditTest, ACertificateOfAnotherRunOrListFails) {
  certificate_.run_id = "another-run";
  expect_problem("certificate: of run another-run");
  certificate_ = assay::make_certificate(rules_, dossier_, nullptr, {false, true});
  certificate_.mustpass_sha256 = "0";
  expect_problem("another must-pass list");
}

TEST_F(AuditTest, AnEmptyFolderFails) {
  folder_ /= "empty";
  std::filesystem::create_directories(folder_);
  expect_problem("run.json: is missing");
  expect_problem("no probe ran");
  expect_problem("no verdict is confirmed");
}

TEST_F(AuditTest, APlanWithoutProbesFails) {
  assay::Run run = assay::read_run(folder_ / "run.json");
  run.probes.clear();
  try {
    assay::write_run(run, folder_ / "run.json");
  } catch (const std::exception&) {
    GTEST_SKIP() << "such a run cannot even be written";
  }
  expect_problem("plans no probe");
}

}  // namespace
