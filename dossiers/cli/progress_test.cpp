// SPDX-License-Identifier: Apache-2.0
// Does progress estimate only what it can, and leave a pipe alone?
#include "dossiers/cli/progress.h"

#include <cstdlib>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "dossiers/cli/watched_file.h"
#include "dossiers/test_support.h"

namespace assay {
namespace {

TEST(Progress, EstimatesOnlyWithSomethingDone) {
  EXPECT_EQ(progress_line(1, 4, "device", 0.0), "[ 1/4] device");
  EXPECT_EQ(progress_line(3, 4, "fma", 6.0), "[ 3/4] fma, about 6 s left");
  EXPECT_EQ(time_left(0.0, 4.0, 10.0), "");
  EXPECT_EQ(time_left(4.0, 4.0, 10.0), "") << "nothing is left";
}

TEST(Progress, LongTimesAreToldInMinutes) {
  EXPECT_EQ(time_left(1.0, 2.0, 179.0), ", about 179 s left");
  EXPECT_EQ(time_left(1.0, 2.0, 240.0), ", about 4 min left");
}

TEST(Progress, ASharePassesNoHundredAndNeedsATotal) {
  EXPECT_EQ(share_line(45, 100, "reading x", 9.0), "reading x: 45 %, about 11 s left");
  EXPECT_EQ(share_line(450, 100, "reading x", 9.0), "reading x: 100 %");
  EXPECT_EQ(share_line(10, 0, "reading x", 9.0), "reading x: 0 %");
}

TEST(Progress, SaysNothingWhereThereIsNoTerminal) {
  ::testing::internal::CaptureStderr();
  {
    Progress progress(2);
    progress.begin("device");
    progress.at(1, "reading x");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, AChildWhoseStderrIsPassedOnToATerminalSpeaks) {
  ASSERT_EQ(::setenv(kTerminalBehind, "1", 1), 0);
  ::testing::internal::CaptureStderr();
  { Progress(2).begin("add"); }
  const std::string said = ::testing::internal::GetCapturedStderr();
  ASSERT_EQ(::unsetenv(kTerminalBehind), 0);
  EXPECT_TRUE(holds(said, "[ 1/2] add"));
  EXPECT_TRUE(said.ends_with("\r\033[K")) << "and clears its line";
}

TEST(WatchedFile, GivesTheFilesBytes) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 10000; ++i) text += std::to_string(i) + "\n";
  WatchedFile file(folder.write("a", text));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
  EXPECT_FALSE(WatchedFile(folder / "none").good());
}

}  // namespace
}  // namespace assay
