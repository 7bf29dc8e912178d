// SPDX-License-Identifier: Apache-2.0
// Which clock event reasons spoil a measurement?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

enum class ClockState {
  clean,    ///< no reason at all
  allowed,  ///< clocks set on purpose: recorded
  idle,     ///< nothing held the clock down, but nothing ran: warm up
  unknown,  ///< the query failed, or a bit is set that nobody has documented: never "clean"
  reject,   ///< power, heat or another board held the clock down
};

struct ClockDecision {
  ClockState state = ClockState::unknown;
  std::vector<std::string> names;  ///< of the mask's bits, lowest first; others "unknown 0x200"
};

/// The decision for NVML's mask; nullopt stands for a query that failed. The gravest bit decides.
ClockDecision judge_clock_reasons(std::optional<std::uint64_t> mask);

/// The software power cap's bit: expected under tensor load, where the clock label tells the story.
inline constexpr std::uint64_t kPowerCapReason = 0x4;

/// "clean", "allowed", "idle", "reject" or "unknown".
const char* to_string(ClockState state);

}  // namespace assay
