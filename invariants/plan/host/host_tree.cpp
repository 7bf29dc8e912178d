// SPDX-License-Identifier: Apache-2.0
// A host with two pretended GPUs.
#include "invariants/plan/host/host_tree.h"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "invariants/plan/device_choice.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents(const fs::path& out) {
  std::vector<fs::path> found;
  std::error_code absent;
  for (const auto& folder : fs::directory_iterator(out / "host", absent)) {
    if (fs::exists(folder.path() / "host.json")) {
      found.push_back(folder.path() / "host.json");
    }
  }
  return found;
}

}  // namespace

void HostTree::SetUp() {
  PlantedTree::SetUp();
  use_small_plan();
  set("ASSAY_FAKE_GPUS", "2");
  ::setenv("ASSAY_FAKE_GPUS", "2", 1);
  first_ = choose_device("0").uuid;
  second_ = choose_device("1").uuid;
  ::unsetenv("ASSAY_FAKE_GPUS");  // the next test's tree begins with one
}

Said HostTree::certify_all(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"certify", "--all", "--out", "out"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return assay(arguments);
}

void HostTree::tell_on(const std::string& uuid, const std::string& probe, const std::string& mode) {
  tell(probe, "on=" + uuid + ":" + mode);
}

HostRecord HostTree::record(const std::string& out) const {
  const auto found = documents(work_ / out);
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? HostRecord{} : read_host(found.front());
}

bool HostTree::has_record(const std::string& out) const {
  return !documents(work_ / out).empty();
}

fs::path HostTree::run_of(const std::string& uuid, const std::string& out) const {
  fs::path only;
  for (const fs::path& run : runs(work_ / out)) {
    if (run.parent_path().filename() == uuid) {
      EXPECT_TRUE(only.empty()) << uuid << " has two runs";
      only = run;
    }
  }
  return only;
}

std::string HostTree::verdict_of(const std::string& uuid, const std::string& out) const {
  const fs::path file = run_of(uuid, out) / "certificate.json";
  return fs::exists(file) ? verdict_in(file) : "none";
}

bool HostTree::comes(const fs::path& file) {
  for (int i = 0; i < 3000; ++i) {
    if (fs::exists(file)) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace assay
