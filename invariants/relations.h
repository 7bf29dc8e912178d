// SPDX-License-Identifier: Apache-2.0
// Do these numbers stand in this relation? Pure arithmetic; whatever is not a positive finite
// number (NaN, infinity, zero, negative) fails.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace assay {

/// Inclusive limits; a limit that is not set does not bind. Limits are positive.
struct Limits {
  std::optional<double> low, high;
};

/// The answer of a relation: the quantity nearest to (or furthest beyond) its limits.
struct Relation {
  bool holds = false;
  std::optional<double> measured;  ///< nullopt when an input was no positive finite number
  Limits limits;
  std::optional<double> margin;  ///< to the nearest limit over that limit; negative outside
  std::size_t index = 0;         ///< of the value, step or term that decided, or the bad input
};

/// low <= value <= high.
Relation in_limits(double value, const Limits& limits);
/// Each value >= margin x the next; one margin per step. Limits are of the ratio of that step.
Relation descending(const std::vector<double>& values, const std::vector<double>& margins);
/// Each of several quantities within the same limits.
Relation all_in_limits(const std::vector<double>& values, const Limits& limits);
/// Each value <= tolerance x ceiling.
Relation below_ceiling(const std::vector<double>& values, double ceiling, double tolerance);
/// value == expected, exactly; zero is a number here. Limits are the expected value, no margin.
Relation equals(std::int64_t value, std::int64_t expected);
/// Each value >= (1 - slack) x the one before it, and last >= min_gain x first. index n-1 (n
/// values) is the end-to-end claim, lower ones are steps.
Relation curve(const std::vector<double>& values, double slack, double min_gain);
/// Each value within rel of the median; measured is the largest distance. At least two values.
Relation agree(const std::vector<double>& values, double rel);

}  // namespace assay
