// SPDX-License-Identifier: Apache-2.0
// How long does one dependent load take on the nearest, the middle and the furthest SM?
//
// An SM's distance to memory is a matter of its place on the chip, and which SM a single block gets
// is the scheduler's business and differs from device to device. So one lane walks on every SM at
// once, each from its own place in one ring. (One SM after the other has a median of 282.8 cycles
// to an H200's L2 where all at once have 277.9: the fact is that of a device in use. Together the
// lanes ask for one sector every two clocks, a hundredth of what the L2 serves.)
#pragma once

#include <cstdint>
#include <vector>

#include "probes/harness/probe.h"

namespace assay {

/// Run by run, over the SMs. Empty when a clock stood still.
struct LaneSamples {
  std::vector<double> middle, least, most;  ///< cycles
  std::vector<double> middle_ns;
};

struct LaneChase {
  Timing timing;  ///< watched; its readings say nothing
  LaneSamples samples;
  std::size_t sms = 0;  ///< that a lane ran on
};

/// Links the lines of `memory`, which may be another device's, to one random cycle and walks it by
/// ld.global.cg, `runs` times: once around untimed, then `timed_rounds` of kChaseUnroll steps. The
/// first run counts for nothing. Throws WrongResult, saying `what`, when a lane ended where its
/// ring does not lead.
LaneChase chase_on_each_sm(const Device& device, const DeviceBuffer<std::uint64_t>& memory,
                           int timed_rounds, int runs, const char* what);

}  // namespace assay
