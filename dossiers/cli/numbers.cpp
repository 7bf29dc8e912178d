// SPDX-License-Identifier: Apache-2.0
// What number, size or pair did somebody type?
#include "dossiers/cli/numbers.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace assay {
namespace {

[[noreturn]] void refuse(std::string_view flag, std::string_view text, std::string_view wanted) {
  throw std::invalid_argument(std::string(flag) + ": '" + std::string(text) + "': want " +
                              std::string(wanted));
}

/// A finite decimal number that `text` is as a whole.
std::optional<double> decimal(std::string_view text) {
  if (text.empty() || (text.front() != '.' && (text.front() < '0' || text.front() > '9'))) {
    return std::nullopt;
  }
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Where the unit begins: after the last digit or point. "1e3" has none.
std::size_t unit_start(std::string_view text) {
  const std::size_t last = text.find_last_of("0123456789.");
  return last == std::string_view::npos ? 0 : last + 1;
}

struct Scale {
  std::string_view unit;
  double factor;
};

std::optional<double> scaled(std::string_view text, const Scale* begin, const Scale* end) {
  const std::size_t start = unit_start(text);
  const auto number = decimal(text.substr(0, start));
  for (const Scale* scale = begin; scale != end; ++scale) {
    if (number && text.substr(start) == scale->unit) return *number * scale->factor;
  }
  return std::nullopt;
}

}  // namespace

double positive_number(std::string_view flag, std::string_view text) {
  const auto value = decimal(text);
  if (!value || !(*value > 0.0)) refuse(flag, text, "a number above 0, such as 0.33");
  return *value;
}

double number_of_0_or_more(std::string_view flag, std::string_view text) {
  const auto value = decimal(text);
  if (!value) refuse(flag, text, "a number of 0 or more, such as 2.5");
  return *value;
}

int whole_number(std::string_view flag, std::string_view text, int least, int most) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < least || value > most) {
    refuse(flag, text,
           "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

double size_in_bytes(std::string_view flag, std::string_view text) {
  static constexpr std::array<Scale, 9> kScales = {{{"B", 1.0},
                                                    {"kB", 1e3},
                                                    {"MB", 1e6},
                                                    {"GB", 1e9},
                                                    {"TB", 1e12},
                                                    {"KiB", 1024.0},
                                                    {"MiB", 1048576.0},
                                                    {"GiB", 1073741824.0},
                                                    {"TiB", 1099511627776.0}}};
  const auto bytes = scaled(text, kScales.data(), kScales.data() + kScales.size());
  if (!bytes) {
    refuse(flag, text,
           "a size with its unit, such as 24GiB or 42.5GB (GB = 1e9 B, GiB = 2^30 B; B, kB, MB, "
           "GB, TB, KiB, MiB, GiB, TiB)");
  }
  return *bytes;
}

double parameter_count(std::string_view flag, std::string_view text) {
  static constexpr std::array<Scale, 6> kScales = {
      {{"b", 1e9}, {"B", 1e9}, {"m", 1e6}, {"M", 1e6}, {"t", 1e12}, {"T", 1e12}}};
  constexpr double kLeast = 1e5;
  auto count = scaled(text, kScales.data(), kScales.data() + kScales.size());
  if (!count) count = decimal(text);
  if (!count || !(*count >= kLeast)) {
    refuse(flag, text, "a parameter count such as 70b, 900m or 1.5t");
  }
  return *count;
}

std::map<std::string, double> named_prices(std::string_view flag, std::string_view text) {
  std::map<std::string, double> prices;
  std::string_view rest = text;
  while (true) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    const std::size_t equals = pair.find('=');
    const auto price = equals == std::string_view::npos ? std::optional<double>()
                                                        : decimal(pair.substr(equals + 1));
    if (!price || equals == 0 || !(*price > 0.0)) {
      refuse(flag, pair, "name=price with a price above 0, such as a100-80gb=1.19,h100-sxm=2.69");
    }
    if (!prices.emplace(pair.substr(0, equals), *price).second) {
      refuse(flag, pair, "each name once");
    }
    if (rest.size() == pair.size()) return prices;
    rest.remove_prefix(pair.size() + 1);
  }
}

}  // namespace assay
