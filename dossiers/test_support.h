// SPDX-License-Identifier: Apache-2.0
// For tests only: a folder that vanishes, and the message of a refusal.
#pragma once

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace assay {

/// One worked example of every document.
inline std::filesystem::path examples_dir() {
  return ASSAY_TEST_SOURCE_DIR "/dossiers/schema/examples";
}

/// A new empty folder, removed with everything in it when the value dies.
class TempFolder {
 public:
  TempFolder() {
    std::string form = ::testing::TempDir() + "assay-test-XXXXXX";
    if (::mkdtemp(form.data()) == nullptr) {
      throw std::runtime_error("no temporary folder");
    }
    path_ = form;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// Writes a file, and the folders above it; returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// what() of the `Error` that `action` throws; empty when it throws none.
template <typename Error, typename Action>
std::string refusal(Action action) {
  try {
    static_cast<void>(action());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Does `text` hold `part`, said with both when it does not.
inline ::testing::AssertionResult holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos
             ? ::testing::AssertionSuccess()
             : ::testing::AssertionFailure() << "'" << text << "' does not hold '" << part << "'";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace assay
