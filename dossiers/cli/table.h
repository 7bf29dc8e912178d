// SPDX-License-Identifier: Apache-2.0
// How do rows and columns stand in a terminal?
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay {

/// Columns as wide as their widest cell, two blanks between; the first column and those named in
/// `left` are aligned to the left, others to the right. Control characters become '?'.
class Table {
 public:
  explicit Table(std::vector<std::string> head, std::set<std::size_t> left = {});
  /// One cell per column, missing ones empty.
  void row(std::vector<std::string> cells);
  /// The head, a rule, the rows; each line ends without blanks.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::set<std::size_t> left_;
};

/// `decimals` digits after the point, or "-" for null.
std::string fixed(std::optional<double> value, int decimals);
/// At most `digits` significant digits without an exponent below 1e15, or "-" for null.
std::string shortest(std::optional<double> value, int digits = 4);

}  // namespace assay
