// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/clock_reasons.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Names = std::vector<std::string>;

struct Case {
  std::optional<std::uint64_t> mask;
  ClockState state;
  Names names;
};

class ClockReasons : public ::testing::TestWithParam<Case> {};

TEST_P(ClockReasons, CaseB01DecidesByTheTable) {
  const ClockDecision decision = judge_clock_reasons(GetParam().mask);
  EXPECT_EQ(decision.state, GetParam().state);
  EXPECT_EQ(decision.names, GetParam().names);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ClockReasons,
    ::testing::Values(Case{0x0, ClockState::clean, {}}, Case{0x1, ClockState::idle, {"idle"}},
                      Case{0x2, ClockState::allowed, {"application clocks"}},
                      Case{0x4, ClockState::reject, {"power cap"}},
                      Case{0x8, ClockState::reject, {"HW slowdown"}},
                      Case{0x10, ClockState::reject, {"sync boost"}},
                      Case{0x20, ClockState::reject, {"SW thermal"}},
                      Case{0x40, ClockState::reject, {"HW thermal"}},
                      Case{0x80, ClockState::reject, {"power brake"}},
                      Case{0x100, ClockState::allowed, {"display clocks"}},
                      Case{0x5, ClockState::reject, {"idle", "power cap"}},
                      Case{0x200, ClockState::unknown, {"unknown 0x200"}},
                      Case{0x201, ClockState::unknown, {"idle", "unknown 0x200"}},
                      Case{0x204, ClockState::reject, {"power cap", "unknown 0x200"}},
                      Case{
                          0x8000000000000000U, ClockState::unknown, {"unknown 0x8000000000000000"}},
                      Case{std::nullopt, ClockState::unknown, {}}));

}  // namespace
}  // namespace assay
