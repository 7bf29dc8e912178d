// SPDX-License-Identifier: Apache-2.0
#include "probes/two_way_train.h"

#include <algorithm>

namespace assay {

TwoWayTrain two_way_train(const TwoWayTrain& ran, double down_ms, double up_ms) {
  constexpr double kMostRatio = 4.0;
  constexpr std::size_t kPage = 4096;
  if (!(down_ms > 0.0) || !(up_ms > 0.0)) return ran;
  const auto down = static_cast<double>(ran.down);
  const double up = static_cast<double>(ran.up) / up_ms * down_ms;
  const auto bytes = static_cast<std::size_t>(std::clamp(up, down / kMostRatio, kMostRatio * down));
  return {ran.down, std::max(kPage, bytes / kPage * kPage)};
}

}  // namespace assay
