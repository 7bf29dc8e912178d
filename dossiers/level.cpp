// SPDX-License-Identifier: Apache-2.0
#include "dossiers/level.h"

namespace assay {

std::string_view to_string(Level level) {
  return level == Level::quick ? "quick" : "full";
}

std::optional<Level> level_from(std::string_view name) {
  if (name == "quick") {
    return Level::quick;
  }
  return name == "full" ? std::optional<Level>(Level::full) : std::nullopt;
}

}  // namespace assay
