// SPDX-License-Identifier: Apache-2.0
// How does a timing become a fact? The only ways in; a spoiled timing becomes an absent fact.
#pragma once

#include <string>

#include "probes/harness/slope.h"

namespace assay {

/// work_per_call / seconds, scaled to `units` (gb_per_s, tflop_per_s and gop_per_s only).
/// An absent fact with the timing's reason when it is spoiled. Throws std::invalid_argument for
/// another unit or work that is not positive.
Fact rate(const Timing& timing, double work_per_call, Unit units, std::string method);
/// work_per_call / cycles / SMs (flop_per_clock_per_sm and bytes_per_clock_per_sm only).
/// Throws as rate() does.
Fact rate_per_clock(const Timing& timing, double work_per_call, int sm_count, Unit units,
                    std::string method);
/// Time per call in `units` (ns, us, ms or s), divided by `operations` per call.
/// Throws as rate() does.
Fact duration(const Timing& timing, double operations, Unit units, std::string method);

/// The median of `samples` that the probe took itself, in `units`, under the clock and the canaries
/// of `label` (a watch() around them). Samples that are not positive are dropped; more than one of
/// them, or none left, makes the fact unsteady.
Fact sampled(const Timing& label, const std::vector<double>& samples, Unit units,
             std::string method);

/// high, or medium when more than a fifth of the windows was rejected or the clock sagged by more
/// than 3 %.
Confidence confidence_of(const Timing& timing);

}  // namespace assay
