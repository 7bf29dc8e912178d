// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/info.h"

#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dossiers/cli/verb_test_support.h"
#include "dossiers/peaks.h"

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

const CardList& cards() {
  static const CardList list = read_cards(ASSAY_TEST_SOURCE_DIR "/dossiers/cards/cards.json");
  return list;
}

TEST_F(Info, EveryAttributeThatTheDriverAnswersIsThere) {
  const auto json = nlohmann::json::parse(info_json(gather_info("")));
  const auto& list = json["devices"][0]["driver_attributes"];
  EXPECT_EQ(list.size(), 21U);
  EXPECT_EQ(list[0], (nlohmann::json{{"id", 13}, {"name", "clock_rate_khz"}, {"value", 1980000}}));
  EXPECT_EQ(list[20], (nlohmann::json{{"id", 390}, {"name", "attribute_390"}, {"value", 7}}));
  EXPECT_NE(info_table(gather_info(""), true).find("attribute_390"), std::string::npos);
  EXPECT_EQ(info_table(gather_info(""), false).find("attribute_390"), std::string::npos);
}

TEST_F(Info, OneFailingAttributeNeverCostsTheOthers) {
  setenv("ASSAY_FAKE_SCENARIO", "no_39", 1);
  const auto json = nlohmann::json::parse(info_json(gather_info("")));
  EXPECT_EQ(json["devices"][0]["driver_attributes"].size(), 20U);
  EXPECT_TRUE(json["devices"][0]["attributes"]["max_threads_per_sm"].is_null());
}

const StatedPeak& peak(const DeviceInfo& info, std::size_t index) {
  return info.peaks.at(index);
}

TEST_F(Info, PeaksSayFromWhatTheyFollow) {
  const auto infos = gather_info("", &cards());
  EXPECT_NEAR(*peak(infos[0], 0).value, 4814.304, 1e-3);
  EXPECT_NEAR(*peak(infos[0], 1).value, 66.91, 0.005);  // 132 SMs, 256 FLOP/clk, 1980 MHz
  EXPECT_NE(peak(infos[0], 1).from.find("132 SMs x 256 FLOP/clk (9.0)"), std::string::npos);
  for (std::size_t i = 2; i < infos[0].peaks.size(); ++i) {
    EXPECT_FALSE(peak(infos[0], i).value) << "an unknown product must not use another card's";
    EXPECT_EQ(peak(infos[0], i).from, "no card of the list has this name");
  }
}

TEST_F(Info, AKnownProductHasItsVendorsPeaks) {
  DeviceInfo info = gather_info("", &cards()).at(0);
  info.card = match_driver_name(cards(), "NVIDIA H200");
  const auto peaks = stated_peaks(info);
  EXPECT_EQ(peaks.at(5).name, "bf16 tensor");
  EXPECT_DOUBLE_EQ(*peaks.at(5).value, 989.5);
  EXPECT_EQ(peaks.at(5).from, "vendor: h200-sxm-141gb");
}

TEST_F(Info, AnUnknownCapabilityHasNoGuessedPeak) {
  DeviceInfo info = gather_info("").at(0);
  info.device.identity.cc_major = 13;
  EXPECT_FALSE(stated_peaks(info).at(1).value);
  EXPECT_NE(stated_peaks(info).at(1).from.find("13.0"), std::string::npos);
}

TEST_F(Info, CaseA03_AMemoryClockOf0GivesNoPeak) {
  DeviceInfo info = gather_info("").at(0);
  info.dram_peak_gbs = dram_peak_gbs(0, 6016);
  EXPECT_FALSE(stated_peaks(info).at(0).value);
  EXPECT_NE(info_table({info}).find("unknown"), std::string::npos);
}

TEST_F(Info, NvmlAddsKindMemoryAndLinks) {
  setenv("ASSAY_FAKE_GPUS", "2", 1);
  const auto json = nlohmann::json::parse(info_json(gather_info("")));
  const auto& nvml = json["devices"][0]["nvml"];
  EXPECT_EQ(nvml["architecture"], "Hopper");
  EXPECT_EQ(nvml["cores"], 16896);
  EXPECT_EQ(nvml["memory_used_bytes"], 754820096);
  EXPECT_EQ(nvml["pcie_generation"], 4);
  EXPECT_EQ(nvml["pcie_width_max"], 16);
  EXPECT_EQ(nvml["active_nvlinks"], 18);
  const auto& paths = json["devices"][0]["place"]["paths"];
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0], (nlohmann::json{{"to", 1}, {"through", "one NUMA node"}}));
}

TEST_F(Info, CaseA01_AMemorySizeOf0IsUnknown) {
  setenv("ASSAY_FAKE_SCENARIO", "no_memory", 1);
  const auto json = nlohmann::json::parse(info_json(gather_info("")));
  EXPECT_TRUE(json["devices"][0]["nvml"]["memory_total_bytes"].is_null());
  setenv("ASSAY_FAKE_SCENARIO", "fields_unsupported", 1);
  const auto unsupported = nlohmann::json::parse(info_json(gather_info("")));
  EXPECT_TRUE(unsupported["devices"][0]["nvml"]["cores"].is_null());
  EXPECT_TRUE(unsupported["devices"][0]["nvml"]["active_nvlinks"].is_null());
}

TEST_F(Info, ThePlaceIsReadFromSysfsOrUnknown) {
  const TempFolder sysfs;
  sysfs.write("bus/pci/devices/0000:10:00.0/numa_node", "1\n");
  sysfs.write("bus/pci/devices/0000:10:00.0/local_cpulist", "0-15,32-47\n");
  sysfs.write("bus/pci/devices/0000:20:00.0/numa_node", "-1\n");
  const DevicePlace place = place_of("0000:10:00.0", sysfs.path().string());
  EXPECT_EQ(place.numa_node, 1);
  EXPECT_EQ(place.cpus, "0-15,32-47");
  EXPECT_FALSE(place_of("0000:20:00.0", sysfs.path().string()).numa_node);
  EXPECT_FALSE(place_of("0000:30:00.0", sysfs.path().string()).numa_node);
  EXPECT_FALSE(place_of("", sysfs.path().string()).numa_node);
}

TEST_F(Info, TheFingerprintIsOfTheKindNotOfTheOne) {
  setenv("ASSAY_FAKE_GPUS", "2", 1);
  const auto infos = gather_info("");
  EXPECT_EQ(infos[0].fingerprint, infos[1].fingerprint);
  EXPECT_EQ(infos[0].fingerprint.size(), 64U);
  DeviceInfo capped = infos[0];
  capped.device.identity.power_limit_w = 600.0;
  EXPECT_NE(fingerprint_of(capped), infos[0].fingerprint);
  DeviceInfo without_ecc = infos[0];
  without_ecc.device.identity.ecc = false;
  EXPECT_NE(fingerprint_of(without_ecc), infos[0].fingerprint);
}

TEST_F(Info, TheExampleOfItsHelpWorksOnThePretendedDriver) {
  const std::string example = example_of_help("info");
  EXPECT_EQ(example, "info --json --device 0");
  const EndedVerb ended = run_built_verb(example);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(nlohmann::json::parse(ended.out)["devices"].size(), 1U);
  EXPECT_EQ(run_built_verb("info", "LC_ALL=de_DE.UTF-8").out, run_built_verb("info").out);
}

TEST_F(Info, WithoutADeviceSaysWhyInItsDocument) {
  const auto json = nlohmann::json::parse(info_json({}, "no GPU: the driver sees none"));
  EXPECT_EQ(json["reason"], "no GPU: the driver sees none");
  EXPECT_TRUE(json["devices"].empty());
}

}  // namespace
}  // namespace assay
