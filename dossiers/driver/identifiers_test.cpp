// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/identifiers.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(PciIds, AreTheSameHoweverTheDomainAndCaseAreWritten) {
  const auto id = parse_pci_id("00000000:C1:00.0");
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(id, parse_pci_id("0000:c1:00.0"));
  EXPECT_EQ(id, parse_pci_id("c1:00.0"));
  EXPECT_EQ(to_string(*id), "0000:c1:00.0");
}

TEST(PciIds, KeepADomainThatNeedsMoreDigits) {
  const auto id = parse_pci_id("00012345:0A:1f.7");
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(to_string(*id), "12345:0a:1f.7");
  EXPECT_NE(id, parse_pci_id("2345:0a:1f.7"));
}

TEST(PciIds, RefuseWhatIsNone) {
  for (const char* text : {"", "c1", "c1:00", ":00.0", "0000:c1:00.", "0000:g1:00.0",
                           "0000:c1:00.0 ", "1:0000:c1:00.0", "0000:1c1:00.0", "0.0:c1"}) {
    EXPECT_FALSE(parse_pci_id(text).has_value()) << text;
  }
}

TEST(Uuids, AreWrittenInGroupsOfHexDigits) {
  UuidBytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes.at(i) = static_cast<std::uint8_t>(0x11 * i);
  }
  EXPECT_EQ(format_uuid("GPU-", bytes), "GPU-00112233-4455-6677-8899-aabbccddeeff");
}

}  // namespace
}  // namespace assay
