// SPDX-License-Identifier: Apache-2.0
// How do rows and columns stand in a terminal?
#include "dossiers/cli/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace assay {
namespace {

/// Characters, not bytes: continuation bytes of UTF-8 take no place.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(std::count_if(cell.begin(), cell.end(), [](char letter) {
    return (static_cast<unsigned char>(letter) & 0xc0U) != 0x80U;
  }));
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

Table::Table(std::vector<std::string> head, std::set<std::size_t> left) : left_(std::move(left)) {
  left_.insert(0);
  rows_.push_back(std::move(head));
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(rows_.front().size());
  for (std::string& cell : cells) {
    for (char& letter : cell) {
      const auto code = static_cast<unsigned char>(letter);
      letter = code < 0x20 || code == 0x7f ? '?' : letter;
    }
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  std::size_t total = 0;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - width_of(row[i]), ' ');
      line += (i == 0 ? "" : "  ") + (left_.count(i) != 0 ? row[i] + blanks : blanks + row[i]);
    }
    total = std::max(total, width_of(line));
    out += trimmed(line);
    if (&row == &rows_.front()) out += std::string(total, '-') + "\n";
  }
  return out;
}

std::string fixed(std::optional<double> value, int decimals) {
  if (!value || !std::isfinite(*value)) return "-";
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), *value,
                                 std::chars_format::fixed, decimals);
  return {text.data(), end.ptr};
}

std::string shortest(std::optional<double> value, int digits) {
  if (!value || !std::isfinite(*value)) return "-";
  if (*value == 0.0) return "0";
  const int before = static_cast<int>(std::floor(std::log10(std::fabs(*value)))) + 1;
  std::string text = fixed(value, std::clamp(digits - before, 0, 12));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace assay
