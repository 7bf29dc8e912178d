// SPDX-License-Identifier: Apache-2.0
// Where does a data file that came with this program lie?
#include "dossiers/cli/share_file.h"

#include <stdexcept>

namespace assay {

std::filesystem::path share_file(const std::string& name) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  std::string tried;
  for (const char* up : {"..", "../.."}) {
    std::filesystem::path place =
        (program.parent_path() / up / "share" / "assay" / name).lexically_normal();
    if (std::filesystem::exists(place)) return place;
    tried += (tried.empty() ? "" : ", ") + place.string();
  }
  throw std::runtime_error("no " + name + "; looked for " + tried);
}

}  // namespace assay
