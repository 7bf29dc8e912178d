// SPDX-License-Identifier: Apache-2.0
#include "probes/two_clusters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace assay {
namespace {

double middle(const std::vector<double>& sorted) {
  return sorted[sorted.size() / 2];
}

/// 1.4826 x median absolute deviation.
double spread(const std::vector<double>& sorted) {
  std::vector<double> deviations;
  deviations.reserve(sorted.size());
  for (const double value : sorted) deviations.push_back(std::abs(value - middle(sorted)));
  std::sort(deviations.begin(), deviations.end());
  return 1.4826 * middle(deviations);
}

/// How many of the sorted values the lower group of the best split holds (Otsu's criterion).
std::size_t best_split(const std::vector<double>& sorted) {
  const double total = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  double lower = 0.0, best = -1.0;
  std::size_t split = 0;
  for (std::size_t below = 1; below < sorted.size(); ++below) {
    lower += sorted[below - 1];
    const auto n = static_cast<double>(below), m = static_cast<double>(sorted.size() - below);
    const double distance = (total - lower) / m - lower / n;
    const double between = n * m * distance * distance;
    if (between > best) {
      best = between;
      split = below;
    }
  }
  return split;
}

}  // namespace

std::optional<TwoClusters> two_clusters(std::vector<double> values) {
  if (values.size() < 2) return std::nullopt;
  std::sort(values.begin(), values.end());
  const auto cut = static_cast<std::ptrdiff_t>(best_split(values));
  const std::vector<double> lower(values.begin(), values.begin() + cut);
  const std::vector<double> upper(values.begin() + cut, values.end());
  const double share = static_cast<double>(std::min(lower.size(), upper.size())) /
                       static_cast<double>(values.size());
  if (!(share >= kLeastClusterShare)) return std::nullopt;
  const TwoClusters found{middle(lower), middle(upper), lower.back()};
  const double width = (spread(lower) + spread(upper)) / 2.0;
  const bool apart = found.near > 0.0 && found.far >= kLeastClusterRatio * found.near &&
                     found.far - found.near >= kLeastClusterDistance * width;
  if (!apart) return std::nullopt;
  return found;
}

}  // namespace assay
