// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/device_list.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "dossiers/test_support.h"

namespace assay {
namespace {

/// Points the driver layer at the pretended libraries, and forgets it afterwards.
class Driver : public ::testing::Test {
 protected:
  void SetUp() override {
    clear();
    setenv("ASSAY_LIBCUDA", FAKE_CUDA, 1);
    setenv("ASSAY_LIBNVML", FAKE_NVML, 1);
  }
  void TearDown() override { clear(); }

  static void clear() {
    for (const char* name :
         {"ASSAY_LIBCUDA", "ASSAY_LIBNVML", "ASSAY_FAKE_GPUS", "ASSAY_FAKE_SCENARIO",
          "ASSAY_FAKE_CUINIT", "ASSAY_FAKE_NVML_INIT", "CUDA_VISIBLE_DEVICES"}) {
      unsetenv(name);
    }
  }

  static std::vector<ListedDevice> list() {
    const LibCuda cuda;
    std::string why;
    const auto nvml = load_nvml(why);
    return list_devices(cuda, nvml.get(), why);
  }

  static std::string absence() {
    try {
      const LibCuda cuda;
    } catch (const NoDevice& error) {
      return error.what();
    }
    return "there is a device";
  }
};

std::string refusal(const std::vector<ListedDevice>& devices, const std::string& wanted) {
  try {
    select_device(devices, wanted);
  } catch (const BadChoice& error) {
    return error.what();
  }
  return "accepted";
}

TEST_F(Driver, AMissingLibraryIsNoDevice) {
  setenv("ASSAY_LIBCUDA", "/nonexistent/libcuda.so.1", 1);
  EXPECT_TRUE(contains(absence(), "no libcuda: /nonexistent/libcuda.so.1")) << absence();
}

TEST_F(Driver, ALibraryWithoutTheDriversFunctionsIsNoDriver) {
  setenv("ASSAY_LIBCUDA", FAKE_EMPTY, 1);
  EXPECT_EQ(absence(), "no driver: the library has no cuInit");
}

TEST_F(Driver, ADriverThatFailsSaysSoInItsOwnWord) {
  setenv("ASSAY_FAKE_CUINIT", "999", 1);
  EXPECT_EQ(absence(), "no driver: cuInit says CUDA_ERROR_UNKNOWN");
  setenv("ASSAY_FAKE_CUINIT", "803", 1);
  EXPECT_EQ(absence(), "no driver: cuInit says error 803");
}

TEST_F(Driver, NoGpuNamesTheVariableThatHidesIt) {
  setenv("ASSAY_FAKE_GPUS", "0", 1);
  EXPECT_EQ(absence(), "no GPU: the driver sees none");
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(absence(), "no GPU: the driver sees none with CUDA_VISIBLE_DEVICES=''");
}

TEST_F(Driver, OneDeviceHasItsIdentityFromBothLibraries) {
  const auto devices = list();
  ASSERT_EQ(devices.size(), 1U);
  const DeviceIdentity& identity = devices[0].identity;
  EXPECT_EQ(identity.uuid, "GPU-10112233-4455-6677-8899-aabbccddee10");
  EXPECT_EQ(identity.name, "NVIDIA Pretend H200");
  EXPECT_EQ(identity.pci_bus_id, "0000:10:00.0");
  EXPECT_EQ(identity.cc_major, 9);
  EXPECT_EQ(identity.cc_minor, 0);
  EXPECT_EQ(identity.driver, "580.159.04");
  EXPECT_EQ(identity.driver_cuda, 13000);
  EXPECT_EQ(identity.vbios, "96.00.A5.00.1A");
  EXPECT_EQ(identity.ecc, true);
  EXPECT_EQ(identity.mig, false);
  EXPECT_EQ(identity.power_limit_w, 700.0);
  EXPECT_EQ(devices[0].memory_bytes.value, 150754820096U);
  EXPECT_EQ(devices[0].attributes.at("sm_count").value, 132);
  EXPECT_EQ(devices[0].nvml.how, "by UUID");
}

TEST_F(Driver, CaseA06CrossedOrdersAreMatchedByDeviceAndNeverByIndex) {
  setenv("ASSAY_FAKE_SCENARIO", "crossed", 1);
  const auto devices = list();
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].identity.pci_bus_id, "0000:41:00.0");
  EXPECT_EQ(devices[0].ordinal, 1);
  EXPECT_EQ(devices[0].nvml.index, 0U);
  EXPECT_EQ(devices[1].identity.pci_bus_id, "0000:c1:00.0");
  EXPECT_EQ(devices[1].ordinal, 0);
  EXPECT_EQ(devices[1].nvml.index, 2U);
}

TEST_F(Driver, CaseA06ThePciIdMatchesWhereUuidsDiffer) {
  setenv("ASSAY_FAKE_SCENARIO", "crossed nvml_by_pci", 1);
  const auto devices = list();
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].nvml.index, 0U);
  EXPECT_EQ(devices[0].nvml.how, "by PCI id");
  EXPECT_EQ(devices[1].nvml.index, 2U);
}

TEST_F(Driver, CaseA06ADeviceThatNvmlDoesNotListStaysUnknown) {
  setenv("ASSAY_FAKE_SCENARIO", "nvml_elsewhere", 1);
  const auto devices = list();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_FALSE(devices[0].nvml.index.has_value());
  EXPECT_TRUE(contains(devices[0].nvml.how, "no device with this UUID or PCI id"));
  EXPECT_EQ(devices[0].nvml_handle, nullptr);
  EXPECT_FALSE(devices[0].identity.power_limit_w.has_value());
  EXPECT_EQ(devices[0].identity.ecc, true) << "libcuda knows it";
}

TEST_F(Driver, CaseA06ASliceIsMatchedToItsParentAndSaysSo) {
  setenv("ASSAY_FAKE_SCENARIO", "mig", 1);
  const auto devices = list();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].identity.uuid.substr(0, 6), "MIG-10");
  EXPECT_EQ(devices[0].identity.mig, true);
  EXPECT_EQ(devices[0].nvml.index, 0U);
  EXPECT_EQ(devices[0].nvml.how, "by UUID of the slice's parent GPU");
  EXPECT_NE(devices[0].slice_handle, nullptr);
}

TEST_F(Driver, UnsupportedQueriesLeaveTheRestAlone) {
  setenv("ASSAY_FAKE_SCENARIO", "fields_unsupported", 1);
  const auto devices = list();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].identity.driver, "580.159.04");
  EXPECT_FALSE(devices[0].identity.vbios.has_value());
  EXPECT_FALSE(devices[0].identity.power_limit_w.has_value());
  const Nvml nvml;
  const Answer<double> clock = nvml.sm_clock_mhz(devices[0].nvml_handle);
  EXPECT_FALSE(clock);
  EXPECT_EQ(clock.why, "Not Supported");
  EXPECT_EQ(nvml.power_cap_ns(devices[0].nvml_handle).why, "Not Supported");
}

TEST_F(Driver, AnOldDriverWithoutSomeFunctionsStillLists) {
  setenv("ASSAY_LIBCUDA", FAKE_CUDA_OLD, 1);
  const auto devices = list();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].identity.uuid, "GPU-10112233-4455-6677-8899-aabbccddee10");
  EXPECT_FALSE(devices[0].memory_bytes);
  EXPECT_EQ(devices[0].memory_bytes.why, "this driver has no cuDeviceTotalMem_v2");
}

TEST_F(Driver, WithoutNvmlTheDeviceIsListedAndTheReasonKept) {
  setenv("ASSAY_LIBNVML", "/nonexistent/libnvidia-ml.so.1", 1);
  const auto devices = list();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].identity.driver, "");
  EXPECT_TRUE(contains(devices[0].nvml.how, "/nonexistent/libnvidia-ml.so.1"));
  setenv("ASSAY_LIBNVML", FAKE_NVML, 1);
  setenv("ASSAY_FAKE_NVML_INIT", "9", 1);
  EXPECT_EQ(list()[0].nvml.how, "nvmlInit_v2 says Driver Not Loaded");
  setenv("ASSAY_LIBNVML", FAKE_EMPTY, 1);
  EXPECT_EQ(list()[0].nvml.how, "this NVML has no nvmlInit_v2");
}

TEST_F(Driver, TheOnlyDeviceNeedsNoChoice) {
  EXPECT_EQ(select_device(list(), ""), 0U);
}

TEST_F(Driver, SeveralDevicesNeedAChoiceAndAreListed) {
  setenv("ASSAY_FAKE_GPUS", "3", 1);
  const std::string text = refusal(list(), "");
  EXPECT_TRUE(contains(text, "several devices")) << text;
  EXPECT_TRUE(contains(text,
                       "0: GPU-10112233-4455-6677-8899-aabbccddee10 NVIDIA Pretend H200 "
                       "0000:10:00.0"))
      << text;
  EXPECT_TRUE(contains(text, "2: GPU-30112233-4455-6677-8899-aabbccddee30")) << text;
}

TEST_F(Driver, AnIndexCountsInPciOrder) {
  setenv("ASSAY_FAKE_SCENARIO", "crossed", 1);
  const auto devices = list();
  EXPECT_EQ(devices[select_device(devices, "0")].identity.pci_bus_id, "0000:41:00.0");
  EXPECT_EQ(devices[select_device(devices, "1")].identity.pci_bus_id, "0000:c1:00.0");
  EXPECT_TRUE(contains(refusal(devices, "2"), "out of range 0..1"));
  EXPECT_TRUE(contains(refusal(devices, "2"), "0: GPU-41"));
}

TEST_F(Driver, AUuidMayBeShortAndInAnyCase) {
  setenv("ASSAY_FAKE_GPUS", "2", 1);
  const auto devices = list();
  EXPECT_EQ(select_device(devices, "GPU-20112233-4455-6677-8899-aabbccddee20"), 1U);
  EXPECT_EQ(select_device(devices, "gpu-20112233"), 1U);
  EXPECT_EQ(select_device(devices, "20112233"), 1U);
  EXPECT_EQ(select_device(devices, "GPU-20112233-4455-6677-8899-AABB"), 1U);
}

TEST_F(Driver, ChoicesThatNameNothingAreRefused) {
  setenv("ASSAY_FAKE_GPUS", "2", 1);
  const auto devices = list();
  for (const char* wanted : {"GPU-2011223", "GPU-99999999", "MIG-20112233", "-1", "0x1", "1.0",
                             "first", "GPU-", "00000000"}) {
    EXPECT_TRUE(contains(refusal(devices, wanted), "the devices are 0: GPU-10")) << wanted;
  }
}

TEST_F(Driver, AnAmbiguousBeginningIsRefused) {
  setenv("ASSAY_FAKE_GPUS", "2", 1);
  setenv("ASSAY_FAKE_SCENARIO", "same_prefix", 1);
  const auto devices = list();
  EXPECT_TRUE(contains(refusal(devices, "GPU-ab112233"), "several UUIDs"));
  EXPECT_EQ(select_device(devices, "GPU-ab112233-4455-6677-8899-aabbccddee20"), 1U);
}

}  // namespace
}  // namespace assay
