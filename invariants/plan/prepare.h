// SPDX-License-Identifier: Apache-2.0
// How does a user without write access to the installation certify with ctest? A folder of their
// own whose CTestTestfile.cmake takes in the installation's test graph.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "dossiers/evidence.h"

namespace assay {

struct Preparation {
  std::filesystem::path graph;        ///< share/assay/graph.cmake; absolute
  std::string device;                 ///< default of ASSAY_DEVICE in that folder; may be empty
  std::optional<Level> level;         ///< default of ASSAY_LEVEL
  std::filesystem::path pinned_file;  ///< default of ASSAY_PINNED; may be empty
  bool bootstrap = false;
  std::string tests;  ///< in CTest's language, in place of the graph; for several GPUs
};

std::string prepared_text(const Preparation& preparation);

/// Writes `folder`/CTestTestfile.cmake. Throws std::runtime_error naming the path and the cause.
void prepare(const Preparation& preparation, const std::filesystem::path& folder);

}  // namespace assay
