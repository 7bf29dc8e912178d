// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/telemetry.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

namespace assay {
namespace {

class TelemetryOf : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("ASSAY_LIBCUDA", FAKE_CUDA, 1);
    setenv("ASSAY_LIBNVML", FAKE_NVML, 1);
  }
  void TearDown() override {
    for (const char* name : {"ASSAY_LIBCUDA", "ASSAY_LIBNVML", "ASSAY_FAKE_SCENARIO",
                             "ASSAY_FAKE_PIDS", "ASSAY_FAKE_REASONS"}) {
      unsetenv(name);
    }
  }

  static TelemetrySnapshot snapshot() {
    const LibCuda cuda;
    std::string why;
    const auto nvml = load_nvml(why);
    const auto devices = list_devices(cuda, nvml.get(), why);
    return Telemetry(nvml, devices.at(0)).snapshot();
  }
};

TEST_F(TelemetryOf, AKnownDeviceHasAllFields) {
  setenv("ASSAY_FAKE_REASONS", "0x5", 1);
  setenv("ASSAY_FAKE_PIDS", (std::to_string(getpid()) + ",2147480001").c_str(), 1);
  const TelemetrySnapshot now = snapshot();
  EXPECT_EQ(now.sm_clock_mhz, 1980.0);
  EXPECT_EQ(now.clock_reasons, 0x5U);
  EXPECT_EQ(now.power_cap_ns, 5000000U);
  EXPECT_EQ(now.temperature_c, 31.0);
  EXPECT_EQ(now.power_w, 112.5);
  ASSERT_TRUE(now.other_processes.has_value());
  EXPECT_EQ(*now.other_processes, (std::vector<Process>{{2147480001, ""}}));
}

TEST_F(TelemetryOf, MoreProcessesThanExpectedAreAllListed) {
  std::string pids;
  for (int i = 0; i < 100; ++i) {
    pids += std::to_string(2147480000 + i) + ",";
  }
  setenv("ASSAY_FAKE_PIDS", pids.c_str(), 1);
  EXPECT_EQ(snapshot().other_processes.value().size(), 100U);
}

TEST_F(TelemetryOf, AnUnsupportedFieldIsUnknownAndNeverZero) {
  setenv("ASSAY_FAKE_SCENARIO", "fields_unsupported", 1);
  const TelemetrySnapshot now = snapshot();
  EXPECT_FALSE(now.sm_clock_mhz.has_value());
  EXPECT_FALSE(now.clock_reasons.has_value());
  EXPECT_FALSE(now.power_cap_ns.has_value());
  EXPECT_FALSE(now.other_processes.has_value());
}

TEST_F(TelemetryOf, ADeviceWithoutNvmlIsUnknownAllOver) {
  setenv("ASSAY_FAKE_SCENARIO", "nvml_elsewhere", 1);
  EXPECT_FALSE(snapshot().clock_reasons.has_value());
  setenv("ASSAY_LIBNVML", "/nonexistent/libnvidia-ml.so.1", 1);
  EXPECT_FALSE(snapshot().clock_reasons.has_value());
}

TEST(OwnPids, IncludeThoseOfEnclosingNamespaces) {
  EXPECT_EQ(own_pids(7, "Name:\tx\nNSpid:\t4242\t31\t7\nNSpgid:\t1\n"),
            (std::vector<std::int64_t>{7, 4242, 31, 7}));
  EXPECT_EQ(own_pids(7, "Name:\tx\n"), (std::vector<std::int64_t>{7}));
}

TEST(OtherProcesses, AreNamedAndSortedWithoutOurs) {
  const std::filesystem::path proc =
      std::filesystem::path(::testing::TempDir()) / ("proc_" + std::to_string(getpid()));
  std::filesystem::create_directories(proc / "20");
  std::ofstream(proc / "20" / "comm") << "python3\n";
  EXPECT_EQ(other_processes({30, 20, 10, 30}, {10}, proc.string()),
            (std::vector<Process>{{20, "python3"}, {30, ""}}));
  std::filesystem::remove_all(proc);
}

}  // namespace
}  // namespace assay
