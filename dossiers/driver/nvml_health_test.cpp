// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "dossiers/driver/nvml.h"

namespace assay {
namespace {

class NvmlHealth : public ::testing::Test {
 protected:
  void SetUp() override { setenv("ASSAY_LIBNVML", FAKE_NVML, 1); }
  void TearDown() override {
    unsetenv("ASSAY_LIBNVML");
    unsetenv("ASSAY_FAKE_SCENARIO");
  }

  static std::shared_ptr<const Nvml> nvml() {
    std::string why;
    auto loaded = load_nvml(why);
    EXPECT_NE(loaded, nullptr) << why;
    return loaded;
  }
};

TEST_F(NvmlHealth, ReadsLinkEnergyAndMemoryCountersInTheirUnits) {
  const auto library = nvml();
  NvmlHandle device = library->devices().value.value().at(0).handle;
  EXPECT_EQ(library->energy_j(device).value, 1234.567);
  EXPECT_EQ(library->pcie_generation(device).value, 4U);
  EXPECT_EQ(library->pcie_width(device).value, 8U);
  EXPECT_EQ(library->max_pcie_generation(device).value, 5U);
  EXPECT_EQ(library->max_pcie_width(device).value, 16U);
  EXPECT_EQ(library->ecc_errors(device, EccErrors::corrected).value, 7U);
  EXPECT_EQ(library->ecc_errors(device, EccErrors::uncorrected).value, 2U);
  EXPECT_EQ(library->remapped_rows(device).value, 4U);
}

TEST_F(NvmlHealth, WhatTheDeviceDoesNotSupportIsUnknownWithItsReasonAndNeverZero) {
  setenv("ASSAY_FAKE_SCENARIO", "fields_unsupported", 1);
  const auto library = nvml();
  NvmlHandle device = library->devices().value.value().at(0).handle;
  EXPECT_FALSE(library->energy_j(device));
  EXPECT_FALSE(library->pcie_generation(device));
  EXPECT_FALSE(library->ecc_errors(device, EccErrors::uncorrected));
  const auto rows = library->remapped_rows(device);
  EXPECT_FALSE(rows);
  EXPECT_EQ(rows.why, "Not Supported");
}

}  // namespace
}  // namespace assay
