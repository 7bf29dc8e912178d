// SPDX-License-Identifier: Apache-2.0
// The one hook that a probe defines. The harness owns argv, the device, evidence and the exit code.
#pragma once

#include "dossiers/measurement.h"
#include "probes/harness/check.h"
#include "probes/harness/device.h"
#include "probes/harness/resources.h"
#include "probes/harness/timing.h"

namespace assay {

/// Measures one family of facts. Throws NotApplicable, Inconclusive, WrongResult or CudaError.
Measurements run_probe(const Device& device);

/// True when this program holds machine code that loads on the current device for `kernel`.
/// Generic probes need not ask: the harness checks with the probe's own stamp kernel.
bool has_code(const void* kernel);

}  // namespace assay
