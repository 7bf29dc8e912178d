// SPDX-License-Identifier: Apache-2.0
// Which units may a fact have? A closed list: SI prefixes (GB = 1e9 bytes), binary ones named so.
#pragma once

#include <optional>
#include <string_view>

namespace assay {

enum class Unit {
  none,  ///< a value without a unit: text, flags, identifiers
  ratio,
  count,
  percent,
  bytes,
  bits,
  cycles,
  ns,
  us,
  ms,
  s,
  khz,
  mhz,
  ghz,
  watt,
  celsius,
  gb_per_s,               ///< 1e9 bytes per second
  tflop_per_s,            ///< 1e12 floating-point (or integer multiply-add) operations per second
  flop_per_clock_per_sm,  ///< operations per SM clock per SM
  bytes_per_clock_per_sm,
  gop_per_s,  ///< 1e9 operations (atomics) per second
};

/// The unit's name as files write it, for example "GB/s".
std::string_view to_string(Unit unit);
/// The unit of that name, or nullopt: the list is closed.
std::optional<Unit> unit_from(std::string_view name);
/// Whether a quantity of this unit may lie below 0: sizes, counts, clocks and rates may not.
bool can_be_negative(Unit unit);
/// Whether a quantity of this unit is a whole number: count, B, bit.
bool is_whole(Unit unit);

}  // namespace assay
