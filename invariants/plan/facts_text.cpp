// SPDX-License-Identifier: Apache-2.0
// How is what a probe measured shown to a person, and to CTest?
#include "invariants/plan/facts_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <type_traits>

#include "invariants/plan/text.h"

namespace assay {
namespace {

/// Shortest text that reads back as the same number, without an exponent's locale or padding.
std::string round_trip(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string shown(double value) {
  char buffer[40];
  static_cast<void>(
      std::snprintf(buffer, sizeof buffer, std::fabs(value) < 1e6 ? "%.5g" : "%.6g", value));
  return buffer;
}

struct Row {
  std::string path, value, rest;
};

Row row_of(const std::string& path, const Fact& fact) {
  Row row{path, value_text(fact.value), {}};
  if (fact.units != Unit::none) {
    row.rest = to_string(fact.units);
  }
  if (fact.rel_spread) {
    row.rest += " (spread " + compact(100.0 * *fact.rel_spread) + " %)";
  }
  if (fact.reason) {
    row.rest += ": " + to_string(*fact.reason);
  }
  return row;
}

std::string aligned(const std::string& text, std::size_t width, bool right) {
  const std::string space(width > text.size() ? width - text.size() : 0, ' ');
  return right ? space + text : text + space;
}

}  // namespace

std::string value_text(const Value& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return "null";
        } else if constexpr (std::is_same_v<Held, bool>) {
          return held ? "true" : "false";
        } else if constexpr (std::is_same_v<Held, std::string>) {
          return held;
        } else if constexpr (std::is_same_v<Held, double>) {
          return shown(held);
        } else {
          return std::to_string(held);
        }
      },
      value);
}

std::string facts_text(const Measurements& measurements) {
  std::vector<Row> rows;
  std::size_t path_width = 0, value_width = 0;
  for (const auto& [entry, measurement] : measurements.entries()) {
    for (const auto& [key, fact] : measurement.facts) {
      rows.push_back(row_of(fact_path(entry, key), fact));
      path_width = std::max(path_width, rows.back().path.size());
      value_width = std::max(value_width, rows.back().value.size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    text += aligned(row.path, path_width, false) + "  " + aligned(row.value, value_width, true);
    text += (row.rest.empty() ? "" : " " + row.rest) + "\n";
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> numbers(const Measurements& measurements) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [entry, measurement] : measurements.entries()) {
    for (const auto& [key, fact] : measurement.facts) {
      if (const auto number = as_number(fact.value)) {
        result.emplace_back(fact_path(entry, key), round_trip(*number));
      }
    }
  }
  return result;
}

std::string ctest_measurements(const Measurements& measurements) {
  std::string text;
  for (const auto& [path, number] : numbers(measurements)) {
    text += "<CTestMeasurement type=\"numeric/double\" name=\"" + xml_escaped(path) + "\">" +
            number + "</CTestMeasurement>\n";
  }
  return text;
}

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char c : utf8_tail(text, text.size())) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace assay
