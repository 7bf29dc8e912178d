// SPDX-License-Identifier: Apache-2.0
// Can this figure be true of any device at all?
#include "invariants/plausible.h"

#include <array>
#include <optional>

#include "dossiers/sentinels.h"
#include "invariants/claims.h"

namespace assay {
namespace {

/// The magnitudes that a unit may have, both inclusive. Wide on purpose: from a tenth or less of
/// the smallest part in use to ten times the largest announced one (1.4 kW and 8 TB/s a board,
/// 15 PFLOP/s of the narrowest type, clocks of 0.1 to 3 GHz, memory clocks of 0.4 to 16 GHz), so
/// that no band is needed for a new product and a slip of a thousand still lies outside. Where the
/// low bound is 0, nothing at all is a true answer (errors counted, a share of none).
struct Magnitude {
  Unit unit;
  double low, high;
};

constexpr std::array<Magnitude, 19> kMagnitudes{{
    {Unit::ratio, 0.0, 1e4},
    {Unit::percent, 0.0, 1e4},
    {Unit::count, 0.0, 1e12},
    {Unit::bytes, 1.0, 7e13},
    {Unit::bits, 1.0, 65536.0},
    {Unit::cycles, 1e-3, 1e9},
    {Unit::ns, 1e-3, 1e9},
    {Unit::us, 1e-3, 1e9},
    {Unit::ms, 1e-6, 1e9},
    {Unit::s, 1e-9, 1e9},
    {Unit::khz, 1e4, 1e8},
    {Unit::mhz, 10.0, 1e5},
    {Unit::ghz, 0.01, 30.0},
    {Unit::watt, 1.0, 2e4},
    {Unit::gb_per_s, 1e-4, 1e6},
    {Unit::tflop_per_s, 1e-4, 2e5},
    {Unit::flop_per_clock_per_sm, 1e-2, 1e6},
    {Unit::bytes_per_clock_per_sm, 1e-3, 1e5},
    {Unit::gop_per_s, 1e-4, 1e7},
}};

std::optional<Magnitude> magnitude_of(Unit unit) {
  for (const Magnitude& magnitude : kMagnitudes) {
    if (magnitude.unit == unit) return magnitude;
  }
  return std::nullopt;  // text, flags, temperatures
}

std::string with_unit(double number, Unit unit) {
  return number_text(number) + " " + std::string(to_string(unit));
}

}  // namespace

std::string why_impossible(const Catalog& catalog, const std::string& path, const Fact& fact) {
  const auto number = as_number(fact.value);
  if (!number) return {};
  if (const auto unit = catalog.unit_of(path); unit && *unit != fact.units) {
    return path + " is in " + std::string(to_string(fact.units)) + ", want " +
           std::string(to_string(*unit));
  }
  const Fact foreign = imported(fact.value, fact.units, "a fact");
  if (foreign.reason) {
    return path + " is " + number_text(*number) +
           ", which is no number: " + to_string(*foreign.reason);
  }
  const auto magnitude = magnitude_of(fact.units);
  if (!magnitude || (*number >= magnitude->low && *number <= magnitude->high)) return {};
  return path + " is " + with_unit(*number, fact.units) + ", which no device has (" +
         number_text(magnitude->low) + " to " + with_unit(magnitude->high, fact.units) + ")";
}

std::vector<Gap> impossible_facts(const Catalog& catalog, const Dossier& dossier) {
  std::vector<Gap> gaps;
  for (const auto& [entry, measurement] : dossier.entries) {
    for (const auto& [key, fact] : measurement.facts) {
      const std::string path = fact_path(entry, key);
      std::string why = why_impossible(catalog, path, fact);
      if (!why.empty()) gaps.push_back({path, std::move(why), Outcome::fail});
    }
  }
  return gaps;
}

}  // namespace assay
