// SPDX-License-Identifier: Apache-2.0
// The facts that the numerics questions become.
#pragma once

#include <string>

#include "dossiers/measurement.h"
#include "probes/numerics_questions.h"

namespace assay {

struct MmaNumerics {
  std::string key;   ///< "mma_sync_f16_f32"
  std::string text;  ///< the instruction, for the facts' method
  MmaKind kind;
  int k = 0;  ///< nominal, of one instruction
  DotRunner run;
};

/// Adds `numerics.<key>_accumulator_bits`, `_rounding`, `_subnormal_inputs`, `_nan_propagates` and
/// `verified_k_lanes.<key>_k`, `_vs_nominal`. Integers have a width and lanes only.
void add_mma_numerics(const MmaNumerics& path, Measurements& measurements);

/// The same facts, all absent.
void add_absent_numerics(const std::string& key, const NullReason& reason,
                         Measurements& measurements);

/// Adds `numerics.<key>_fused`, `_subnormals`, `_nan_propagates`.
void add_fma_numerics(const std::string& key, const DotFormats& formats, const DotRunner& run,
                      Measurements& measurements);

}  // namespace assay
