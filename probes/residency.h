// SPDX-License-Identifier: Apache-2.0
// How is a kernel held to so many warps per SM, and where do its rates stop growing with them?
#pragma once

#include <optional>
#include <vector>

namespace assay {

/// What one SM has for its blocks, as the driver states it; bytes and counts.
struct SmLimits {
  int threads = 0;
  int shared_bytes = 0;
  int shared_bytes_per_block = 0;    ///< the most that a block may ask for
  int reserved_bytes_per_block = 0;  ///< what the system takes of each block's share
};

/// A launch that leaves room for just so many blocks on an SM.
struct Residency {
  int blocks = 0;        ///< per SM
  int threads = 0;       ///< per block
  int shared_bytes = 0;  ///< dynamic shared memory per block
};

/// A launch with exactly `warps` resident warps on each SM, held there by shared memory alone:
/// nullopt when an SM has no room for so many, or shared memory cannot keep one block more away.
std::optional<Residency> hold_to(int warps, const SmLimits& limits);

/// One timed point.
struct OccupancyPoint {
  double warps = 0.0;
  double rate = 0.0;
};

/// Two segments: proportional to the warps up to the knee, level from there on.
struct Knee {
  double rate_per_warp = 0.0;
  double plateau = 0.0;
  double warps() const { return plateau / rate_per_warp; }
};

/// The two segments with the least sum of squared relative deviations, over every way to part the
/// points (in order of warps). nullopt below three points, for rates that are not positive, and
/// where the rate never stops growing: then there is no knee among the points.
std::optional<Knee> fit_knee(const std::vector<OccupancyPoint>& points);

}  // namespace assay
