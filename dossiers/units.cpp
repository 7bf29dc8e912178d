// SPDX-License-Identifier: Apache-2.0
// Which unit has which name in a file? One table, read in both directions.
#include "dossiers/units.h"

#include <array>
#include <stdexcept>
#include <utility>

namespace assay {
namespace {

constexpr std::array<std::pair<Unit, std::string_view>, 21> kUnitNames{{
    {Unit::none, "none"},
    {Unit::ratio, "ratio"},
    {Unit::count, "count"},
    {Unit::percent, "%"},
    {Unit::bytes, "B"},
    {Unit::bits, "bit"},
    {Unit::cycles, "cycles"},
    {Unit::ns, "ns"},
    {Unit::us, "us"},
    {Unit::ms, "ms"},
    {Unit::s, "s"},
    {Unit::khz, "kHz"},
    {Unit::mhz, "MHz"},
    {Unit::ghz, "GHz"},
    {Unit::watt, "W"},
    {Unit::celsius, "degC"},
    {Unit::gb_per_s, "GB/s"},
    {Unit::tflop_per_s, "TFLOP/s"},
    {Unit::flop_per_clock_per_sm, "FLOP/clk/SM"},
    {Unit::bytes_per_clock_per_sm, "B/clk/SM"},
    {Unit::gop_per_s, "Gop/s"},
}};

}  // namespace

std::string_view to_string(Unit unit) {
  for (const auto& [known, name] : kUnitNames) {
    if (known == unit) {
      return name;
    }
  }
  throw std::logic_error("a unit without a name");
}

std::optional<Unit> unit_from(std::string_view name) {
  for (const auto& [unit, known] : kUnitNames) {
    if (known == name) {
      return unit;
    }
  }
  return std::nullopt;
}

bool can_be_negative(Unit unit) {
  switch (unit) {
    case Unit::none:
    case Unit::ratio:
    case Unit::percent:
    case Unit::ns:  // durations are differences, too
    case Unit::us:
    case Unit::ms:
    case Unit::s:
    case Unit::celsius:
      return true;
    default:
      return false;
  }
}

bool is_whole(Unit unit) {
  return unit == Unit::count || unit == Unit::bytes || unit == Unit::bits;
}

}  // namespace assay
