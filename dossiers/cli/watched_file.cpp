// SPDX-License-Identifier: Apache-2.0
#include "dossiers/cli/watched_file.h"

#include <system_error>

namespace assay {
namespace {

/// 0 where there is none: a pipe has no size, and no time left is said.
std::size_t size_of(const std::filesystem::path& file) {
  std::error_code none;
  const auto size = std::filesystem::file_size(file, none);
  return none ? 0 : static_cast<std::size_t>(size);
}

}  // namespace

WatchedBuffer::WatchedBuffer(const std::filesystem::path& file)
    : what_("reading " + file.filename().string()), progress_(size_of(file)) {}

WatchedBuffer::int_type WatchedBuffer::underflow() {
  const int_type next = std::filebuf::underflow();
  read_ += static_cast<std::size_t>(egptr() - gptr());
  progress_.at(read_, what_);
  return next;
}

WatchedFile::WatchedFile(const std::filesystem::path& file) : std::istream(nullptr), buffer_(file) {
  rdbuf(&buffer_);
  if (buffer_.open(file, std::ios::in | std::ios::binary) == nullptr) setstate(failbit);
}

}  // namespace assay
