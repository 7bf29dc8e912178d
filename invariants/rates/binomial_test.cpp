// SPDX-License-Identifier: Apache-2.0
// Are the bounds of a rate the exact ones? References: rational arithmetic, bisected to 50 bits.
#include "invariants/rates/binomial.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Binomial, TailsAreExactWhereTheyAreKnown) {
  EXPECT_NEAR(binomial_cdf(0, 10, 0.5), 1.0 / 1024.0, 1e-15);
  EXPECT_NEAR(binomial_cdf(5, 10, 0.5), 638.0 / 1024.0, 1e-14);
  EXPECT_NEAR(binomial_cdf(9, 10, 0.5), 1023.0 / 1024.0, 1e-14);
  EXPECT_EQ(binomial_cdf(-1, 10, 0.5), 0.0);
  EXPECT_EQ(binomial_cdf(10, 10, 0.5), 1.0);
  EXPECT_EQ(binomial_cdf(3, 10, 0.0), 1.0);
  EXPECT_EQ(binomial_cdf(3, 10, 1.0), 0.0);
}

TEST(Binomial, TailsRiseOnBothSidesOfTheMiddle) {
  for (const double p : {1e-6, 0.01, 0.37, 0.5, 0.99}) {
    double before = 0.0;
    for (int k = 0; k <= 200; ++k) {
      const double here = binomial_cdf(k, 200, p);
      EXPECT_GE(here, before - 1e-12) << k << " " << p;
      before = here;
    }
    EXPECT_EQ(before, 1.0);
  }
}

TEST(ClopperPearson, BoundsAreThoseOfRationalArithmetic) {
  struct Case {
    int k, n;
    double low, high, upper;
  };
  constexpr double kExact = 1e-12;
  for (const Case& item :
       {Case{0, 60, 0.0, 0.05962949228616754, 0.04870291331009824},
        Case{6, 300, 0.007374162001726248, 0.04302108267351734, 0.039091058680958746},
        Case{0, 100, 0.0, 0.03621669264517724, 0.02951304960704082},
        Case{3, 50, 0.012548587835333969, 0.1654819466037729, 0.14783717636418192},
        Case{25, 50, 0.3552729971299069, 0.6447270028700931, 0.6237541087906804},
        Case{50, 50, 0.9288782635358022, 1.0, 1.0}}) {
    const RateBound bound = clopper_pearson(item.k, item.n, 0.95);
    EXPECT_NEAR(bound.low, item.low, kExact) << item.k << " of " << item.n;
    EXPECT_NEAR(bound.high, item.high, kExact) << item.k << " of " << item.n;
    EXPECT_NEAR(bound.upper, item.upper, kExact) << item.k << " of " << item.n;
  }
}

TEST(ClopperPearson, NoneOfNHasItsClosedForm) {
  for (const int n : {1, 299, 3000, 10000, 1000000}) {
    EXPECT_NEAR(clopper_pearson(0, n, 0.95).upper, -std::expm1(std::log(0.05) / n), 1e-12) << n;
  }
  EXPECT_LT(clopper_pearson(0, 100, 0.95).upper, 0.03);
  EXPECT_LT(clopper_pearson(0, 3000, 0.95).upper, 0.001);
}

TEST(ClopperPearson, NothingSeenIsNothingKnown) {
  const RateBound bound = clopper_pearson(0, 0, 0.95);
  EXPECT_EQ(bound.low, 0.0);
  EXPECT_EQ(bound.upper, 1.0);
}

TEST(ClopperPearson, RefusesWhatIsNoCountAndNoConfidence) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(clopper_pearson(-1, 10, 0.95), std::invalid_argument);
  EXPECT_THROW(clopper_pearson(11, 10, 0.95), std::invalid_argument);
  EXPECT_THROW(clopper_pearson(1, 10, 1.0), std::invalid_argument);
  EXPECT_THROW(clopper_pearson(1, 10, nan), std::invalid_argument);
  EXPECT_THROW(binomial_cdf(1, 10, nan), std::invalid_argument);
}

}  // namespace
}  // namespace assay
