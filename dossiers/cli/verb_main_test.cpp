// SPDX-License-Identifier: Apache-2.0
// Does every way to end map to the project's exit codes?
#include "dossiers/cli/verb_main.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace assay {
namespace {

struct Ended {
  int code = -1;
  std::string out, err;
};

Ended run(std::vector<std::string> words, const std::function<int()>& body) {
  CLI::App app("Compares.", "assay drift");
  int number = 0;
  app.add_option("--number", number)->required();
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Ended ended;
  ended.code = run_verb(app, static_cast<int>(argv.size()), argv.data(), body);
  ended.out = ::testing::internal::GetCapturedStdout();
  ended.err = ::testing::internal::GetCapturedStderr();
  return ended;
}

TEST(VerbMain, TheBodysCodeIsTheExitCode) {
  EXPECT_EQ(run({"x", "--number", "1"}, [] { return kExitInconclusive; }).code, 75);
  EXPECT_EQ(run({"x", "--number", "1"}, [] { return kExitPass; }).code, 0);
}

TEST(VerbMain, HelpIsZeroAndGoesToStdout) {
  const Ended ended = run({"x", "--help"}, [] { return kExitFail; });
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.out.find("--number"), std::string::npos);
  EXPECT_EQ(ended.err, "");
}

TEST(VerbMain, ABadCommandLineIsOneLineAndTwo) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"x"}, {"x", "--nope"}, {"x", "--number", "many"}}) {
    const Ended ended = run(words, [] { return kExitPass; });
    EXPECT_EQ(ended.code, 2);
    EXPECT_EQ(ended.err.find("assay drift: "), 0U);
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1);
  }
}

TEST(VerbMain, AnExceptionIsOneLineAndTwo) {
  const Ended ended =
      run({"x", "--number", "1"}, []() -> int { throw std::runtime_error("a\nb"); });
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err, "assay drift: a b\n");
}

}  // namespace
}  // namespace assay
