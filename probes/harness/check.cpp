// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/check.h"

#include <string>

namespace assay {

namespace {

std::string describe(cudaError_t code, const char* expression, const char* file, int line) {
  const std::string path = file;
  const std::size_t slash = path.rfind('/');
  return std::string(cudaGetErrorName(code)) + " (" + cudaGetErrorString(code) + ") from " +
         expression + " at " + (slash == std::string::npos ? path : path.substr(slash + 1)) + ":" +
         std::to_string(line);
}

}  // namespace

CudaError::CudaError(cudaError_t code, const char* expression, const char* file, int line)
    : std::runtime_error(describe(code, expression, file, line)), code_(code) {}

void check_cuda(cudaError_t code, const char* expression, const char* file, int line) {
  if (code == cudaSuccess) {
    return;
  }
  // Take the error off the runtime's record, or a later cudaGetLastError() would blame another
  // call.
  static_cast<void>(cudaGetLastError());
  throw CudaError(code, expression, file, line);
}

}  // namespace assay
