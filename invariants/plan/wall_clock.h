// SPDX-License-Identifier: Apache-2.0
// Can the system clock be believed? Waivers expire by it.
#pragma once

#include <filesystem>

namespace assay {

/// Throws std::runtime_error when the system clock stands more than a day before the time at which
/// the installation's waivers.json was written: a clock that was set back would revive waivers that
/// have expired.
void require_wall_clock(const std::filesystem::path& share);

}  // namespace assay
