// SPDX-License-Identifier: Apache-2.0
// How are the facts of an MMA path named, what runs, and why is it absent?
#pragma once

#include <string>

#include "dossiers/measurement.h"
#include "probes/mma_shape.h"

namespace assay {

/// "mma_sync_bf16_f32"; "mma_sync_e4m3_f32_emulated" where the device (90: 9.0) has it so.
std::string mma_sync_key(MmaKind kind, int cc);
/// "wgmma_bf16_f32".
std::string wgmma_key(MmaKind kind);

/// "mma.sync m16n8k16", and what is particular about the kind.
std::string mma_sync_text(MmaKind kind, int cc);
std::string wgmma_text(MmaKind kind);

/// Why a device below mma_sync_least_cc(kind) cannot have it.
NullReason mma_sync_absence(MmaKind kind);

}  // namespace assay
