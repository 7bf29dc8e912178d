// SPDX-License-Identifier: Apache-2.0
// How is a fault compiled into a probe? The probe's own file is built with `run_probe` renamed to
// `healthy_run_probe`; the fault defines `run_probe`, which does harm and then calls that.
#pragma once

#include "probes/harness/probe.h"

namespace assay {

Measurements healthy_run_probe(const Device& device);

}  // namespace assay
