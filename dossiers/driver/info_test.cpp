// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/info.h"

#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

class Info : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("ASSAY_LIBCUDA", FAKE_CUDA, 1);
    setenv("ASSAY_LIBNVML", FAKE_NVML, 1);
  }
  void TearDown() override {
    for (const char* name : {"ASSAY_LIBCUDA", "ASSAY_LIBNVML", "ASSAY_FAKE_SCENARIO",
                             "ASSAY_FAKE_REASONS", "ASSAY_FAKE_GPUS", "ASSAY_FAKE_PIDS"}) {
      unsetenv(name);
    }
  }
};

TEST_F(Info, TellsIdentityPeakAndTheClocksState) {
  setenv("ASSAY_FAKE_REASONS", "0x4", 1);
  const auto json = nlohmann::json::parse(info_json(gather_info("")));
  ASSERT_EQ(json["devices"].size(), 1U);
  const auto& device = json["devices"][0];
  EXPECT_EQ(device["identity"]["uuid"], "GPU-10112233-4455-6677-8899-aabbccddee10");
  EXPECT_NEAR(device["dram_peak_gbs"].get<double>(), 4814.304, 1e-3);
  EXPECT_EQ(device["attributes"]["sm_count"], 132);
  EXPECT_EQ(device["nvml"]["clock_state"], "reject");
  EXPECT_EQ(device["nvml"]["clock_reasons"], nlohmann::json::array({"power cap"}));
  EXPECT_EQ(device["nvml"]["other_processes"], nlohmann::json::array());
}

TEST_F(Info, WorksFromLibcudaAloneWithNullForTheRest) {
  setenv("ASSAY_LIBNVML", "/nonexistent/libnvidia-ml.so.1", 1);
  const auto json = nlohmann::json::parse(info_json(gather_info("")));
  const auto& device = json["devices"].at(0);
  EXPECT_TRUE(device["identity"]["power_limit_w"].is_null());
  EXPECT_TRUE(device["identity"]["driver"].is_null());
  EXPECT_TRUE(device["nvml"]["sm_clock_mhz"].is_null());
  EXPECT_TRUE(device["nvml"]["other_processes"].is_null());
  EXPECT_EQ(device["nvml"]["clock_state"], "unknown");
  EXPECT_NE(info_table(gather_info("")).find("unknown"), std::string::npos);
}

TEST_F(Info, ListsAllOrTheChosenOneWithItsIndex) {
  setenv("ASSAY_FAKE_GPUS", "2", 1);
  EXPECT_EQ(gather_info("").size(), 2U);
  const auto chosen = gather_info("GPU-20112233");
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen[0].index, 1U);
  EXPECT_THROW(gather_info("7"), BadChoice);
}

TEST_F(Info, WithoutADeviceSaysWhyInItsDocument) {
  const auto json = nlohmann::json::parse(info_json({}, "no GPU: the driver sees none"));
  EXPECT_EQ(json["reason"], "no GPU: the driver sees none");
  EXPECT_TRUE(json["devices"].empty());
}

}  // namespace
}  // namespace assay
