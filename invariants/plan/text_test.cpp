// SPDX-License-Identifier: Apache-2.0
// Foreign text stays valid UTF-8; near names are found, far ones are not.
#include "invariants/plan/text.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Utf8Tail, KeepsTheEndWithinTheLimit) {
  EXPECT_EQ(utf8_tail("0123456789", 4), "6789");
}

TEST(Utf8Tail, CutsBetweenCharacters) {
  EXPECT_EQ(utf8_tail("a\xC3\xA9z", 2), "z");
  EXPECT_EQ(utf8_tail("a\xC3\xA9z", 3), "\xC3\xA9z");
}

TEST(Utf8Tail, ReplacesBytesThatAreNotText) {
  EXPECT_EQ(utf8_tail(std::string_view("a\xFF\x00\x1B[1mb", 8), 100), "a???[1mb");
  EXPECT_EQ(utf8_tail("\xC0\x80\xED\xA0\x80\xF5", 100), "??????");
  EXPECT_EQ(utf8_tail("tab\tand\nnewline \xE2\x82\xAC", 100), "tab\tand\nnewline \xE2\x82\xAC");
}

TEST(Nearest, FindsATypoAndRefusesAStranger) {
  const std::vector<std::string> names{"certify", "probe", "judge"};
  EXPECT_EQ(nearest("certfy", names), "certify");
  EXPECT_EQ(nearest("prob", names), "probe");
  EXPECT_EQ(nearest("xyzzy", names), "");
}

}  // namespace
}  // namespace assay
