// SPDX-License-Identifier: Apache-2.0
// The run plan as a file that ctest includes.
#include "invariants/plan/graph.h"

#include <cmath>

namespace assay {
namespace {

constexpr const char* kStep = "\"${CMAKE_CURRENT_LIST_DIR}/../../libexec/assay/assay-step\"";

/// A bracket argument: nothing inside is expanded.
std::string bracketed(const std::string& text) {
  return "[==[" + text + "]==]";
}

std::string list(const std::vector<std::string>& items) {
  std::string joined;
  for (const auto& item : items) {
    joined += (joined.empty() ? "" : ";") + item;
  }
  return bracketed(joined);
}

void add_property(std::string& text, const char* name, const std::string& value) {
  text += std::string("\n  ") + name + " " + value;
}

void add_list(std::string& text, const char* name, const std::vector<std::string>& items) {
  if (!items.empty()) {
    add_property(text, name, list(items));
  }
}

std::string test_text(const Step& step, const std::string& program) {
  const std::string name = bracketed(step.name);
  std::string text = "\nadd_test(";
  text.append(name).append(" ").append(program);
  for (const auto& argument : step.arguments) {
    text.append(" ").append(bracketed(argument));
  }
  text.append(")\nset_tests_properties(").append(name).append(" PROPERTIES");
  add_property(text, "TIMEOUT", std::to_string(std::lround(std::ceil(step.timeout_s))));
  add_list(text, "LABELS", step.labels);
  add_list(text, "FIXTURES_SETUP", step.fixtures_setup);
  add_list(text, "FIXTURES_REQUIRED", step.fixtures_required);
  add_list(text, "FIXTURES_CLEANUP", step.fixtures_cleanup);
  add_list(text, "DEPENDS", step.depends);
  add_list(text, "RESOURCE_LOCK", step.resource_locks);
  add_list(text, "ENVIRONMENT", step.environment);
  if (step.serial) {
    add_property(text, "RUN_SERIAL", "TRUE");
  }
  if (step.may_skip) {
    add_property(text, "SKIP_RETURN_CODE", "77");
  }
  return text + ")\n";
}

std::string tests_text(const std::vector<Step>& steps, const std::string& program) {
  std::string text;
  for (const auto& step : steps) {
    text += test_text(step, program);
  }
  return text;
}

}  // namespace

std::string graph_text(const std::vector<Step>& steps) {
  return "# SPDX-License-Identifier: Apache-2.0\n"
         "# The test graph of a certification, written from the catalogue and the run plan by\n"
         "# assay-write-graph. For ctest; every path is relative to this file.\n" +
         tests_text(steps, kStep);
}

std::string graph_text(const std::vector<Step>& steps, const std::filesystem::path& program) {
  return tests_text(steps, bracketed(program.string()));
}

}  // namespace assay
