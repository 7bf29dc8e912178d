// SPDX-License-Identifier: Apache-2.0
// Do the latencies of a cache's lines fall into two groups, or are they one?
#pragma once

#include <optional>
#include <vector>

namespace assay {

/// Groups closer than this are one: slices of a single partition differ by a tenth.
inline constexpr double kLeastClusterRatio = 1.2;
/// The smaller group has at least this share: a few stragglers are no partition.
inline constexpr double kLeastClusterShare = 0.1;
/// Distance between the groups in their own spreads. A flat or bell-shaped distribution cut in the
/// middle reads 2.7.
inline constexpr double kLeastClusterDistance = 3.2;

struct TwoClusters {
  double near = 0.0;   ///< median of the lower group
  double far = 0.0;    ///< median of the upper group
  double split = 0.0;  ///< values up to here are near
};

/// The split with the largest variance between the groups; nullopt when the groups are not apart by
/// the three limits above, or without values.
std::optional<TwoClusters> two_clusters(std::vector<double> values);

}  // namespace assay
