// SPDX-License-Identifier: Apache-2.0
// Where does a data file that came with this program lie?
#pragma once

#include <filesystem>
#include <string>

namespace assay {

/// share/assay/`name` (a file or a folder) of the build or install tree around the running program,
/// which lies in bin/ or libexec/assay/ of it (or, for tests, anywhere in a build tree). Throws
/// std::runtime_error that names the places tried.
std::filesystem::path share_file(const std::string& name);

}  // namespace assay
