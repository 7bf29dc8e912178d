// SPDX-License-Identifier: Apache-2.0
// The steps of a run as JUnit XML. CTest's own writer calls a test that was blocked "skipped" and
// drops every measurement; this one does neither.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace assay {

enum class CaseResult { passed, failed, skipped };

struct JUnitCase {
  std::string name;
  CaseResult result = CaseResult::failed;
  double seconds = 0.0;
  std::string message;  ///< why, for every result but passed
  std::string output;
  std::vector<std::pair<std::string, std::string>> measurements;  ///< path, number
};

struct JUnitSuite {
  std::string name;       ///< for example the run id
  std::string timestamp;  ///< UTC
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<JUnitCase> cases;
};

std::string junit_text(const JUnitSuite& suite);

}  // namespace assay
