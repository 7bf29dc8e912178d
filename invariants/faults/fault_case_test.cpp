// SPDX-License-Identifier: Apache-2.0
#include "invariants/faults/fault_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "dossiers/json/json_reader.h"
#include "invariants/faults/fault_report.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

const Catalog& catalog() {
  static const Catalog loaded =
      load_catalog(fs::path(ASSAY_TEST_SOURCE_DIR) / "invariants" / "catalog.json");
  return loaded;
}

const std::vector<FaultCase>& table() {
  static const auto faults = read_faults(
      fs::path(ASSAY_TEST_SOURCE_DIR) / "invariants" / "faults" / "faults.json", catalog());
  return faults;
}

const FaultCase& fault_of(const std::string& id) {
  const auto found = std::find_if(table().begin(), table().end(),
                                  [&](const FaultCase& fault) { return fault.id == id; });
  if (found == table().end()) throw std::out_of_range(id);
  return *found;
}

/// Every invariant that the fault's probes decide or that is demanded of, with one outcome.
Outcomes all_of(const FaultCase& fault, Outcome outcome) {
  Outcomes outcomes;
  for (const auto* demands : {&fault.fail, &fault.inconclusive, &fault.not_pass}) {
    for (const std::string& demand : *demands) {
      for (const std::string& id : demanded(demand, catalog())) outcomes[id] = outcome;
    }
  }
  for (const std::string& probe : fault.probes) {
    for (const std::string& id : demanded("probe:" + probe, catalog())) outcomes[id] = outcome;
  }
  return outcomes;
}

std::vector<FaultCase> read_text(const std::string& faults) {
  const fs::path file = fs::path(testing::TempDir()) / "faults.json";
  std::ofstream(file) << R"({"schema": "1.0.0", "kind": "faults", "faults": [)" << faults << "]}";
  return read_faults(file, catalog());
}

TEST(Faults, TheTableCoversWhatCanGoWrongOnADevice) {
  for (const char* const id : {"hog_dram", "hog_l2", "hog_sms", "hog_power", "hog_busy", "hog_copy",
                               "hog_pcie", "fewer_sms", "beside_sms", "beside_dram", "beside_l2",
                               "wrong_sm", "wrong_lane", "wrong_bit"}) {
    EXPECT_NO_THROW(fault_of(id)) << id;
  }
}

TEST(Faults, NoFaultMayGoUnnoticed) {
  for (const FaultCase& fault : table()) {
    const Outcomes healthy = all_of(fault, Outcome::pass);
    const FaultResult result = judge_fault(fault, catalog(), healthy, healthy);
    EXPECT_EQ(result.outcome, Outcome::fail) << fault.id;
    EXPECT_FALSE(result.problems.empty()) << fault.id;
  }
}

TEST(Faults, AProbeThatLeftNothingHasNotNoticed) {
  for (const FaultCase& fault : table()) {
    const Outcomes healthy = all_of(fault, Outcome::pass);
    EXPECT_EQ(judge_fault(fault, catalog(), healthy, {}).outcome, Outcome::fail) << fault.id;
    EXPECT_EQ(judge_fault(fault, catalog(), healthy, all_of(fault, Outcome::no_evidence)).outcome,
              Outcome::fail)
        << fault.id;
  }
}

TEST(Faults, ADemandIsOneVerdictAndNoOther) {
  const FaultCase& wrong = fault_of("wrong_bit");
  const Outcomes healthy = all_of(wrong, Outcome::pass);
  EXPECT_EQ(judge_fault(wrong, catalog(), healthy, all_of(wrong, Outcome::fail)).outcome,
            Outcome::pass);
  EXPECT_EQ(judge_fault(wrong, catalog(), healthy, all_of(wrong, Outcome::inconclusive)).outcome,
            Outcome::fail)
      << "a wrong result is not a matter of trying again";
  const FaultCase& hog = fault_of("hog_dram");
  const Outcomes before = all_of(hog, Outcome::pass);
  EXPECT_EQ(judge_fault(hog, catalog(), before, all_of(hog, Outcome::inconclusive)).outcome,
            Outcome::pass);
  EXPECT_EQ(judge_fault(hog, catalog(), before, all_of(hog, Outcome::fail)).outcome, Outcome::fail)
      << "somebody else's work is not this device's fault";
}

TEST(Faults, OneInvariantThatPassesIsEnoughToFail) {
  const FaultCase& hog = fault_of("hog_dram");
  Outcomes faulty = all_of(hog, Outcome::inconclusive);
  faulty["dram.gather"] = Outcome::pass;
  const FaultResult result = judge_fault(hog, catalog(), all_of(hog, Outcome::pass), faulty);
  EXPECT_EQ(result.outcome, Outcome::fail);
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_NE(result.problems.front().find("dram.gather is pass"), std::string::npos);
}

TEST(Faults, MustNotPassTakesFailAndInconclusive) {
  const FaultCase& fault = fault_of("hog_pcie");
  const Outcomes healthy = all_of(fault, Outcome::pass);
  for (const Outcome noticed : {Outcome::fail, Outcome::inconclusive}) {
    Outcomes faulty = healthy;
    faulty["transfer.link"] = noticed;
    EXPECT_EQ(judge_fault(fault, catalog(), healthy, faulty).outcome, Outcome::pass);
  }
}

TEST(Faults, AFamilyDriftsFromWhatTheSameDeviceMeasuredWithoutTheFault) {
  const FaultCase& fault = fault_of("beside_l2");
  EXPECT_EQ(fault.not_pass, std::vector<std::string>{"drift.l2_bw"});
  const std::vector<std::string> of_probe = demanded("probe:l2_bandwidth", catalog());
  EXPECT_EQ(std::count(of_probe.begin(), of_probe.end(), "drift.l2_bw"), 0)
      << "no claim of another fault rests on a pin";
  const Dossier healthy = read_dossier(fs::path(ASSAY_TEST_SOURCE_DIR) / "dossiers" / "recorded" /
                                       "h200-quick-2026-11-30" / "dossier.json");
  Dossier slower = healthy;
  Fact& read = slower.entries.at("l2_bw").facts.at("read");
  read.value = 0.8 * std::get<double>(read.value);
  EXPECT_EQ(outcomes_of(catalog(), healthy, fault.probes, healthy).at("drift.l2_bw"),
            Outcome::pass);
  EXPECT_EQ(outcomes_of(catalog(), slower, fault.probes, healthy).at("drift.l2_bw"), Outcome::fail);
}

TEST(Faults, ADeviceThatFailsAnywayProvesNothing) {
  const FaultCase& fault = fault_of("wrong_sm");
  Outcomes healthy = all_of(fault, Outcome::pass);
  healthy["mma.tile"] = Outcome::fail;
  EXPECT_EQ(judge_fault(fault, catalog(), healthy, all_of(fault, Outcome::fail)).outcome,
            Outcome::inconclusive);
}

TEST(Faults, WhatTheDeviceDoesNotHaveIsNotAsked) {
  const FaultCase& fault = fault_of("wrong_sm");
  Outcomes healthy = all_of(fault, Outcome::pass);
  Outcomes faulty = all_of(fault, Outcome::fail);
  healthy["mma.tile_emulated"] = faulty["mma.tile_emulated"] = Outcome::not_applicable;
  EXPECT_EQ(judge_fault(fault, catalog(), healthy, faulty).outcome, Outcome::pass);
  EXPECT_EQ(judge_fault(fault, catalog(), {}, {}).outcome, Outcome::no_evidence);
}

TEST(Faults, RefusesATableThatAsksForNothing) {
  const std::string head = R"({"id": "x", "what": "y", "probes": ["mma_tile"], )";
  EXPECT_THROW(read_text(head + R"("hog": "dram"})"), DataError) << "no demand";
  EXPECT_THROW(read_text(head + R"("fail": ["mma.tile"]})"), DataError) << "no fault";
  EXPECT_THROW(read_text(head + R"("hog": "dram", "build": "z", "fail": ["mma.tile"]})"),
               DataError);
  EXPECT_THROW(read_text(head + R"("hog": "dram", "fail": ["mma.tiles"]})"), DataError)
      << "no such invariant";
  EXPECT_THROW(read_text(head + R"("hog": "dram", "fail": ["dram.peak"]})"), DataError)
      << "not decided by the probe";
  EXPECT_THROW(read_text(head + R"("hog": "dram", "fail": ["drift.pinned"]})"), DataError)
      << "the drift of all needs every probe";
  EXPECT_THROW(read_text(head + R"("hog": "dram", "beside": ["mma_tile"], "fail": ["mma.tile"]})"),
               DataError)
      << "measured twice";
  const std::string good = head + R"("hog": "dram", "fail": ["mma.tile"]})";
  EXPECT_EQ(read_text(good).size(), 1u);
  EXPECT_THROW(read_text(good + "," + good), DataError) << "an id twice";
}

/// The record of a real run, judged again; each verdict in it hangs on what it says.
TEST(Faults, RecordedRunsAreJudgedTheSameAgain) {
  std::size_t recorded = 0;
  for (const auto& file :
       fs::directory_iterator(fs::path(ASSAY_TEST_SOURCE_DIR) / "ci" / "gpu-runs")) {
    if (file.path().filename().string().find("faults") == std::string::npos) continue;
    for (const FaultOutcome& fault : read_fault_record(file.path())) {
      SCOPED_TRACE(fault.id);
      ++recorded;
      const FaultResult again =
          judge_fault(fault_of(fault.id), catalog(), fault.healthy, fault.faulty);
      EXPECT_EQ(again.outcome, fault.result.outcome);
      EXPECT_EQ(again.problems, fault.result.problems);
      EXPECT_EQ(judge_fault(fault_of(fault.id), catalog(), fault.healthy, fault.healthy).outcome,
                Outcome::fail)
          << "had the fault changed nothing";
    }
  }
  EXPECT_GE(recorded, table().size()) << "each fault was made on a real device";
}

}  // namespace
}  // namespace assay
