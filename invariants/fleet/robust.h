// SPDX-License-Identifier: Apache-2.0
// What is usual in a cohort, how unusual is one device, and which of many alarms may be believed?
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay {

/// From how many values on a cohort is judged by itself. Below it a median absolute deviation says
/// too little, and each device stands on its own dossier.
inline constexpr std::size_t kLeastCohort = 8;

/// Where the values of one fact lie.
struct Spread {
  double median = 0.0;
  double scale = 0.0;    ///< robust standard deviation, at least the floor given
  double degrees = 0.0;  ///< of freedom behind `scale`; infinite where the floor decides
};

/// Median and 1.4826 x MAD of `values` (log-ratios), not below `floor` (the certified
/// repeatability). With 64 values or more the deviation is taken on the better side of the median
/// alone, `better` -1 or 1, so that losses of up to half of the cohort do not widen it; 0: both.
/// The degrees of freedom are 0.37 (n - 1): a MAD is as good as that share of the values
/// (efficiency 37 %, Rousseeuw and Croux, JASA 88, 1993). Throws std::invalid_argument when empty.
Spread spread_of(std::vector<double> values, double floor, int better);

/// P(T >= t) of Student's distribution; the normal one for infinite degrees. NaN gives 1.
double upper_tail(double t, double degrees);

/// The largest p-value that Benjamini and Hochberg (JRSS B 57, 1995) reject at rate `q` among
/// `tests`, of which `small` holds at least all p-values up to q; 0 when none is.
double rejected_up_to(std::vector<double> small, std::size_t tests, double q);

}  // namespace assay
