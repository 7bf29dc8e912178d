// SPDX-License-Identifier: Apache-2.0
// How many trips make a call long enough, and does twice the work take twice the time?
#pragma once

#include <string>

#include "probes/harness/timing_facts.h"

namespace assay {

/// The trips that should take `target` seconds when `trips` take `measured`; at least 1.
int scaled_trips(int trips, double measured, double target);

/// Cycles of a call of 2N trips over cycles of a call of N: 2 unless something else than the trips
/// decides the time. Absent with the reason of the timing that is spoiled.
Fact scaling(const Timing& once, const Timing& twice, std::string method);

}  // namespace assay
