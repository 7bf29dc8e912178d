// SPDX-License-Identifier: Apache-2.0
#include "probes/residency.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace assay {

namespace {

constexpr int kWarpThreads = 32;
constexpr int kMostThreadsPerBlock = 1024;
constexpr int kGranule = 1024;

double mean_rate(const std::vector<OccupancyPoint>& points, std::size_t first) {
  double sum = 0.0;
  for (std::size_t i = first; i < points.size(); ++i) {
    sum += points[i].rate;
  }
  return sum / static_cast<double>(points.size() - first);
}

/// Of the first `count` points, the mean of rate / warps.
double mean_slope(const std::vector<OccupancyPoint>& points, std::size_t count) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += points[i].rate / points[i].warps;
  }
  return sum / static_cast<double>(count);
}

double deviation(const std::vector<OccupancyPoint>& points, const Knee& knee) {
  double sum = 0.0;
  for (const OccupancyPoint& point : points) {
    const double model = std::min(point.warps * knee.rate_per_warp, knee.plateau);
    sum += std::pow(model / point.rate - 1.0, 2);
  }
  return sum;
}

bool usable(const std::vector<OccupancyPoint>& points) {
  const auto good = [](const OccupancyPoint& point) {
    return point.warps > 0.0 && point.rate > 0.0 && std::isfinite(point.rate);
  };
  const auto in_order = [](const OccupancyPoint& left, const OccupancyPoint& right) {
    return left.warps >= right.warps;
  };
  return points.size() >= 3 && std::all_of(points.begin(), points.end(), good) &&
         std::adjacent_find(points.begin(), points.end(), in_order) == points.end();
}

}  // namespace

std::optional<Residency> hold_to(int warps, const SmLimits& limits) {
  const int threads = warps * kWarpThreads;
  if (warps < 1 || threads > limits.threads) {
    return std::nullopt;
  }
  const int blocks = (threads + kMostThreadsPerBlock - 1) / kMostThreadsPerBlock;
  if (threads % blocks != 0) {
    return std::nullopt;
  }
  const int share = limits.shared_bytes / blocks - limits.reserved_bytes_per_block;
  const int bytes = std::min(share, limits.shared_bytes_per_block) / kGranule * kGranule;
  const int one_more = (blocks + 1) * (bytes + limits.reserved_bytes_per_block);
  if (bytes <= 0 || one_more <= limits.shared_bytes) {
    return std::nullopt;
  }
  return Residency{blocks, threads / blocks, bytes};
}

std::optional<Knee> fit_knee(const std::vector<OccupancyPoint>& points) {
  if (!usable(points)) {
    return std::nullopt;
  }
  Knee best;
  double least = std::numeric_limits<double>::infinity();
  // At least one point on the rise and two on the plateau: one level point shows no level.
  for (std::size_t rising = 1; rising + 2 <= points.size(); ++rising) {
    const Knee knee{mean_slope(points, rising), mean_rate(points, rising)};
    const double off = deviation(points, knee);
    if (off < least) {
      least = off;
      best = knee;
    }
  }
  const double at_the_end = points.back().warps * best.rate_per_warp;
  if (!(best.plateau < at_the_end) || best.warps() > points.back().warps) {
    return std::nullopt;
  }
  // A plateau whose last two points still grow by half of what the warps grew is none.
  const OccupancyPoint& last = points.back();
  const OccupancyPoint& before = points[points.size() - 2];
  const double grown = last.rate / before.rate - 1.0;
  if (grown > 0.5 * (last.warps / before.warps - 1.0)) {
    return std::nullopt;
  }
  return best;
}

}  // namespace assay
