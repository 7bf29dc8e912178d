// SPDX-License-Identifier: Apache-2.0
// How is foreign text made safe to keep, and how is a number or a name shown to a person?
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The last `limit` bytes of `text` at most, cut between characters; bytes that are not UTF-8 and
/// control characters other than tab and newline become '?'.
std::string utf8_tail(std::string_view text, std::size_t limit);

/// The last line of `text` that is not empty, without its newline.
std::string last_line(std::string text);

/// Four significant digits, no trailing zeros: "0.3512", "4623", "1.2e+09".
std::string compact(double value);

/// The name in `names` that `given` most likely meant, or "" when none is near.
std::string nearest(std::string_view given, const std::vector<std::string>& names);

}  // namespace assay
