// SPDX-License-Identifier: Apache-2.0
// Whose evidence is believed, whose is refused by name, and what does a crash leave?
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "dossiers/dossier.h"
#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"

namespace assay {
namespace {

/// A run of two probes, "fma" and "latency", both of which measured.
class Merge : public ::testing::Test {
 protected:
  void SetUp() override {
    run_ = read_run(examples_dir() / "run.json");
    run_.probes = {"latency", "fma"};
    std::filesystem::create_directories(folder_ / "evidence");
    write_run(run_, folder_ / "run.json");
    write_evidence(evidence("fma", "fma_f32"), file("fma"));
    write_evidence(evidence("latency", "latency.l2"), file("latency"));
    end("fma", 0);
    end("latency", 0);
  }

  Evidence evidence(const std::string& probe, const std::string& path) const {
    Evidence evidence = read_evidence(examples_dir() / "evidence.json");
    evidence.probe = probe;
    evidence.conditions.contended = false;
    evidence.measurements = {};
    evidence.measurements.add(path, measured(65.0, Unit::cycles, "m", 1.98, {64.0, 65.0, 66.0}));
    return evidence;
  }
  std::filesystem::path file(const std::string& probe) const {
    return folder_ / ("evidence/" + probe + ".json");
  }
  void end(const std::string& probe, std::optional<int> code, std::optional<int> signal = {},
           bool timed_out = false) const {
    write_probe_exit({run_.run_id, probe, code, signal, timed_out, "last words\n", 2.0},
                     folder_ / ("evidence/" + probe + ".exit.json"));
  }
  std::string why() const {
    return refusal<DataError>([&] { return merge_run(folder_.path()); });
  }
  std::string why_with(const std::function<void(Evidence&)>& edit) const {
    Evidence changed = evidence("fma", "fma_f32");
    edit(changed);
    write_evidence(changed, file("fma"));
    return why();
  }

  TempFolder folder_;
  assay::Run run_;  // the fixture has a Run() of its own
};

TEST_F(Merge, TakesFactsConditionsAndTimeFromTheEvidence) {
  const Dossier dossier = merge_run(folder_.path());
  EXPECT_EQ(dossier.run_id, run_.run_id);
  EXPECT_EQ(dossier.created_utc, run_.created_utc);
  EXPECT_EQ(dossier.find("latency.l2")->raw.size(), 3U);
  ASSERT_NE(dossier.find("fma_f32"), nullptr);
  EXPECT_EQ(dossier.probes.at("fma").status, ProbeStatus::measured);
  EXPECT_EQ(dossier.probes.at("fma").exit_code, 0);
  EXPECT_EQ(dossier.probes.at("fma").seconds, 1.25);
  EXPECT_EQ(dossier.probes.at("fma").stderr_tail, "");
  EXPECT_TRUE(dossier.probes.at("fma").conditions && dossier.probes.at("fma").build);
}

TEST_F(Merge, TwiceGivesTheSameBytesWhereverTheFolderLies) {
  const std::string first = dossier_text(merge_run(folder_.path()));
  const TempFolder other;
  std::filesystem::copy(folder_.path(), other / "copy", std::filesystem::copy_options::recursive);
  EXPECT_EQ(dossier_text(merge_run(other / "copy")), first);
  write_file_atomically(file("fma"), "{");
  write_file_atomically(other / "copy/evidence/fma.json", "{");
  EXPECT_EQ(dossier_text(merge_run(other / "copy")), dossier_text(merge_run(folder_.path())));
}

TEST_F(Merge, RefusesEvidenceOfAnotherRunDeviceDriverBuildOrLevelByName) {
  const std::string name = "evidence/fma.json:1: ";
  EXPECT_TRUE(holds(why_with([](Evidence& e) { e.run_id = "other"; }), name + "run_id"));
  EXPECT_TRUE(holds(why_with([](Evidence& e) { e.device.uuid = "GPU-2"; }), name + "device.uuid"));
  EXPECT_TRUE(
      holds(why_with([](Evidence& e) { e.device.driver = "1.2"; }), name + "device.driver"));
  EXPECT_TRUE(
      holds(why_with([](Evidence& e) { e.device.driver_cuda = 1; }), name + "device.driver"));
  EXPECT_TRUE(holds(why_with([](Evidence& e) { e.suite.commit = "f00"; }), name + "suite"));
  EXPECT_TRUE(holds(why_with([](Evidence& e) { e.suite.dirty = true; }), name + "suite"));
  EXPECT_TRUE(holds(why_with([](Evidence& e) { e.level = Level::full; }), name + "level"));
  EXPECT_TRUE(holds(why_with([](Evidence& e) { e.probe = "latency"; }), name + "probe"));
  EXPECT_EQ(why_with([](Evidence&) {}), "");
}

TEST_F(Merge, RefusesAnExitRecordOfAnotherRun) {
  write_probe_exit({"other", "fma", 0, {}, false, "", 1.0}, folder_ / "evidence/fma.exit.json");
  EXPECT_TRUE(holds(why(), "evidence/fma.exit.json:1: run_id"));
}

TEST_F(Merge, RefusesOneFactFromTwoProbes) {
  write_evidence(evidence("latency", "fma_f32"), file("latency"));
  EXPECT_TRUE(holds(why(),
                    "evidence/fma.json:1: entries.fma_f32: is measured by "
                    "evidence/latency.json, too"));
}

TEST_F(Merge, RefusesAScalarAndAKeyedFactOfOneEntry) {
  write_evidence(evidence("latency", "fma_f32.x"), file("latency"));
  EXPECT_TRUE(holds(why(), "cannot hold both"));
}

TEST_F(Merge, RefusesEvidenceOfAProbeOutsideThePlan) {
  write_evidence(evidence("other", "l2_bw.read"), file("other"));
  EXPECT_TRUE(holds(why(), "evidence/other.json:1: probe: \"other\" is not in the run's plan"));
}

TEST_F(Merge, AProbeWithoutEvidenceFailedAndSaysHow) {
  std::filesystem::remove(file("fma"));
  end("fma", {}, 9, true);
  Dossier dossier = merge_run(folder_.path());
  const ProbeRecord& record = dossier.probes.at("fma");
  EXPECT_EQ(record.status, ProbeStatus::failed);
  EXPECT_EQ(record.reason, "no evidence: timed out, killed by signal 9");
  EXPECT_EQ(record.signal, 9);
  EXPECT_TRUE(record.timed_out);
  EXPECT_EQ(record.stderr_tail, "last words\n");
  EXPECT_NE(dossier.find("latency.l2"), nullptr);
  end("fma", 2);
  EXPECT_EQ(merge_run(folder_.path()).probes.at("fma").reason, "no evidence: exited with 2");
  std::filesystem::remove(folder_ / "evidence/fma.exit.json");
  EXPECT_EQ(merge_run(folder_.path()).probes.at("fma").reason,
            "no evidence: the probe did not run");
}

TEST_F(Merge, ATruncatedFileIsThatProbesFailureOnly) {
  const std::string text = read_file(file("fma"));
  write_file_atomically(file("fma"), text.substr(0, text.size() / 2));
  end("fma", {}, 11);
  const Dossier dossier = merge_run(folder_.path());
  const ProbeRecord& record = dossier.probes.at("fma");
  EXPECT_EQ(record.status, ProbeStatus::failed);
  EXPECT_TRUE(holds(record.reason, "evidence/fma.json:"));
  EXPECT_EQ(record.reason.find(folder_.path().string()), std::string::npos);
  EXPECT_TRUE(holds(record.reason, "truncated"));
  EXPECT_TRUE(holds(record.reason, "killed by signal 11"));
  EXPECT_EQ(dossier.find("fma_f32"), nullptr);
  EXPECT_NE(dossier.find("latency.l2"), nullptr);
}

TEST_F(Merge, EvidenceThatItsExitContradictsIsNotTaken) {
  for (const auto& ended : std::vector<std::function<void()>>{
           [this] { end("fma", {}, 11); }, [this] { end("fma", 1); }, [this] { end("fma", 75); },
           [this] { end("fma", 0, {}, true); }}) {
    ended();
    const Dossier dossier = merge_run(folder_.path());
    EXPECT_EQ(dossier.probes.at("fma").status, ProbeStatus::failed);
    EXPECT_TRUE(holds(dossier.probes.at("fma").reason, "the evidence says measured, but"));
    EXPECT_EQ(dossier.find("fma_f32"), nullptr);
  }
}

TEST_F(Merge, EvidenceOfAProbeThatNobodySawEndIsNotTaken) {
  std::filesystem::remove(folder_ / "evidence/fma.exit.json");
  const Dossier dossier = merge_run(folder_.path());
  EXPECT_EQ(dossier.probes.at("fma").status, ProbeStatus::failed);
  EXPECT_TRUE(holds(dossier.probes.at("fma").reason, "nobody recorded how the probe ended"));
  EXPECT_EQ(dossier.find("fma_f32"), nullptr);
}

TEST_F(Merge, AStepThatDidNotStartItsProbeNeedsNoExitRecord) {
  std::filesystem::remove(folder_ / "evidence/fma.exit.json");
  EXPECT_EQ(why_with([](Evidence& e) {
              e.status = ProbeStatus::not_applicable;
              e.reason = "measured at level full only";
              e.measurements = {};
            }),
            "");
  EXPECT_EQ(merge_run(folder_.path()).probes.at("fma").status, ProbeStatus::not_applicable);
}

TEST_F(Merge, EvidenceFromBeforeTheRunIsNotTaken) {
  EXPECT_EQ(why_with([](Evidence& e) { e.started_utc = "2026-11-29T02:14:06Z"; }), "");
  const Dossier dossier = merge_run(folder_.path());
  EXPECT_EQ(dossier.probes.at("fma").status, ProbeStatus::failed);
  EXPECT_TRUE(holds(dossier.probes.at("fma").reason, "the system clock went back"));
  EXPECT_EQ(why_with([this](Evidence& e) { e.started_utc = run_.created_utc; }), "");
  EXPECT_EQ(merge_run(folder_.path()).probes.at("fma").status, ProbeStatus::measured);
}

/// The probe judged each fact in its own window: those with a value hold, the others say why not.
TEST_F(Merge, AnInconclusiveProbeKeepsItsNullsAndItsValues) {
  end("fma", 75);
  EXPECT_EQ(why_with([](Evidence& e) {
              e.status = ProbeStatus::inconclusive;
              e.reason = "pid 17 computed";
              e.measurements.add("fma_f64",
                                 absent(Unit::tflop_per_s, "m", {NullKind::contended, "pid 17"}));
            }),
            "");
  const Dossier dossier = merge_run(folder_.path());
  EXPECT_EQ(dossier.probes.at("fma").status, ProbeStatus::inconclusive);
  EXPECT_EQ(dossier.probes.at("fma").reason, "pid 17 computed");
  EXPECT_EQ(dossier.find("fma_f64")->reason, (NullReason{NullKind::contended, "pid 17"}));
  EXPECT_EQ(dossier.find("fma_f32")->value, Value(65.0));
}

TEST_F(Merge, FactsOfAFailedProbeAreNotTaken) {
  end("fma", 1);
  EXPECT_EQ(why_with([](Evidence& e) {
              e.status = ProbeStatus::failed;
              e.reason = "wrong result";
            }),
            "");
  const Dossier dossier = merge_run(folder_.path());
  EXPECT_EQ(dossier.probes.at("fma").reason, "wrong result");
  EXPECT_EQ(dossier.find("fma_f32"), nullptr);
}

TEST_F(Merge, LeftoverTempFilesAreNoEvidence) {
  folder_.write("evidence/.fma.json.1.0.tmp", "{");
  folder_.write("evidence/notes.txt", "x");
  EXPECT_EQ(why(), "");
}

TEST_F(Merge, AFolderWithoutARunIsRefused) {
  std::filesystem::remove(folder_ / "run.json");
  EXPECT_TRUE(holds(why(), "run.json: cannot be read"));
}

/// Every secret that could travel is planted; none may be in the text.
TEST_F(Merge, RedactionLeavesNothingThatNamesMachineOrUser) {
  write_evidence(
      [&] {
        Evidence planted = evidence("latency", "latency.l2");
        planted.conditions.other_processes = {{4711, "secretjob"}};
        planted.measurements.add(
            "latency.dram", absent(Unit::cycles, "m", {NullKind::contended, "4711 secretjob"}));
        planted.measurements.add(
            "latency.l1", absent(Unit::cycles, "bytes / seconds",
                                 {NullKind::clock_lost, "at 0000:c1:00.0 in /home/bob/x.cu:12"}));
        planted.measurements.note("latency", "beside secretjob on " + planted.device.uuid);
        return planted;
      }(),
      file("latency"));
  std::filesystem::remove(file("fma"));
  write_probe_exit({run_.run_id, "fma", 1, {}, false, "host node17 serial 1324 user bob", 1.0},
                   folder_ / "evidence/fma.exit.json");
  const Dossier redacted = redact(merge_run(folder_.path()));
  const std::string text = dossier_text(redacted) + samples_text(redacted, "latency");
  for (const std::string& secret :
       {run_.device.uuid, run_.device.uuid.substr(4), run_.device.pci_bus_id,
        std::string("secretjob"), std::string("4711"), std::string("node17"), std::string("1324"),
        std::string("bob"), std::string("/home")}) {
    EXPECT_EQ(text.find(secret), std::string::npos) << secret;
  }
  EXPECT_TRUE(redacted.redacted);
  EXPECT_EQ(redacted.device.uuid, "sha256:" + sha256_hex(run_.device.uuid).substr(0, 16));
  EXPECT_EQ(redacted.find("latency.l1")->method, "bytes / seconds");
  EXPECT_TRUE(holds(to_string(*redacted.find("latency.l1")->reason), "x.cu:12"));
  EXPECT_EQ(dossier_text(redact(redacted)), dossier_text(redacted));
  EXPECT_EQ(dossier_text(dossier_from_text(dossier_text(redacted), "d")), dossier_text(redacted));
}

}  // namespace
}  // namespace assay
