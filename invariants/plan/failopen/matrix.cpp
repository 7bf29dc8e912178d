// SPDX-License-Identifier: Apache-2.0
// All rows of the matrix, and the table that people read.
#include <sstream>

#include "invariants/plan/failopen/planted.h"

namespace assay {

std::vector<Planted> all_rows() {
  std::vector<Planted> all;
  for (const auto& rows : {figure_rows(), missing_rows(), file_rows(), rule_rows(), process_rows(),
                           host_rows(), ctest_rows()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::string matrix_text(const std::vector<Planted>& rows) {
  std::ostringstream text;
  text << "| row | planted | verdict | exit |\n|---|---|---|---|\n";
  for (const Planted& row : rows) {
    text << "| " << row.id << " | " << row.condition << " | " << row.verdict << " | " << row.code
         << " |\n";
  }
  return text.str();
}

}  // namespace assay
