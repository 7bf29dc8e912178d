// SPDX-License-Identifier: Apache-2.0
// How much work does one call of the dependent chain of multiply-adds claim? Shared by the kernel
// and by the SASS test.
#pragma once

#include "probes/fma_shape.h"

namespace assay {

/// 512 FFMA of straight code, as in the fma probe: the loop's own instructions stay below 1 %.
inline constexpr int kChainSteps = 512;

/// What one block of `threads` threads claims: one chain each.
constexpr FmaShape chain_shape(int threads) {
  return {.chains = 1, .steps = kChainSteps, .threads = threads};
}

}  // namespace assay
