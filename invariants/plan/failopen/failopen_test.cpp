// SPDX-License-Identifier: Apache-2.0
// The fail-open matrix: each planted condition gives exactly its verdict and its exit code, and
// none of them is a pass.
#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "dossiers/json/json_reader.h"
#include "invariants/plan/failopen/planted.h"
#include "invariants/verdict.h"

namespace assay {

/// So that a failed test names its row.
void PrintTo(const Planted& row, std::ostream* out) {
  *out << row.id << ": " << row.condition;
}

namespace {

class FailOpen : public PlantedTree, public ::testing::WithParamInterface<Planted> {};

TEST_P(FailOpen, NeverPasses) {
  const Planted& row = GetParam();
  const CameOf came = row.plant(*this);
  EXPECT_EQ(came.verdict, row.verdict) << came.text;
  EXPECT_EQ(came.code, row.code) << came.text;
  EXPECT_NE(came.text.find(row.says), std::string::npos) << "does not say `" << row.says << "`:\n"
                                                         << came.text;
}

INSTANTIATE_TEST_SUITE_P(Row, FailOpen, ::testing::ValuesIn(all_rows()),
                         [](const auto& row) { return std::string(row.param.id); });

TEST(FailOpenMatrix, HasAtLeastFiftyRowsOfTheirOwn) {
  std::set<std::string> ids, conditions;
  for (const Planted& row : all_rows()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id << " is there twice";
    EXPECT_TRUE(conditions.insert(std::string(row.id).substr(0, 1) + row.condition).second)
        << row.condition << " is there twice";
  }
  EXPECT_GE(ids.size(), 50U);
}

TEST(FailOpenMatrix, NoRowIsAPass) {
  for (const Planted& row : all_rows()) {
    EXPECT_NE(row.code, 0) << row.id;
    const auto outcome = outcome_from(row.verdict);
    EXPECT_TRUE(outcome || std::string(row.verdict) == "none") << row.id;
    EXPECT_TRUE(outcome != Outcome::pass && outcome != Outcome::waived) << row.id;
  }
}

TEST(FailOpenMatrix, TheReadmeHoldsThisTable) {
  const std::string readme = read_file(std::filesystem::path(ASSAY_TEST_SOURCE_DIR) /
                                       "invariants/plan/failopen/README.md");
  const std::string table = matrix_text(all_rows());
  EXPECT_NE(readme.find(table), std::string::npos)
      << "the table between <!-- matrix --> and <!-- /matrix --> should be\n"
      << table;
}

}  // namespace
}  // namespace assay
