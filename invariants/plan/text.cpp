// SPDX-License-Identifier: Apache-2.0
// How is foreign text made safe to keep, and how is a number or a name shown to a person?
#include "invariants/plan/text.h"

#include <algorithm>
#include <cstdio>

namespace assay {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool continues(std::string_view text, std::size_t i) {
  return i < text.size() && (byte_at(text, i) & 0xC0u) == 0x80u;
}

/// Bytes of the character at `i`; 0 when it is not UTF-8 (overlong and surrogate forms included).
std::size_t character_length(std::string_view text, std::size_t i) {
  const unsigned char lead = byte_at(text, i);
  if (lead < 0x80u) {
    return (lead >= 0x20u && lead != 0x7Fu) || lead == '\n' || lead == '\t' ? 1 : 0;
  }
  const std::size_t length = lead >= 0xF0u ? 4 : lead >= 0xE0u ? 3 : 2;
  if (lead < 0xC2u || lead > 0xF4u) {
    return 0;
  }
  for (std::size_t k = 1; k < length; ++k) {
    if (!continues(text, i + k)) {
      return 0;
    }
  }
  const unsigned char second = byte_at(text, i + 1);
  const bool wrong = (lead == 0xE0u && second < 0xA0u) || (lead == 0xEDu && second > 0x9Fu) ||
                     (lead == 0xF0u && second < 0x90u) || (lead == 0xF4u && second > 0x8Fu);
  return wrong ? 0 : length;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string utf8_tail(std::string_view text, std::size_t limit) {
  if (text.size() > limit) {
    text.remove_prefix(text.size() - limit);
    for (int skipped = 0; skipped < 3 && continues(text, 0); ++skipped) {
      text.remove_prefix(1);
    }
  }
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (length == 0) {
      result.push_back('?');
      ++i;
      continue;
    }
    result.append(text.substr(i, length));
    i += length;
  }
  return result;
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  const auto newline = text.rfind('\n');
  return newline == std::string::npos ? text : text.substr(newline + 1);
}

std::string compact(double value) {
  char buffer[32];
  static_cast<void>(std::snprintf(buffer, sizeof buffer, "%.4g", value));
  return buffer;
}

std::string nearest(std::string_view given, const std::vector<std::string>& names) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, given.size() / 3) + 1;
  for (const auto& name : names) {
    const std::size_t distance = edit_distance(given, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace assay
