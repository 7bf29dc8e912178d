// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/unique_handle.h"

#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

std::vector<int> destroyed;
int destroy(int handle) {
  destroyed.push_back(handle);
  return 1;  // an error, which nobody hears
}
using Handle = UniqueHandle<destroy, int>;

class UniqueHandleTest : public ::testing::Test {
 protected:
  void SetUp() override { destroyed.clear(); }
};

TEST_F(UniqueHandleTest, IsDestroyedOnceByItsLastOwner) {
  {
    Handle first(7);
    const Handle second(std::move(first));
    EXPECT_EQ(second.get(), 7);
  }
  EXPECT_EQ(destroyed, std::vector{7});
  static_assert(!std::is_copy_constructible_v<Handle> && !std::is_copy_assignable_v<Handle>);
}

TEST_F(UniqueHandleTest, NoneIsNotDestroyed) {
  { const Handle none; }
  EXPECT_TRUE(destroyed.empty());
}

TEST_F(UniqueHandleTest, WhatWasHeldIsDestroyedWhenAnotherIsTaken) {
  Handle held(7);
  Handle other(8);
  held = std::move(other);
  EXPECT_EQ(held.get(), 8);
  EXPECT_EQ(destroyed, std::vector{7});
}

TEST_F(UniqueHandleTest, TakingItselfKeepsIt) {
  Handle held(7);
  Handle& same = held;
  held = std::move(same);
  EXPECT_EQ(held.get(), 7);
  EXPECT_TRUE(destroyed.empty());
}

}  // namespace
}  // namespace assay
