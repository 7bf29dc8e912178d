// SPDX-License-Identifier: Apache-2.0
// Which dossier is meant?
#include "dossiers/models/dossier_source.h"

#include <stdexcept>

#include "dossiers/cli/share_file.h"

namespace assay {

std::filesystem::path newest_recorded_file() {
  std::filesystem::path newest;
  std::string newest_utc;
  for (const auto& entry : std::filesystem::directory_iterator(share_file("recorded"))) {
    const auto file = entry.path() / "dossier.json";
    if (!std::filesystem::exists(file)) continue;
    const std::string utc = read_dossier(file).created_utc;
    if (utc > newest_utc) {
      newest_utc = utc;
      newest = file;
    }
  }
  if (newest.empty()) throw std::runtime_error("no recorded dossier came with this program");
  return newest;
}

}  // namespace assay
