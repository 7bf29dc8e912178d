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

#include <functional>

#include <cuda_runtime_api.h>

#include "probes/harness/device.h"
#include "probes/harness/slope.h"
#include "probes/harness/timing_facts.h"

namespace assay {

/// Enqueues one call of the work on the stream. Called under stream capture: no allocation, no
/// sync.
using Enqueue = std::function<void(cudaStream_t)>;

/// Times `work` (options, Timing: slope.h; what becomes of it: timing_facts.h).
/// Throws CudaError, never a fabricated number; contention is `spoiled`, not an
/// exception.
Timing time_slope(const Device& device, const Enqueue& work, const SlopeOptions& options = {});

/// Timing of work whose length is the kernel's own business: runs `work` alone `samples` times with
/// stamps around it, for probes that count cycles inside the kernel. Fields: clock_*, rejected,
/// spoiled.
Timing watch(const Device& device, const Enqueue& work, int samples);

/// Everything the timer saw so far in this process, for the evidence's conditions (slope.h).
TimerLog timer_log();

}  // namespace assay
