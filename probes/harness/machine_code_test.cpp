// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/machine_code.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

DeviceIdentity device(int major, int minor) {
  DeviceIdentity identity;
  identity.cc_major = major;
  identity.cc_minor = minor;
  return identity;
}

TEST(MachineCode, RunsOnItsMajorVersionFromItsMinorOn) {
  EXPECT_TRUE(covers({"sm_75", "sm_86"}, device(8, 6)));
  EXPECT_TRUE(covers({"sm_86"}, device(8, 9)));
  EXPECT_FALSE(covers({"sm_86"}, device(8, 0)));
  EXPECT_FALSE(covers({"sm_86"}, device(9, 0)));
  EXPECT_TRUE(covers({"sm_120"}, device(12, 1)));
  EXPECT_FALSE(covers({"sm_100"}, device(12, 0)));
}

TEST(MachineCode, ForOneChipRunsThereAlone) {
  EXPECT_TRUE(covers({"sm_90a"}, device(9, 0)));
  EXPECT_FALSE(covers({"sm_100a"}, device(10, 3)));
}

TEST(MachineCode, IsNotCoveredByNothingOrByOtherNames) {
  EXPECT_FALSE(covers({}, device(9, 0)));
  EXPECT_FALSE(covers({"", "compute_90", "sm_"}, device(9, 0)));
}

TEST(Architectures, AreSplitAtCommas) {
  EXPECT_EQ(split_architectures("sm_75,sm_90a"), (std::vector<std::string>{"sm_75", "sm_90a"}));
  EXPECT_TRUE(split_architectures("").empty());
}

}  // namespace
}  // namespace assay
