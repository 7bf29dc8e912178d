// SPDX-License-Identifier: Apache-2.0
// How often may something happen that was seen k times in n? The exact bounds of Clopper and
// Pearson (Biometrika 26, 1934), which are defined by the binomial's tails.
#pragma once

#include <cstdint>

namespace assay {

/// P(X <= k) of n independent events of probability p. 0 below k = 0, 1 from k = n on.
/// Throws std::invalid_argument unless n >= 0 and 0 <= p <= 1.
double binomial_cdf(std::int64_t k, std::int64_t n, double p);

/// Where the true rate lies, by k of n.
struct RateBound {
  double low = 0.0, high = 1.0;  ///< two-sided: each tail holds half of 1 - confidence
  double upper = 1.0;            ///< one-sided: "at most this"
};
/// Throws std::invalid_argument unless 0 <= k <= n and 0 < confidence < 1. Without events (n = 0)
/// nothing is known: 0 to 1.
RateBound clopper_pearson(std::int64_t k, std::int64_t n, double confidence);

/// What every document of this project states.
inline constexpr double kRateConfidence = 0.95;

}  // namespace assay
