// SPDX-License-Identifier: Apache-2.0
// How many watts do readings of a driver amount to that moves on a coarse grid? No CUDA here.
#pragma once

#include <optional>
#include <vector>

namespace assay {

/// What the driver said at one time; unknown where it says nothing.
struct PowerReading {
  double seconds = 0.0;          ///< since any epoch
  std::optional<double> joules;  ///< energy counter
  std::optional<double> watts;   ///< its own average over the last second or so
};

/// The times at which the energy counter was first seen with a new value: between two of them the
/// energy is exact, whatever the counter's grid. The first reading is none of them. Empty when the
/// counter is unknown at any reading or ever falls.
std::vector<PowerReading> energy_steps(const std::vector<PowerReading>& readings);

/// Energy over time between the first and the last step; nullopt when these lie less than
/// `least_seconds` apart.
std::optional<double> watts_by_energy(const std::vector<PowerReading>& steps, double least_seconds);

/// Energy over time of each step from the last, W.
std::vector<double> watts_of_steps(const std::vector<PowerReading>& steps);

/// The driver's own averages in the last third of the readings, W: by then they speak of this load
/// alone, if the readings span three seconds or more. Unknown ones are left out.
std::vector<double> settled_watts(const std::vector<PowerReading>& readings);

}  // namespace assay
