// SPDX-License-Identifier: Apache-2.0
// The steps of a run as JUnit XML.
#include "invariants/plan/junit.h"

#include <algorithm>
#include <cstdio>

#include "invariants/plan/facts_text.h"

namespace assay {
namespace {

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + xml_escaped(value) + "\"";
}

std::string seconds_text(double seconds) {
  char buffer[32];
  static_cast<void>(std::snprintf(buffer, sizeof buffer, "%.3f", seconds));
  return buffer;
}

std::string properties_text(const std::vector<std::pair<std::string, std::string>>& properties,
                            const char* indent) {
  if (properties.empty()) {
    return "";
  }
  std::string text = std::string(indent) + "<properties>\n";
  for (const auto& [name, value] : properties) {
    text += std::string(indent) + "  <property" + attribute("name", name) +
            attribute("value", value) + "/>\n";
  }
  return text + indent + "</properties>\n";
}

std::string case_text(const JUnitCase& one) {
  std::string text = "  <testcase" + attribute("classname", "assay") + attribute("name", one.name) +
                     attribute("time", seconds_text(one.seconds)) + ">\n";
  text += properties_text(one.measurements, "    ");
  if (one.result == CaseResult::failed) {
    text += "    <failure" + attribute("message", one.message) + "/>\n";
  } else if (one.result == CaseResult::skipped) {
    text += "    <skipped" + attribute("message", one.message) + "/>\n";
  }
  if (!one.output.empty()) {
    text += "    <system-out>" + xml_escaped(one.output) + "</system-out>\n";
  }
  return text + "  </testcase>\n";
}

std::size_t count(const JUnitSuite& suite, CaseResult result) {
  return static_cast<std::size_t>(
      std::count_if(suite.cases.begin(), suite.cases.end(),
                    [&](const JUnitCase& one) { return one.result == result; }));
}

}  // namespace

std::string junit_text(const JUnitSuite& suite) {
  double seconds = 0.0;
  for (const auto& one : suite.cases) {
    seconds += one.seconds;
  }
  auto properties = suite.properties;
  properties.emplace_back("passed", std::to_string(count(suite, CaseResult::passed)));
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite";
  text += attribute("name", suite.name);
  text += attribute("tests", std::to_string(suite.cases.size()));
  text += attribute("failures", std::to_string(count(suite, CaseResult::failed)));
  text += attribute("errors", "0");
  text += attribute("skipped", std::to_string(count(suite, CaseResult::skipped)));
  text += attribute("time", seconds_text(seconds));
  text += attribute("timestamp", suite.timestamp) + ">\n";
  text += properties_text(properties, "  ");
  for (const auto& one : suite.cases) {
    text += case_text(one);
  }
  return text + "</testsuite>\n";
}

}  // namespace assay
