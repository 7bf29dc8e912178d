// SPDX-License-Identifier: Apache-2.0
#include "probes/two_way_train.h"

#include <algorithm>

namespace assay {

TwoWayTrain two_way_train(std::size_t bytes, double down_ms, double up_ms) {
  constexpr double kMostRatio = 4.0;
  constexpr std::size_t kPage = 4096;
  if (!(down_ms > 0.0) || !(up_ms > 0.0)) return {bytes, bytes};
  const double ratio = std::clamp(down_ms / up_ms, 1.0 / kMostRatio, kMostRatio);
  const auto up = static_cast<std::size_t>(ratio * static_cast<double>(bytes));
  return {bytes, std::max(kPage, up / kPage * kPage)};
}

}  // namespace assay
