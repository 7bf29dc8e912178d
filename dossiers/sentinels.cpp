// SPDX-License-Identifier: Apache-2.0
// Is this number a measurement, or a source's way of saying that it has none?
#include "dossiers/sentinels.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace assay {
namespace {

// DCGM numbers its sentinels from a base, in this order.
constexpr std::int64_t kBlank64 = 0x7ffffffffffffff0;
constexpr std::int64_t kBlank32 = 0x7ffffff0;
constexpr double kBlankReal = 140737488355328.0;  // 2^47
constexpr std::int64_t kMinusOneAsU32 = 0xffffffff;

NullReason numbered(std::int64_t offset) {
  switch (offset) {
    case 0:
      return {NullKind::blank, "the source has no sample"};
    case 1:
      return {NullKind::not_available, "the source did not find it"};
    case 2:
      return {NullKind::not_supported, "says the source"};
    default:
      return {NullKind::no_permission, "says the source"};
  }
}

bool is_offset(std::int64_t offset) {
  return offset >= 0 && offset <= 3;
}

std::optional<NullReason> sentinel_in(std::int64_t number, Unit units) {
  if (number >= kBlank64 && is_offset(number - kBlank64)) {
    return numbered(number - kBlank64);
  }
  if (units != Unit::bytes && is_offset(number - kBlank32)) {
    return numbered(number - kBlank32);
  }
  if (units != Unit::bytes && number == kMinusOneAsU32) {
    return NullReason{NullKind::out_of_range, "-1 read as an unsigned number"};
  }
  if (number < 0 && !can_be_negative(units)) {
    return number == -1 ? NullReason{NullKind::not_available, "the source answered -1"}
                        : NullReason{NullKind::out_of_range, "negative"};
  }
  return std::nullopt;
}

std::optional<NullReason> sentinel_in(std::uint64_t number, Unit units) {
  if (number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return sentinel_in(static_cast<std::int64_t>(number), units);
  }
  if (number == std::numeric_limits<std::uint64_t>::max()) {
    return NullReason{NullKind::out_of_range, "-1 read as an unsigned number"};
  }
  return std::nullopt;
}

std::optional<NullReason> sentinel_in(double number, Unit units) {
  for (const std::int64_t offset : {0, 1, 2, 3}) {
    if (number == kBlankReal + static_cast<double>(offset)) {
      return numbered(offset);
    }
  }
  if (!std::isfinite(number)) {
    return NullReason{NullKind::out_of_range, "not finite"};
  }
  if (number < 0.0 && !can_be_negative(units)) {
    return number == -1.0 ? NullReason{NullKind::not_available, "the source answered -1"}
                          : NullReason{NullKind::out_of_range, "negative"};
  }
  return std::nullopt;
}

template <typename T>
std::optional<NullReason> sentinel_in(const T& /*no number*/, Unit /*units*/) {
  return std::nullopt;
}

}  // namespace

Fact imported(Value raw, Unit units, std::string method) {
  std::optional<NullReason> reason =
      std::visit([units](const auto& held) { return sentinel_in(held, units); }, raw);
  return reason ? absent(units, std::move(method), std::move(*reason))
                : stated(std::move(raw), units, std::move(method));
}

}  // namespace assay
