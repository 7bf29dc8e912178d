// SPDX-License-Identifier: Apache-2.0
// How fast is DRAM read when only some of the SMs work, and how many of them saturate it?
#pragma once

#include "dossiers/measurement.h"
#include "probes/dram_streams.h"
#include "probes/harness/device.h"

namespace assay {

/// Adds dram_bw.read_sms_{half,quarter,eighth} and dram_bw.sms_to_saturate. Throws CudaError, and
/// WrongResult when a share of the SMs reads something else than all of them.
void add_sm_share_facts(const Device& device, const Streams& streams, Measurements& facts);

/// The same facts as absent.
void add_absent_sm_share_facts(const NullReason& reason, Measurements& facts);

}  // namespace assay
