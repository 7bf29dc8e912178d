// SPDX-License-Identifier: Apache-2.0
// Is there ever a half file, or anything left over?
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "dossiers/dossier.h"
#include "dossiers/json/json_reader.h"

namespace assay {
namespace {

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string form = ::testing::TempDir() + "assay-files-XXXXXX";
    ASSERT_NE(::mkdtemp(form.data()), nullptr);
    folder_ = form;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  std::filesystem::path folder_;
};

std::string error_of(const std::filesystem::path& file, const std::string& text) {
  try {
    write_file_atomically(file, text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST_F(Files, AWriteReplacesTheWholeFileAndLeavesNothingElse) {
  const auto file = folder_ / "a.json";
  write_file_atomically(file, "a long first text");
  write_file_atomically(file, "short");
  EXPECT_EQ(read_file(file), "short");
  EXPECT_EQ(count(), 1U);
}

TEST_F(Files, AFolderThatCannotBeWrittenIsNamed) {
  write_file_atomically(folder_ / "file", "x");
  const auto below = folder_ / "file" / "a.json";
  EXPECT_NE(error_of(below, "x").find(below.string()), std::string::npos);
  EXPECT_NE(error_of(below, "x").find("Not a directory"), std::string::npos);
  EXPECT_NE(error_of(folder_ / "no" / "a.json", "x").find("No such file"), std::string::npos);
  EXPECT_EQ(count(), 1U);
}

TEST_F(Files, ARenameThatFailsLeavesNoTemp) {
  std::filesystem::create_directories(folder_ / "target" / "full");
  EXPECT_NE(error_of(folder_ / "target", "x"), "");
  EXPECT_EQ(count(), 1U);
}

/// A full disk, as a file size limit: write() gives up half way with an error, not a signal.
TEST_F(Files, ADiskThatFillsUpKeepsTheOldFileAndLeavesNoHalfFile) {
  const auto file = folder_ / "a.json";
  write_file_atomically(file, "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message = error_of(file, std::string(100000, 'x'));
    ::_exit(message.find(file.string() + ": cannot write") == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(file), "old");
  EXPECT_EQ(count(), 1U);
}

TEST(Sha256, MatchesThePublishedVectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace assay
