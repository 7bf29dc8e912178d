// SPDX-License-Identifier: Apache-2.0
#include "probes/sweep.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace assay {
namespace {

constexpr int kParts = 8;
constexpr double kClearFall = 0.9;

/// The least count in (`below`, `reaches`] that reaches the target, given that `reaches` does.
std::optional<int> halve(int below, int reaches, double target,
                         const std::function<std::optional<double>(int)>& rate) {
  while (reaches - below > 1) {
    const int middle = below + (reaches - below) / 2;
    const std::optional<double> got = rate(middle);
    if (!got) return std::nullopt;
    (*got >= target ? reaches : below) = middle;
  }
  return reaches;
}

}  // namespace

std::optional<int> least_reaching(int most, double target,
                                  const std::function<std::optional<double>(int)>& rate) {
  int below = 0;
  for (int part = 1; part <= kParts; ++part) {
    const int count = most * part / kParts;
    if (count <= below) continue;
    const std::optional<double> got = rate(count);
    if (!got) return std::nullopt;
    if (*got >= target) return halve(below, count, target, rate);
    below = count;
  }
  return std::nullopt;
}

std::optional<double> capacity_knee(const std::vector<SizeRate>& points) {
  if (points.size() < 2) return std::nullopt;
  const double top = points.front().rate, floor = points.back().rate;
  if (!(floor < kClearFall * top)) return std::nullopt;
  const double half = (top + floor) / 2.0;
  const auto after = std::find_if(points.begin(), points.end(),
                                  [half](const SizeRate& point) { return point.rate < half; });
  if (after == points.begin() || after == points.end()) return std::nullopt;
  const SizeRate& before = *(after - 1);
  const double share = (before.rate - half) / (before.rate - after->rate);
  return before.bytes * std::pow(after->bytes / before.bytes, share);
}

}  // namespace assay
