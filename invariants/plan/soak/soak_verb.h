// SPDX-License-Identifier: Apache-2.0
// `assay certify --level soak`: what it asks, what it prints.
#pragma once

#include <filesystem>
#include <string>

namespace assay {

struct SoakOptions {
  std::string device;         ///< UUID or index; empty: the only one
  std::filesystem::path out;  ///< absolute
  std::filesystem::path share;
  double hours = 1.0;
  bool json = false;
};

/// The longest soak, hours: a week.
inline constexpr double kMostSoakHours = 168.0;

/// Soaks the device and prints what came of it; the exit code. Throws NoDevice, BadChoice,
/// DataError and std::runtime_error.
int soak_verb(const SoakOptions& options);

}  // namespace assay
