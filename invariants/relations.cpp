// SPDX-License-Identifier: Apache-2.0
// Do these numbers stand in this relation?
#include "invariants/relations.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace assay {
namespace {

bool is_rate(double value) {
  return std::isfinite(value) && value > 0.0;
}

/// The index of the first value that is no positive finite number.
std::optional<std::size_t> first_bad(const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_rate(values[i])) return i;
  }
  return std::nullopt;
}

Relation refused(std::size_t index, const Limits& limits = {}) {
  Relation relation;
  relation.limits = limits;
  relation.index = index;
  return relation;
}

void check_limits(const Limits& limits) {
  const bool has_limit = limits.low || limits.high;
  if (!has_limit || (limits.low && !is_rate(*limits.low)) ||
      (limits.high && !is_rate(*limits.high))) {
    throw std::invalid_argument("limits: at least one, each a positive finite number");
  }
}

/// The smaller margin decides what is reported.
void keep_worst(std::optional<Relation>& worst, Relation next, std::size_t index) {
  next.index = index;
  if (!worst || *next.margin < *worst->margin) worst = next;
}

}  // namespace

Relation in_limits(double value, const Limits& limits) {
  check_limits(limits);
  if (!is_rate(value)) return refused(0, limits);
  Relation relation;
  relation.measured = value;
  relation.limits = limits;
  if (limits.low) relation.margin = (value - *limits.low) / *limits.low;
  if (limits.high) {
    const double to_high = (*limits.high - value) / *limits.high;
    relation.margin = relation.margin ? std::min(*relation.margin, to_high) : to_high;
  }
  const bool above = !limits.low || value >= *limits.low;
  const bool below = !limits.high || value <= *limits.high;
  relation.holds = above && below;
  return relation;
}

Relation all_in_limits(const std::vector<double>& values, const Limits& limits) {
  check_limits(limits);
  if (values.empty()) return refused(0, limits);
  if (const auto bad = first_bad(values)) return refused(*bad, limits);
  std::optional<Relation> worst;
  for (std::size_t i = 0; i < values.size(); ++i)
    keep_worst(worst, in_limits(values[i], limits), i);
  return *worst;
}

Relation descending(const std::vector<double>& values, const std::vector<double>& margins) {
  if (values.size() < 2 || margins.size() != values.size() - 1) {
    throw std::invalid_argument("descending: two values or more, one margin per step");
  }
  if (const auto bad = first_bad(values)) return refused(*bad);
  std::optional<Relation> worst;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    keep_worst(worst, in_limits(values[i] / values[i + 1], {margins[i], std::nullopt}), i);
  }
  return *worst;
}

Relation below_ceiling(const std::vector<double>& values, double ceiling, double tolerance) {
  if (!is_rate(tolerance)) throw std::invalid_argument("ceiling: tolerance is positive and finite");
  const Limits limits{std::nullopt, tolerance};
  if (values.empty()) return refused(0, limits);
  if (!is_rate(ceiling)) return refused(values.size(), limits);
  if (const auto bad = first_bad(values)) return refused(*bad, limits);
  std::optional<Relation> worst;
  for (std::size_t i = 0; i < values.size(); ++i) {
    keep_worst(worst, in_limits(values[i] / ceiling, limits), i);
  }
  return *worst;
}

Relation equals(std::int64_t value, std::int64_t expected) {
  Relation relation;
  relation.holds = value == expected;
  relation.measured = static_cast<double>(value);
  relation.limits = {static_cast<double>(expected), static_cast<double>(expected)};
  return relation;
}

Relation curve(const std::vector<double>& values, double slack, double min_gain) {
  if (values.size() < 2 || !(slack >= 0.0 && slack < 1.0) || !is_rate(min_gain)) {
    throw std::invalid_argument("curve: two values or more, 0 <= slack < 1, positive gain");
  }
  if (const auto bad = first_bad(values)) return refused(*bad);
  std::optional<Relation> worst;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    keep_worst(worst, in_limits(values[i + 1] / values[i], {1.0 - slack, std::nullopt}), i);
  }
  keep_worst(worst, in_limits(values.back() / values.front(), {min_gain, std::nullopt}),
             values.size() - 1);
  return *worst;
}

Relation agree(const std::vector<double>& values, double rel) {
  const Limits limits{std::nullopt, rel};
  check_limits(limits);
  if (values.size() < 2) throw std::invalid_argument("agree: two values or more");
  if (const auto bad = first_bad(values)) return refused(*bad, limits);
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  const double middle =
      sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
  Relation relation;
  relation.limits = limits;
  relation.measured = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double distance = std::abs(values[i] - middle) / middle;
    if (distance > *relation.measured) {
      relation.measured = distance;
      relation.index = i;
    }
  }
  relation.margin = (rel - *relation.measured) / rel;
  relation.holds = *relation.measured <= rel;
  return relation;
}

}  // namespace assay
