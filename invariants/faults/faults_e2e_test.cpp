// SPDX-License-Identifier: Apache-2.0
// The whole way of assay-faults without a GPU: fake drivers, fake probes, and a hog that only tells
// the fake probe how to end.
#include <filesystem>
#include <fstream>
#include <string>

#include "invariants/faults/fault_report.h"
#include "invariants/plan/testing/fake_tree.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class FaultsEndToEnd : public FakeTree {
 protected:
  void SetUp() override {
    FakeTree::SetUp();
    const fs::path built = fs::path(ASSAY_TEST_BINARY_DIR) / "libexec" / "assay";
    const fs::path libexec = root_ / "libexec" / "assay";
    fs::create_directories(libexec / "faults");
    fs::copy_file(built / "assay-faults", libexec / "assay-faults");
    fs::copy_file(built / "faults" / "faults.json", libexec / "faults" / "faults.json");
  }

  /// `hog KIND PROGRAM ...` becomes a script that runs the program with its mode set.
  void hog_makes(const std::string& probe, const std::string& mode) {
    const fs::path script = root_ / "libexec" / "assay" / "faults" / "hog";
    std::ofstream(script) << "#!/bin/sh\nshift\nASSAY_FAKE_PROBE_" << probe << "=" << mode
                          << " exec \"$@\"\n";
    fs::permissions(script, fs::perms::owner_all);
  }

  Ended faults(const std::vector<std::string>& arguments) {
    Program program;
    program.file = root_ / "libexec" / "assay" / "assay-faults";
    program.arguments = arguments;
    program.arguments.insert(program.arguments.end(), {"--out", (work_ / "faults").string()});
    program.environment.assign(environment_.begin(), environment_.end());
    program.output = ChildOutput::captured;
    program.echo_stderr = false;
    return supervise(program);
  }

  /// The record of the only run.
  FaultOutcome recorded() {
    const auto run = fs::directory_iterator(work_ / "faults")->path();
    return read_fault_record(run / "faults.json").front();
  }
};

TEST_F(FaultsEndToEnd, ANoticedHogPasses) {
  hog_makes("FMA", "inconclusive");
  const Ended ended = faults({"hog_busy"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.stderr_tail;
  EXPECT_EQ(recorded().result.outcome, Outcome::pass);
  EXPECT_EQ(recorded().healthy.at("fma.scaling"), Outcome::pass);
  EXPECT_EQ(recorded().faulty.at("fma.scaling"), Outcome::inconclusive);
}

TEST_F(FaultsEndToEnd, AnUnnoticedHogFails) {
  hog_makes("FMA", "");
  const Ended ended = faults({"hog_busy"});
  EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.stderr_tail;
  EXPECT_NE(ended.output.find("fma.scaling is pass, it must be inconclusive"), std::string::npos)
      << ended.output;
}

TEST_F(FaultsEndToEnd, AProbeThatDiesUnderTheFaultIsNotTakenForTheHealthyOne) {
  hog_makes("FMA", "crash");
  const Ended ended = faults({"hog_busy"});
  EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.stderr_tail;
  EXPECT_EQ(recorded().faulty.at("fma.scaling"), Outcome::no_evidence);
}

TEST_F(FaultsEndToEnd, AnUnknownFaultNamesItsNeighbour) {
  const Ended ended = faults({"hog_bussy"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.stderr_tail.find("hog_busy"), std::string::npos) << ended.stderr_tail;
}

}  // namespace
}  // namespace assay
