// SPDX-License-Identifier: Apache-2.0
// Where are the other programs of this installation?
#include "invariants/plan/layout.h"

#include <stdexcept>

namespace assay {

Layout layout_around(const std::filesystem::path& program) {
  const auto folder = program.parent_path();
  if (folder.filename() == "bin") {
    return {folder.parent_path()};
  }
  if (folder.filename() == "assay" && folder.parent_path().filename() == "libexec") {
    return {folder.parent_path().parent_path()};
  }
  throw std::runtime_error(program.string() +
                           ": not in the `bin` or `libexec/assay` folder of an installation");
}

Layout this_layout() {
  return layout_around(std::filesystem::read_symlink("/proc/self/exe"));
}

}  // namespace assay
