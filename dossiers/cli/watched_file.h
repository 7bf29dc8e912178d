// SPDX-License-Identifier: Apache-2.0
// A file that says how far it has been read, when that takes longer than a person waits.
#pragma once

#include <filesystem>
#include <fstream>
#include <istream>
#include <string>

#include "dossiers/cli/progress.h"

namespace assay {

/// Counts what is read, a buffer at a time.
class WatchedBuffer : public std::filebuf {
 public:
  explicit WatchedBuffer(const std::filesystem::path& file);

 protected:
  int_type underflow() override;

 private:
  std::string what_;
  std::size_t read_ = 0;
  Progress progress_;
};

/// As std::ifstream in binary mode, with progress on stderr after two seconds at a terminal.
class WatchedFile : public std::istream {
 public:
  explicit WatchedFile(const std::filesystem::path& file);

 private:
  WatchedBuffer buffer_;
};

}  // namespace assay
