// SPDX-License-Identifier: Apache-2.0
// How often may something happen that was seen k times in n? The bounds are found by bisection on
// the tail that defines them: no incomplete beta function and no library for one is needed, and the
// sum over at most n terms is nothing beside a run that it counts.
#include "invariants/rates/binomial.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace assay {
namespace {

/// ln of n choose k times p^k (1-p)^(n-k), for 0 < p < 1.
double log_term(std::int64_t k, std::int64_t n, double p) {
  const auto a = static_cast<double>(k);
  const auto b = static_cast<double>(n - k);
  return std::lgamma(a + b + 1.0) - std::lgamma(a + 1.0) - std::lgamma(b + 1.0) + a * std::log(p) +
         b * std::log1p(-p);
}

/// The sum of the terms first..last, largest factored out against underflow.
double sum_of_terms(std::int64_t first, std::int64_t last, std::int64_t n, double p) {
  const auto mode = static_cast<std::int64_t>(p * static_cast<double>(n + 1));
  const double top = log_term(std::clamp(mode, first, last), n, p);
  double sum = 0.0;
  for (std::int64_t k = first; k <= last; ++k) sum += std::exp(log_term(k, n, p) - top);
  return std::exp(top) * sum;
}

/// The rate at which k or fewer of n have the probability `tail`.
double rate_of_lower_tail(std::int64_t k, std::int64_t n, double tail) {
  if (k >= n) return 1.0;
  double low = 0.0;
  double high = 1.0;
  while (true) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) return high;
    (binomial_cdf(k, n, middle) > tail ? low : high) = middle;
  }
}

}  // namespace

double binomial_cdf(std::int64_t k, std::int64_t n, double p) {
  if (n < 0 || !(p >= 0.0 && p <= 1.0)) {
    throw std::invalid_argument("binomial: n of 0 or more and a probability from 0 to 1");
  }
  if (k < 0) return 0.0;
  if (k >= n || p == 0.0) return 1.0;
  if (p == 1.0) return 0.0;
  // The shorter side is summed: fewer terms, and no loss where the sum is near 1.
  if (k < n / 2) return std::min(1.0, sum_of_terms(0, k, n, p));
  return std::max(0.0, 1.0 - sum_of_terms(k + 1, n, n, p));
}

RateBound clopper_pearson(std::int64_t k, std::int64_t n, double confidence) {
  if (k < 0 || k > n || !(confidence > 0.0 && confidence < 1.0)) {
    throw std::invalid_argument("a rate's bound: 0 <= k <= n and a confidence between 0 and 1");
  }
  if (n == 0) return {};
  const double tail = 1.0 - confidence;
  // k or more of n is n - k or fewer of the others.
  return {1.0 - rate_of_lower_tail(n - k, n, 0.5 * tail), rate_of_lower_tail(k, n, 0.5 * tail),
          rate_of_lower_tail(k, n, tail)};
}

}  // namespace assay
