// SPDX-License-Identifier: Apache-2.0
// The run plan as a file that ctest includes: share/assay/graph.cmake.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "invariants/plan/plan.h"

namespace assay {

/// add_test and set_tests_properties commands in CTest's language. Programs are named relative to
/// the file itself, so that the same file serves the build tree, the install tree and consumers.
std::string graph_text(const std::vector<Step>& steps);
/// The same with the step program at `program`: for a graph that lies elsewhere.
std::string graph_text(const std::vector<Step>& steps, const std::filesystem::path& program);

}  // namespace assay
