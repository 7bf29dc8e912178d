// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/attribute_names.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(AttributeNames, UnknownIdsAreNumbered) {
  EXPECT_EQ(attribute_name(10), "warp_size");
  EXPECT_EQ(attribute_name(390), "attribute_390");
  EXPECT_EQ(attribute_name(0), "attribute_0");
}

TEST(AttributeNames, UnitsStandInTheNamesThatHideThem) {
  EXPECT_EQ(attribute_name(13), "clock_rate_khz");
  EXPECT_EQ(attribute_name(36), "memory_clock_rate_khz");
  EXPECT_EQ(attribute_name(37), "global_memory_bus_width_bits");
}

TEST(AttributeNames, TheHeadersEndMarkerIsNoAttribute) {
  EXPECT_EQ(attribute_name(148), "atomic_reduction_supported");
  for (int id = 1; id <= kMaxAttributeId; ++id) EXPECT_NE(attribute_name(id), "max") << id;
}

/// Where a toolkit lies here, no number of its header is without a name.
TEST(AttributeNames, CoverTheToolkitsHeader) {
  std::ifstream header(ASSAY_CUDA_HEADER);
  if (!header) GTEST_SKIP() << "no cuda.h here";
  const std::regex enumerator(R"(^\s*CU_DEVICE_ATTRIBUTE_([A-Z0-9_]+)\s*=\s*(\d+),)");
  std::map<int, std::string> found;
  for (std::string line; std::getline(header, line);) {
    std::smatch match;
    if (line.find("CU_DEVICE_ATTRIBUTE_") == std::string::npos) continue;
    if (std::regex_search(line, match, enumerator)) found[std::stoi(match[2])] = match[1];
  }
  EXPECT_GE(found.size(), 140U);
  for (const auto& [id, name] : found) {
    EXPECT_EQ(attribute_name(id).find("attribute_"), std::string::npos) << id << " " << name;
  }
}

}  // namespace
}  // namespace assay
