// SPDX-License-Identifier: Apache-2.0
// What was a probe asked to do?
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "dossiers/evidence.h"

namespace assay {

struct ProbeOptions {
  std::filesystem::path out;
  std::string run_id;
  std::string device;  ///< empty: the only one
  Level level = Level::quick;
  bool json = false;
};

/// Reads argv, then the environment (ASSAY_DEVICE, ASSAY_LEVEL). An exit code when there is nothing
/// to measure: 0 after help, 2 after one line about a bad command line.
std::optional<int> read_probe_options(int argc, char** argv, const char* probe,
                                      ProbeOptions& options);

}  // namespace assay
