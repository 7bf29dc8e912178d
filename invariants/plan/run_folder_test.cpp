// SPDX-License-Identifier: Apache-2.0
// A run is found by the process that began it and by no other; a run that cannot be begun leaves
// nothing.
#include "invariants/plan/run_folder.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

namespace assay {
namespace {

namespace fs = std::filesystem;

class RunFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    out_ = fs::path(::testing::TempDir()) / ("run_folder_test_" + std::to_string(::getpid()));
    fs::remove_all(out_);
    fs::create_directories(out_);
  }
  void TearDown() override {
    fs::permissions(out_, fs::perms::owner_all);
    fs::remove_all(out_);
  }

  static assay::Run run_under(const ProcessStamp& parent, const std::string& uuid = "GPU-1") {
    assay::Run run;
    run.run_id = new_run_id();
    run.suite = {"0.1.0", "0123456789abcdef0123456789abcdef01234567", false};
    run.created_utc = utc_now();
    run.device.uuid = uuid;
    run.device.name = "NVIDIA H200";
    run.device.pci_bus_id = "0000:c1:00.0";
    run.device.cc_major = 9;
    run.device.driver = "580.159.04";
    run.device.driver_cuda = 13000;
    run.probes = {"device", "latency"};
    run.parent_pid = parent.pid;
    run.parent_start = parent.start;
    return run;
  }

  fs::path out_;
};

TEST_F(RunFolderTest, StampsAProcessByItsStart) {
  const auto self = process_stamp(::getpid());
  ASSERT_TRUE(self.has_value());
  EXPECT_EQ(*self, process_stamp(::getpid()));
  EXPECT_GT(self->start, 0u);
  EXPECT_EQ(parent_stamp().pid, ::getppid());
  EXPECT_FALSE(process_stamp(-1).has_value());
}

TEST_F(RunFolderTest, NamesRunsByTimeAndNeverTwice) {
  const std::string id = new_run_id();
  std::string shape = id;
  for (char& c : shape) {
    c = std::isdigit(static_cast<unsigned char>(c)) != 0 || (c >= 'a' && c <= 'f') ? '0' : c;
  }
  EXPECT_EQ(shape, "00000000T000000Z-000000") << id;
  EXPECT_NE(id, new_run_id());
}

TEST_F(RunFolderTest, FindsTheRunOfItsParent) {
  const ProcessStamp parent{4711, 100};
  const assay::Run run = run_under(parent);
  const fs::path folder = create_run(out_, run);
  const FoundRun found = find_run(out_, parent);
  EXPECT_EQ(found.folder, folder);
  EXPECT_EQ(found.run.run_id, run.run_id);
  EXPECT_EQ(found.run.device.uuid, "GPU-1");
}

TEST_F(RunFolderTest, RefusesAnotherParentAndALaterOneWithTheSamePid) {
  create_run(out_, run_under({4711, 100}));
  EXPECT_THROW(find_run(out_, {4712, 100}), NoRun);
  EXPECT_THROW(find_run(out_, {4711, 101}), NoRun);
  EXPECT_THROW(find_run(out_ / "absent", {4711, 100}), NoRun);
}

TEST_F(RunFolderTest, SaysWhatToDoWhenNoDeviceTestRan) {
  try {
    find_run(out_, {4711, 100});
    FAIL() << "found a run that nobody began";
  } catch (const NoRun& error) {
    EXPECT_NE(std::string(error.what()).find("no `device` test has run under this ctest (pid 4711"),
              std::string::npos);
  }
}

TEST_F(RunFolderTest, KeepsEarlierRunsAndPointsAtTheLatest) {
  const ProcessStamp parent{4711, 100};
  const fs::path first = create_run(out_, run_under(parent));
  std::ofstream(first / "evidence" / "latency.json") << "kept";
  const fs::path second = create_run(out_, run_under(parent));
  EXPECT_TRUE(fs::exists(first / "evidence" / "latency.json"));
  EXPECT_EQ(find_run(out_, parent).folder, second);
}

TEST_F(RunFolderTest, RefusesTwoDevicesUnderOneParent) {
  const ProcessStamp parent{4711, 100};
  create_run(out_, run_under(parent, "GPU-1"));
  create_run(out_, run_under(parent, "GPU-2"));
  EXPECT_THROW(find_run(out_, parent), NoRun);
}

TEST_F(RunFolderTest, RefusesARunThatIsGone) {
  const ProcessStamp parent{4711, 100};
  fs::remove_all(create_run(out_, run_under(parent)));
  EXPECT_THROW(find_run(out_, parent), NoRun);
}

TEST_F(RunFolderTest, LeavesNothingOfARunThatCannotBegin) {
  const assay::Run run = run_under({4711, 100});
  fs::create_directories(out_ / "GPU-1");
  std::ofstream(out_ / "GPU-1" / "current") << "a file where a folder must be";
  EXPECT_THROW(create_run(out_, run), std::runtime_error);
  EXPECT_FALSE(fs::exists(out_ / "GPU-1" / run.run_id));
}

TEST_F(RunFolderTest, RemovesARunWhosePointerCannotBeWritten) {
  const assay::Run run = run_under({4711, 100});
  fs::create_directories(out_ / "GPU-1" / "current" / "4711-100" / "in the way");
  EXPECT_THROW(create_run(out_, run), std::runtime_error);
  EXPECT_FALSE(fs::exists(out_ / "GPU-1" / run.run_id));
}

TEST_F(RunFolderTest, NeverReusesAFolder) {
  const assay::Run run = run_under({4711, 100});
  create_run(out_, run);
  EXPECT_THROW(create_run(out_, run), std::runtime_error);
  EXPECT_TRUE(fs::exists(out_ / "GPU-1" / run.run_id / "run.json"));
}

TEST_F(RunFolderTest, SeveralGpusUnderOneCtestAreToldApartByTheirUuid) {
  const ProcessStamp ctest{4711, 99};
  const fs::path one = create_run(out_, run_under(ctest, "GPU-11112222-1"));
  const fs::path two = create_run(out_, run_under(ctest, "GPU-11113333-2"));
  EXPECT_EQ(find_run(out_, ctest, "GPU-11112222-1").folder, one);
  EXPECT_EQ(find_run(out_, ctest, "gpu-11113333").folder, two);
  EXPECT_EQ(find_run(out_, ctest, "11113333").folder, two);
  EXPECT_THROW(find_run(out_, ctest), NoRun);
  EXPECT_THROW(find_run(out_, ctest, "1"), NoRun);
  EXPECT_THROW(find_run(out_, ctest, "GPU-44444444-4"), NoRun);
}

TEST_F(RunFolderTest, ARunIsFoundByTheProcessThatBeganItAfterThatEnded) {
  assay::Run old = run_under({4711, 99});
  old.created_utc = "2026-01-01T00:00:00Z";
  create_run(out_, old);
  EXPECT_FALSE(run_begun_by(out_, "GPU-1", 4711, "2026-11-29T00:00:00Z").has_value());
  const fs::path now = create_run(out_, run_under({4711, 100}));
  const auto found = run_begun_by(out_, "GPU-1", 4711, "2026-11-29T00:00:00Z");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->folder, now);
  EXPECT_FALSE(run_begun_by(out_, "GPU-1", 471, "2026-11-29T00:00:00Z").has_value());
  EXPECT_FALSE(run_begun_by(out_, "GPU-2", 4711, "2026-11-29T00:00:00Z").has_value());
}

}  // namespace
}  // namespace assay
