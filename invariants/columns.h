// SPDX-License-Identifier: Apache-2.0
// Columns of one line, where a table would be too much.
#pragma once

#include <string>
#include <utility>

namespace assay {

/// `text`, filled up with blanks to `width` bytes; longer text stays whole.
inline std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}
/// The same with a blank at least behind it: what follows is a column of its own.
inline std::string column(std::string text, std::size_t width) {
  return padded(std::move(text), width - 1) + ' ';
}

}  // namespace assay
