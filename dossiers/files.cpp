// SPDX-License-Identifier: Apache-2.0
// How does a file appear whole or not at all?
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include <sodium.h>

#include "dossiers/dossier.h"

namespace assay {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const char* doing, int error) {
  throw std::runtime_error(file.string() + ": cannot " + doing + ": " + std::strerror(error));
}

std::filesystem::path temp_beside(const std::filesystem::path& file) {
  static std::atomic<unsigned> counter{0};
  std::string name(".");
  name.append(file.filename().string()).append(".").append(std::to_string(::getpid()));
  name.append(".").append(std::to_string(counter++)).append(".tmp");
  std::filesystem::path temp = file;
  temp.replace_filename(name);
  return temp;
}

/// Writes the whole text; returns errno or 0. The descriptor is closed in any case.
int fill_and_close(int descriptor, std::string_view text, Sync sync) {
  int error = 0;
  while (error == 0 && !text.empty()) {
    const ssize_t wrote = ::write(descriptor, text.data(), text.size());
    if (wrote >= 0) {
      text.remove_prefix(static_cast<std::size_t>(wrote));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && sync != Sync::later && ::fsync(descriptor) != 0) {
    error = errno;
  }
  if (::close(descriptor) != 0 && error == 0) {
    error = errno;
  }
  return error;
}

/// Makes the rename itself durable. A folder that cannot be synced (some network file systems)
/// still holds the whole file, so this is best effort.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    static_cast<void>(::fsync(descriptor));
    static_cast<void>(::close(descriptor));
  }
}

}  // namespace

void write_file_atomically(const std::filesystem::path& file, std::string_view text, Sync sync) {
  const std::filesystem::path temp = temp_beside(file);
  const int descriptor = ::open(temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    fail(file, "create", errno);
  }
  int error = fill_and_close(descriptor, text, sync);
  if (error == 0 && std::rename(temp.c_str(), file.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    static_cast<void>(::unlink(temp.c_str()));
    fail(file, "write", error);
  }
  if (sync == Sync::now) sync_folder(file.parent_path());
}

std::string sha256_hex(std::string_view bytes) {
  unsigned char digest[crypto_hash_sha256_BYTES];
  static_cast<void>(crypto_hash_sha256(digest, reinterpret_cast<const unsigned char*>(bytes.data()),
                                       bytes.size()));
  char hex[2 * sizeof digest + 1];
  static_cast<void>(sodium_bin2hex(hex, sizeof hex, digest, sizeof digest));
  return hex;
}

std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace assay
