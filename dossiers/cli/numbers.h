// SPDX-License-Identifier: Apache-2.0
// What number, size or pair did somebody type? Strict, and the same in every locale.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

/// All of these throw std::invalid_argument "<flag>: '<text>': want ..." on anything else.

/// A finite decimal number above 0 ("0.33", "1e3"); no sign, no hexadecimal, no blanks.
double positive_number(std::string_view flag, std::string_view text);
/// A finite decimal number of 0 or more.
double number_of_0_or_more(std::string_view flag, std::string_view text);
/// A whole number in [least, most].
int whole_number(std::string_view flag, std::string_view text, int least, int most);
/// A size in bytes: a number with its unit, one of B, kB, MB, GB, TB (powers of 1000), KiB, MiB,
/// GiB, TiB (powers of 1024).
double size_in_bytes(std::string_view flag, std::string_view text);
/// A count with b, m or t for 1e9, 1e6, 1e12 ("70b"), or a plain number of 1e5 or more.
double parameter_count(std::string_view flag, std::string_view text);
/// "name=1.5,other=2": each name once.
std::map<std::string, double> named_prices(std::string_view flag, std::string_view text);

}  // namespace assay
