// SPDX-License-Identifier: Apache-2.0
// An installation without a GPU.
#include "invariants/plan/testing/fake_tree.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <unistd.h>

#include "dossiers/dossier.h"
#include "dossiers/json/json_reader.h"
#include "invariants/plan/device_choice.h"
#include "invariants/plan/probe_list.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

const fs::path kBuild = ASSAY_TEST_BINARY_DIR;
const fs::path kSourceTree = ASSAY_TEST_SOURCE_DIR;
const fs::path kExample = kSourceTree / "dossiers" / "schema" / "examples" / "dossier.json";

/// A hard link where the file system allows it: the programs find their tree by where they lie, so
/// a symbolic link would lead them back to the build tree.
void place(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  std::error_code refused;
  fs::create_hard_link(from, to, refused);
  if (refused) {
    fs::copy_file(from, to);
  }
}

}  // namespace

void FakeTree::SetUp() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = "assay_" + std::string(test->test_suite_name()) + "_" + test->name() + "_" +
                     std::to_string(::getpid());
  std::replace(name.begin(), name.end(), '/', '_');  // of tests with parameters
  base_ = fs::path(::testing::TempDir()) / name;
  fs::remove_all(base_);
  root_ = base_ / "tree";
  work_ = base_ / "work";
  fs::create_directories(work_);
  environment_ = {{"ASSAY_LIBCUDA", ASSAY_FAKE_LIBCUDA_FILE},
                  {"ASSAY_LIBNVML", ASSAY_FAKE_LIBNVML_FILE},
                  {"ASSAY_FAKE_DOSSIER", kExample.string()},
                  {"ASSAY_FAKE_CATALOG", (root_ / "share" / "assay" / "catalog.json").string()},
                  {"XDG_RUNTIME_DIR", base_.string()},
                  {"NO_COLOR", "1"}};
  place(kBuild / "bin" / "assay", root_ / "bin" / "assay");
  for (const char* program :
       {"assay-step", "assay-certify", "assay-probe", "assay-judge", "assay-explain"}) {
    place(kBuild / "libexec" / "assay" / program, root_ / "libexec" / "assay" / program);
  }
  fs::create_directories(root_ / "share");
  fs::copy(kBuild / "share" / "assay", root_ / "share" / "assay", fs::copy_options::recursive);
  fs::remove_all(root_ / "share" / "assay" / "pinned");
  fs::remove_all(root_ / "share" / "assay" / "recorded");
  forget_toolkit();
  pin_example();
  fs::create_directories(root_ / "libexec" / "assay" / "probes");
  for (const auto& probe : read_probes(root_ / "share" / "assay" / "probes.json")) {
    fs::create_symlink(ASSAY_FAKE_PROBE_PROGRAM,
                       root_ / "libexec" / "assay" / "probes" / probe.name);
  }
}

/// The fake driver is as new as any toolkit.
void FakeTree::forget_toolkit() {
  const fs::path file = root_ / "share" / "assay" / "probes.json";
  const std::string text = text_of(file);
  std::ofstream(file) << std::regex_replace(text, std::regex(", \"cuda_major\": [0-9]+"), "");
}

/// The worked example as the pinned dossier of the fake device.
void FakeTree::pin_example() {
  for (const auto& [name, value] : environment_) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  Dossier dossier = read_dossier(kExample);
  dossier.device = choose_device("");
  const fs::path folder = root_ / "share" / "assay" / "pinned";
  fs::create_directories(folder);
  write_dossier(dossier, folder / "example.json");
}

void FakeTree::TearDown() {
  if (!HasFailure()) {
    fs::remove_all(base_);
  }
}

Program FakeTree::assay_program(const std::vector<std::string>& arguments) const {
  Program program;
  // A shell moves to the work folder: results go where the program was started.
  program.file = "/bin/sh";
  program.arguments = {"-c", "cd \"$0\" && exec \"$@\"", work_.string(),
                       (root_ / "bin" / "assay").string()};
  program.arguments.insert(program.arguments.end(), arguments.begin(), arguments.end());
  program.environment.assign(environment_.begin(), environment_.end());
  program.output = ChildOutput::captured;
  program.echo_stderr = false;
  program.deadline_s = 110.0;  // below CTest's own; a busy machine needs a minute
  return program;
}

Said FakeTree::finish(const Program& program) {
  const Ended ended = supervise(program);
  return {ended.exit_code.value_or(-1), ended.output, ended.stderr_tail};
}

Said FakeTree::assay(const std::vector<std::string>& arguments) {
  return finish(assay_program(arguments));
}

Said FakeTree::ctest(const std::vector<std::string>& arguments) {
  Program program = assay_program(arguments);
  program.arguments[3] = ASSAY_CTEST_PROGRAM;
  return finish(program);
}

void FakeTree::tell(const std::string& probe, const std::string& mode) {
  std::string name = "ASSAY_FAKE_PROBE_" + probe;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  environment_[name] = mode;
}

void FakeTree::limit_probes(int seconds) {
  const fs::path file = root_ / "share" / "assay" / "probes.json";
  const std::string text = text_of(file);
  std::ofstream(file) << std::regex_replace(text, std::regex("\"timeout_s\": [0-9]+"),
                                            "\"timeout_s\": " + std::to_string(seconds));
}

std::vector<fs::path> FakeTree::runs(const fs::path& out) {
  std::vector<fs::path> result;
  std::error_code absent;
  for (const auto& device : fs::directory_iterator(out, absent)) {
    if (!device.is_directory() || device.path().filename() == "host") {
      continue;
    }
    for (const auto& run : fs::directory_iterator(device.path())) {
      if (run.path().filename() != "current") {
        result.push_back(run.path());
      }
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::string FakeTree::text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string FakeTree::verdict_in(const fs::path& file) {
  return read_json(file).at("statement").at("verdict").string();
}

}  // namespace assay
