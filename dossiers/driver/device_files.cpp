// SPDX-License-Identifier: Apache-2.0
// May this process open the driver's device files?
#include "dossiers/driver/device_files.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace assay {
namespace {

/// nvidiactl and nvidia<number>: what every program opens. Others (nvidia-caps) are not for all.
bool is_needed(const std::string& name) {
  const std::string stem = "nvidia";
  if (name.rfind(stem, 0) != 0) {
    return false;
  }
  const std::string rest = name.substr(stem.size());
  return rest == "ctl" || (!rest.empty() && std::all_of(rest.begin(), rest.end(), [](char c) {
           return std::isdigit(static_cast<unsigned char>(c)) != 0;
         }));
}

}  // namespace

std::string refused_device_file(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> needed;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (is_needed(entry.path().filename().string())) {
      needed.push_back(entry.path());
    }
  }
  std::sort(needed.begin(), needed.end());
  for (const auto& file : needed) {
    if (::access(file.c_str(), R_OK | W_OK) != 0) {
      return file.string() + ": " + std::strerror(errno);
    }
  }
  return "";
}

}  // namespace assay
