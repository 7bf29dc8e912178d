// SPDX-License-Identifier: Apache-2.0
#include "probes/two_clusters.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace assay {
namespace {

std::vector<double> bell(double mean, double deviation, int count) {
  std::mt19937 random(20261130);
  std::normal_distribution<double> draw(mean, deviation);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(draw(random));
  return values;
}

std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<double> flat(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(low + (high - low) * i / count);
  return values;
}

TEST(TwoClusters, FindsBothPartitionsOfAnL2) {
  const auto found = two_clusters(joined(bell(415, 25, 3000), bell(260, 20, 3500)));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->near, 260, 3);
  EXPECT_NEAR(found->far, 415, 3);
  EXPECT_GT(found->split, 310);
  EXPECT_LT(found->split, 365);
}

TEST(TwoClusters, OnePartitionIsOneWhateverItsShape) {
  EXPECT_FALSE(two_clusters(bell(280, 30, 6000)));
  EXPECT_FALSE(two_clusters(bell(280, 90, 6000))) << "wide, but one hump";
  EXPECT_FALSE(two_clusters(flat(250, 310, 6000)));
  EXPECT_FALSE(two_clusters(flat(100, 500, 6000))) << "wide, but without a gap";
  EXPECT_FALSE(two_clusters(std::vector<double>(6000, 280.0)));
}

TEST(TwoClusters, NearGroupsAndStragglersAreNoPartition) {
  EXPECT_FALSE(two_clusters(joined(bell(260, 3, 3000), bell(300, 3, 3000)))) << "15 % apart";
  EXPECT_TRUE(two_clusters(joined(bell(260, 3, 3000), bell(330, 3, 3000)))) << "27 % apart";
  EXPECT_FALSE(two_clusters(joined(bell(260, 10, 3000), bell(900, 10, 200)))) << "6 % of the lines";
  EXPECT_TRUE(two_clusters(joined(bell(260, 10, 3000), bell(900, 10, 600))));
}

TEST(TwoClusters, NothingComesFromNothing) {
  EXPECT_FALSE(two_clusters({}));
  EXPECT_FALSE(two_clusters({280.0}));
  EXPECT_FALSE(two_clusters({0.0, 0.0, 0.0}));
}

}  // namespace
}  // namespace assay
