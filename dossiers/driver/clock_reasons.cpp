// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/clock_reasons.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace assay {

namespace {

struct Reason {
  std::uint64_t bit;
  const char* name;
  ClockState state;
};

constexpr std::array<Reason, 9> kReasons{{
    {0x1, "idle", ClockState::idle},
    {0x2, "application clocks", ClockState::allowed},
    {kPowerCapReason, "power cap", ClockState::reject},
    {0x8, "HW slowdown", ClockState::reject},
    {0x10, "sync boost", ClockState::reject},
    {0x20, "SW thermal", ClockState::reject},
    {0x40, "HW thermal", ClockState::reject},
    {0x80, "power brake", ClockState::reject},
    {0x100, "display clocks", ClockState::allowed},
}};

std::string unknown_name(std::uint64_t bit) {
  std::ostringstream text;
  text << "unknown 0x" << std::hex << bit;
  return text.str();
}

}  // namespace

ClockDecision judge_clock_reasons(std::optional<std::uint64_t> mask) {
  if (!mask) {
    return {ClockState::unknown, {}};
  }
  ClockDecision decision{ClockState::clean, {}};
  std::uint64_t rest = *mask;
  for (const Reason& reason : kReasons) {
    if ((rest & reason.bit) != 0) {
      rest &= ~reason.bit;
      decision.names.emplace_back(reason.name);
      decision.state = std::max(decision.state, reason.state);
    }
  }
  while (rest != 0) {
    const std::uint64_t bit = rest & (~rest + 1);
    rest &= ~bit;
    decision.names.push_back(unknown_name(bit));
    decision.state = std::max(decision.state, ClockState::unknown);
  }
  return decision;
}

const char* to_string(ClockState state) {
  switch (state) {
    case ClockState::clean:
      return "clean";
    case ClockState::allowed:
      return "allowed";
    case ClockState::idle:
      return "idle";
    case ClockState::reject:
      return "reject";
    case ClockState::unknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace assay
