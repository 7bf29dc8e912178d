// SPDX-License-Identifier: Apache-2.0
// Where does a curve bend: how many SMs suffice, and at which size does a cache give out? Pure
// arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#ifdef __CUDACC__
#define ASSAY_HOST_DEVICE __host__ __device__
#else
#define ASSAY_HOST_DEVICE
#endif

namespace assay {

/// Whether SM `sm` of `sms` is one of the `working` ones, which are spread evenly over the numbers.
ASSAY_HOST_DEVICE constexpr bool is_working_sm(std::uint32_t sm, std::uint32_t working,
                                               std::uint32_t sms) {
  return sm * working % sms < working;
}

/// The least count in [1, most] whose rate reaches `target`: eighths of `most` are tried upwards,
/// then the gap below the first that reaches it is halved. nullopt when a rate is not known or none
/// reaches.
std::optional<int> least_reaching(int most, double target,
                                  const std::function<std::optional<double>(int)>& rate);

struct SizeRate {
  double bytes = 0.0;
  double rate = 0.0;
};

/// The size, between two of `points` (ascending, at least two), at which the rate first falls below
/// half way between the first and the last; by interpolation over log(size). nullopt when the last
/// rate is not below nine tenths of the first.
std::optional<double> capacity_knee(const std::vector<SizeRate>& points);

}  // namespace assay

#undef ASSAY_HOST_DEVICE
