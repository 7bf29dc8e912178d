// SPDX-License-Identifier: Apache-2.0
// An installation without a GPU: the real programs, fake drivers, fake probes, in a folder of the
// test's own.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "invariants/plan/supervisor.h"

namespace assay {

/// How a program of the tree ended, with what it printed.
struct Said {
  int code = -1;
  std::string out, err;
};

class FakeTree : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Runs `bin/assay <arguments>` in `work_`.
  Said assay(const std::vector<std::string>& arguments);
  /// Runs ctest in `work_`.
  Said ctest(const std::vector<std::string>& arguments);
  /// The program `assay <arguments>`, for tests that run it otherwise.
  Program assay_program(const std::vector<std::string>& arguments) const;

  /// Tells a fake probe how to misbehave.
  void tell(const std::string& probe, const std::string& mode);
  /// Gives every probe `seconds` of time.
  void limit_probes(int seconds);

  /// The folders of all runs under `out`, by name.
  static std::vector<std::filesystem::path> runs(const std::filesystem::path& out);
  static std::string text_of(const std::filesystem::path& file);
  /// The verdict that the certificate in `file` states.
  static std::string verdict_in(const std::filesystem::path& file);

  std::filesystem::path base_, root_, work_;
  std::map<std::string, std::string> environment_;

 private:
  void forget_toolkit();
  void pin_example();
  static Said finish(const Program& program);
};

}  // namespace assay
