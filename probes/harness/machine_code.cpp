// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/machine_code.h"

#include <algorithm>
#include <charconv>

namespace assay {

namespace {

bool covers_one(std::string_view name, int device_cc) {
  constexpr std::string_view kPrefix = "sm_";
  if (name.rfind(kPrefix, 0) != 0) {
    return false;
  }
  name.remove_prefix(kPrefix.size());
  int cc = 0;
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), cc);
  if (error != std::errc()) {
    return false;
  }
  const bool is_specific = stop != name.data() + name.size();
  return is_specific ? cc == device_cc : cc / 10 == device_cc / 10 && cc <= device_cc;
}

}  // namespace

std::vector<std::string> split_architectures(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

bool covers(const std::vector<std::string>& architectures, const DeviceIdentity& device) {
  const int cc = 10 * device.cc_major + device.cc_minor;
  return std::any_of(architectures.begin(), architectures.end(),
                     [cc](const std::string& name) { return covers_one(name, cc); });
}

}  // namespace assay
