// SPDX-License-Identifier: Apache-2.0
// How much must go each way for both to end together? No CUDA here.
#pragma once

#include <cstddef>

namespace assay {

/// Bytes to the device and bytes to the host that pass side by side.
struct TwoWayTrain {
  std::size_t down = 0, up = 0;
};

/// As much to the device as `ran`, and to the host what passes in the same time, where `ran` took
/// `down_ms` and `up_ms`: at least a quarter of it and at most four times, whole pages of 4 KiB. Of
/// equal trains the faster way ends first and lets the other run alone: on a host that favours one
/// way the sum of both is then 10 % too small (83 for 92 GB/s, H200), and the proportion is one
/// only once both end at about the same time. `ran` itself where a time is not positive.
TwoWayTrain two_way_train(const TwoWayTrain& ran, double down_ms, double up_ms);

}  // namespace assay
