// SPDX-License-Identifier: Apache-2.0
// One dependent chain of multiply-adds a thread: how fast it goes says how many warps hide the
// pipe's latency, and with many warps it keeps the pipe full.
#pragma once

#include "probes/fma_chain.h"

namespace assay {

/// `operands` and `results` hold one float a thread.
static __global__ void __launch_bounds__(1024)
    fma_chain(const float* operands, float* results, int trips) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float a = operands[thread];
  const float b = a * 0x1p-16f;
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int step = 0; step < kChainSteps; ++step) {
      a = fmaf(a, b, a);
    }
  }
  results[thread] = a;
}

}  // namespace assay
