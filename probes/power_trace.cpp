// SPDX-License-Identifier: Apache-2.0
#include "probes/power_trace.h"

#include <cstddef>

namespace assay {

std::vector<PowerReading> energy_steps(const std::vector<PowerReading>& readings) {
  std::vector<PowerReading> steps;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (!readings[i].joules) {
      return {};
    }
    if (i == 0) {
      continue;
    }
    const double grown = *readings[i].joules - *readings[i - 1].joules;
    if (!(grown >= 0.0)) {
      return {};
    }
    if (grown > 0.0) {
      steps.push_back(readings[i]);
    }
  }
  return steps;
}

std::optional<double> watts_by_energy(const std::vector<PowerReading>& steps,
                                      double least_seconds) {
  if (steps.size() < 2) {
    return std::nullopt;
  }
  const double seconds = steps.back().seconds - steps.front().seconds;
  if (!(seconds >= least_seconds) || !(seconds > 0.0)) {
    return std::nullopt;
  }
  return (*steps.back().joules - *steps.front().joules) / seconds;
}

std::vector<double> watts_of_steps(const std::vector<PowerReading>& steps) {
  std::vector<double> watts;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const double seconds = steps[i].seconds - steps[i - 1].seconds;
    if (seconds > 0.0) {
      watts.push_back((*steps[i].joules - *steps[i - 1].joules) / seconds);
    }
  }
  return watts;
}

std::vector<double> settled_watts(const std::vector<PowerReading>& readings) {
  if (readings.empty()) {
    return {};
  }
  const double first = readings.front().seconds;
  const double settled = first + 2.0 / 3.0 * (readings.back().seconds - first);
  std::vector<double> watts;
  for (const PowerReading& reading : readings) {
    if (reading.watts && reading.seconds >= settled) {
      watts.push_back(*reading.watts);
    }
  }
  return watts;
}

}  // namespace assay
