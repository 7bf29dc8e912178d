// SPDX-License-Identifier: Apache-2.0
// Are wrong elements counted, and blamed on the SM that computed them?
#include "probes/tile_summary.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(TileSummary, CountsTilesSmsAndWrongElementsOverRounds) {
  TileSummary summary;
  summary.add({0, 1, 1, 7}, {0, 0, 3, 0});
  summary.add({7, 9}, {2, 0});
  EXPECT_EQ(summary.tiles(), 6);
  EXPECT_EQ(summary.sms_covered(), 4);
  EXPECT_EQ(summary.wrong_elements(), 5);
}

TEST(TileSummary, NamesTheFailingSmsWorstFirst) {
  TileSummary summary;
  summary.add({4, 5, 6}, {1, 0, 20});
  EXPECT_EQ(summary.note(), "wrong elements by SM (smid): 6: 20, 4: 1; 3 tiles on 3 SMs in all");
}

TEST(TileSummary, NamesAtMostSixteenSms) {
  TileSummary summary;
  for (std::uint32_t sm = 0; sm < 20; ++sm) {
    summary.add({sm}, {1});
  }
  EXPECT_NE(summary.note().find("and 4 more SMs"), std::string::npos) << summary.note();
}

TEST(TileSummary, SaysHowMuchWasExactWhenNothingFailed) {
  TileSummary summary;
  summary.add({0, 1}, {0, 0});
  EXPECT_EQ(summary.note(), "2 tiles on 2 SMs, every element exact");
}

TEST(TileSummary, NothingComputedCoversNothing) {
  EXPECT_EQ(TileSummary().sms_covered(), 0);
  EXPECT_EQ(TileSummary().tiles(), 0);
}

TEST(TileSummary, RefusesTilesWithoutAnSm) {
  TileSummary summary;
  EXPECT_THROW(summary.add({0}, {0, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace assay
