// SPDX-License-Identifier: Apache-2.0
// Which device is this in the toolchain's words?
#include "dossiers/identity.h"

#include <array>
#include <chrono>
#include <ctime>

namespace assay {

std::string architecture(const DeviceIdentity& device) {
  return "sm_" + std::to_string(device.cc_major) + std::to_string(device.cc_minor);
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  static_cast<void>(::gmtime_r(&now, &utc));
  std::array<char, 32> text{};
  static_cast<void>(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc));
  return text.data();
}

}  // namespace assay
