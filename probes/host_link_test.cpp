// SPDX-License-Identifier: Apache-2.0
#include "probes/host_link.h"

#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(CpuList, IsReadInTheKernelsForm) {
  EXPECT_EQ(parse_cpu_list("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("5"), (std::vector<int>{5}));
  EXPECT_EQ(parse_cpu_list(""), (std::vector<int>{})) << "a node without processors";
}

TEST(CpuList, IsRefusedWhenItIsNone) {
  for (const char* text : {"a", "3-1", "0-", "-2", "1,,2", "1;2", "0-99999999"}) {
    EXPECT_FALSE(parse_cpu_list(text)) << text;
  }
}

class NumaPlaceOf : public ::testing::Test {
 protected:
  void SetUp() override {
    sys_ = fs::path(::testing::TempDir()) / ("sys_" + std::to_string(getpid()));
    fs::create_directories(sys_ / "bus/pci/devices/0000:c1:00.0");
    fs::create_directories(sys_ / "devices/system/node/node1");
    write("devices/system/node/node1/cpulist", "8-9\n");
  }
  void TearDown() override { fs::remove_all(sys_); }
  void write(const std::string& path, const std::string& text) const {
    std::ofstream(sys_ / path) << text;
  }
  fs::path sys_;
};

TEST_F(NumaPlaceOf, ADeviceIsItsNodeAndTheNodesProcessors) {
  write("bus/pci/devices/0000:c1:00.0/numa_node", "1\n");
  const NumaPlace place = numa_place("0000:c1:00.0", sys_);
  EXPECT_EQ(place.node, 1);
  EXPECT_EQ(place.processors, (std::vector<int>{8, 9}));
}

TEST_F(NumaPlaceOf, MinusOneIsUnknownAndNotANode) {
  write("bus/pci/devices/0000:c1:00.0/numa_node", "-1\n");
  const NumaPlace place = numa_place("0000:c1:00.0", sys_);
  EXPECT_FALSE(place.node);
  EXPECT_NE(place.why.find("-1"), std::string::npos);
}

TEST_F(NumaPlaceOf, ADeviceThatTheKernelDoesNotShowIsUnknown) {
  EXPECT_FALSE(numa_place("0000:41:00.0", sys_).node);
}

TEST(StayOn, RefusesProcessorsThatThisThreadMayNotUse) {
  EXPECT_FALSE(stay_on({}));
  EXPECT_FALSE(stay_on({1 << 20}));
}

TEST(PcieGbs, IsTheLineRateWithoutItsCode) {
  EXPECT_NEAR(pcie_gbs(5, 16).value(), 63.02, 0.01);
  EXPECT_NEAR(pcie_gbs(4, 16).value(), 31.51, 0.01);
  EXPECT_NEAR(pcie_gbs(3, 8).value(), 7.88, 0.01);
  EXPECT_EQ(pcie_gbs(1, 16).value(), 4.0);
}

TEST(PcieGbs, IsUnknownForLinksThatDoNotExist) {
  EXPECT_FALSE(pcie_gbs(0, 16));
  EXPECT_FALSE(pcie_gbs(9, 16));
  EXPECT_FALSE(pcie_gbs(5, 0));
}

}  // namespace
}  // namespace assay
