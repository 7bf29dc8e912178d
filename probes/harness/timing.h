// SPDX-License-Identifier: Apache-2.0
// How long does one call of some device work take?
//
// Events can be rewritten by a kernel and carry a floor of microseconds; one wall time carries
// launch and synchronisation. So the time per call is the slope of host wall time over replays of
// two graphs that differ only in how often they hold the work: what both share cancels. Each graph
// starts and ends with a stamp kernel that reads clock64 and %globaltimer on every SM, so that the
// same window also yields the SM clock held and the cycles per call without touching the work
// itself; and after each pair of replays a spin kernel of known length (the canary) tells whether
// somebody else ran.
#pragma once

#include "probes/harness/device.h"
#include "probes/harness/replayer.h"
#include "probes/harness/slope.h"
#include "probes/harness/timer_log.h"
#include "probes/harness/timing_facts.h"

namespace assay {

/// Times `work` (options, Timing: slope.h; what becomes of it: timing_facts.h).
/// Throws CudaError, never a fabricated number; contention is `spoiled`, not an
/// exception.
Timing time_slope(const Device& device, const Enqueue& work, const SlopeOptions& options = {});

/// Timing of work whose length is the kernel's own business: runs `work` alone `samples` times with
/// stamps around it, for probes that count cycles inside the kernel. Fields: clock_*, rejected,
/// spoiled.
Timing watch(const Device& device, const Enqueue& work, int samples);

}  // namespace assay
