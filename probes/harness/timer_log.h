// SPDX-License-Identifier: Apache-2.0
// Did somebody else run on the device while this process timed? One canary per process answers, and
// what it and the timers saw is kept for the conditions. One device per process.
#pragma once

#include <vector>

#include "probes/harness/canary.h"
#include "probes/harness/device.h"
#include "probes/harness/slope.h"

namespace assay {

/// The process's canary; the first call wakes the device (some 30 ms).
Canary& canary_of(const Device& device);

/// Runs the canary once (about 70 us); true when it was disturbed.
bool is_window_disturbed(const Device& device);

/// The share of time that other contexts take, by a kernel that listens for its own pauses: 5 ms,
/// or 25 ms once something was heard.
double heard_share(const Device& device);

/// Adds a timing and the SM clocks of its accepted windows to the log.
void remember(const Timing& timing, const std::vector<double>& clocks_ghz);

/// Everything the timers saw so far in this process (slope.h).
TimerLog timer_log();

}  // namespace assay
