// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/probe.h"

namespace assay {

bool has_code(const void* kernel) {
  cudaFuncAttributes attributes{};
  const cudaError_t code = cudaFuncGetAttributes(&attributes, kernel);
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
  ASSAY_CUDA(code);
  return true;
}

}  // namespace assay
