// SPDX-License-Identifier: Apache-2.0
// Can the system clock be believed?
#include "invariants/plan/wall_clock.h"

#include <chrono>
#include <stdexcept>
#include <system_error>

namespace assay {

void require_wall_clock(const std::filesystem::path& share) {
  // Clocks of file servers are off by seconds, time zones of careless ones by hours.
  constexpr auto kSlack = std::chrono::hours(24);
  const std::filesystem::path file = share / "waivers.json";
  std::error_code absent;
  const auto written = std::filesystem::last_write_time(file, absent);
  if (absent) {
    return;  // whoever reads the rules says so
  }
  if (std::filesystem::file_time_type::clock::now() + kSlack < written) {
    throw std::runtime_error("the system clock stands before the time at which " + file.string() +
                             " was written: set the clock; waivers expire by it");
  }
}

}  // namespace assay
