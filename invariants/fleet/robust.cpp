// SPDX-License-Identifier: Apache-2.0
// Median, MAD, Student's tail and the false discovery rate.
#include "invariants/fleet/robust.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace assay {
namespace {

constexpr double kNormalMad = 1.4826;        // makes a MAD a standard deviation
constexpr double kMadEfficiency = 0.37;      // of a MAD, at the normal distribution
constexpr std::size_t kManyForOneSide = 64;  // half of them still make a deviation

double middle(std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half),
                   values.end());
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  return 0.5 * (upper + *std::max_element(values.begin(),
                                          values.begin() + static_cast<std::ptrdiff_t>(half)));
}

/// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by
/// Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostSteps = 300;
  double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
  d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
  double fraction = d;
  for (int m = 1; m <= kMostSteps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1.0;
    for (const double term : {even, odd}) {
      d = 1.0 + term * d;
      c = 1.0 + term / c;
      d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
      if (std::abs(c) < kTiny) c = kTiny;
      change = c * d;
      fraction *= change;
    }
    if (std::abs(change - 1.0) < 1e-13) break;
  }
  return fraction;
}

/// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (!(x > 0.0)) return 0.0;
  if (!(x < 1.0)) return 1.0;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

}  // namespace

Spread spread_of(std::vector<double> values, double floor, int better) {
  if (values.empty()) throw std::invalid_argument("spread_of: no values");
  Spread spread;
  const std::size_t n = values.size();
  spread.median = middle(values);
  const bool one_side = better != 0 && n >= kManyForOneSide;
  std::vector<double> away;
  away.reserve(n);
  for (const double value : values) {
    const double off = value - spread.median;
    if (!one_side || off * better >= 0.0) away.push_back(std::abs(off));
  }
  const double own = kNormalMad * middle(away);
  spread.scale = std::max(own, floor);
  spread.degrees = own > floor ? kMadEfficiency * static_cast<double>(away.size() - 1)
                               : std::numeric_limits<double>::infinity();
  return spread;
}

double upper_tail(double t, double degrees) {
  if (std::isnan(t) || std::isnan(degrees)) return 1.0;
  if (std::isinf(degrees)) return 0.5 * std::erfc(t / std::numbers::sqrt2);
  const double tail = 0.5 * incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + t * t));
  return t >= 0.0 ? tail : 1.0 - tail;
}

double rejected_up_to(std::vector<double> small, std::size_t tests, double q) {
  std::sort(small.begin(), small.end());
  for (std::size_t rank = small.size(); rank > 0; --rank) {
    const double allowed = q * static_cast<double>(rank) / static_cast<double>(tests);
    if (small[rank - 1] <= allowed) return small[rank - 1];
  }
  return 0.0;
}

}  // namespace assay
