// SPDX-License-Identifier: Apache-2.0
// Does `assay explain` list, explain, and name what was meant?
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "invariants/test_support.h"

namespace {

using assay::test::Ended;

Ended explain(const std::string& arguments) {
  return assay::test::run_verb_program("explain", arguments);
}

TEST(ExplainVerb, ListsEveryInvariantWithItsTitle) {
  const assay::Rules rules = assay::test::rules();
  const Ended listed = explain("");
  EXPECT_EQ(listed.code, 0);
  EXPECT_EQ(static_cast<std::size_t>(std::count(listed.out.begin(), listed.out.end(), '\n')),
            rules.catalog.invariants.size());
  EXPECT_NE(listed.out.find(rules.catalog.find("latency.order")->title), std::string::npos);
  const auto json = nlohmann::json::parse(explain("--json").out);
  EXPECT_EQ(json.at("invariants").size(), rules.catalog.invariants.size());
}

TEST(ExplainVerb, AMistypedIdIsOneLineWithTheNearest) {
  const Ended ended = explain("latency.odrer");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.out.find("did you mean `latency.order`?"), std::string::npos) << ended.out;
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 1);
}

TEST(ExplainVerb, SaysTheBandOfACapability) {
  const Ended ended = explain("dram.read_share --cc 8.6 --product 'NVIDIA A40'");
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.out.find("NVIDIA A40 (8.6): in 0.6 to 1.01"), std::string::npos) << ended.out;
  EXPECT_EQ(explain("dram.read_share --cc nine").code, 2);
  EXPECT_EQ(explain("dram.read_share --cc 9.").code, 2);
  const auto json = nlohmann::json::parse(explain("dram.read_share --json --cc 8.7").out);
  EXPECT_EQ(json.at("here"), "compute capability 8.7: not applicable, no band for it");
  EXPECT_EQ(json.at("bands").at(0).at("low"), 0.8);
}

}  // namespace
