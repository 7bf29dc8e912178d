// SPDX-License-Identifier: Apache-2.0
#include "probes/two_way_train.h"

#include <cmath>

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr std::size_t kBytes = std::size_t{256} << 20;
constexpr TwoWayTrain kEqual{kBytes, kBytes};

TEST(TwoWayTrain, TheFasterWayGetsAsMuchMoreAsItIsFaster) {
  const TwoWayTrain up_favoured = two_way_train(kEqual, 6.0, 5.0);
  EXPECT_EQ(up_favoured.down, kBytes);
  EXPECT_NEAR(static_cast<double>(up_favoured.up), 1.2 * static_cast<double>(kBytes), 4096.0);
  EXPECT_EQ(up_favoured.up % 4096, 0U);
  EXPECT_EQ(two_way_train(kEqual, 5.0, 10.0).up, kBytes / 2);
  EXPECT_EQ(two_way_train(kEqual, 5.0, 5.0).up, kBytes);
}

TEST(TwoWayTrain, WhatEndedTogetherStaysAndTheRestComesNearer) {
  const TwoWayTrain unequal{kBytes, kBytes / 2};
  EXPECT_EQ(two_way_train(unequal, 5.0, 5.0).up, kBytes / 2);
  EXPECT_EQ(two_way_train(unequal, 6.0, 3.0).up, kBytes);
}

TEST(TwoWayTrain, AnAccidentOfTheCalibrationIsBounded) {
  EXPECT_EQ(two_way_train(kEqual, 1000.0, 1.0).up, 4 * kBytes);
  EXPECT_EQ(two_way_train(kEqual, 1.0, 1000.0).up, kBytes / 4);
  EXPECT_EQ(two_way_train({4096, 4096}, 1.0, 1000.0).up, 4096U) << "never nothing";
}

TEST(TwoWayTrain, WithoutATimeTheTrainsStayAsTheyAre) {
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    EXPECT_EQ(two_way_train(kEqual, bad, 5.0).up, kBytes);
    EXPECT_EQ(two_way_train(kEqual, 5.0, bad).up, kBytes);
  }
}

}  // namespace
}  // namespace assay
