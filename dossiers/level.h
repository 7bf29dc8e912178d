// SPDX-License-Identifier: Apache-2.0
// How thoroughly does a run measure?
#pragma once

#include <optional>
#include <string_view>

namespace assay {

enum class Level { quick, full };
/// "quick", "full".
std::string_view to_string(Level level);
std::optional<Level> level_from(std::string_view name);

}  // namespace assay
