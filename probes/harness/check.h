// SPDX-License-Identifier: Apache-2.0
// Every CUDA call is checked where it is made; the error is a type, never an exit().
#pragma once

#include <stdexcept>
#include <string>

#include <cuda_runtime_api.h>

namespace assay {

class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const char* expression, const char* file, int line);
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// Thrown by a probe when this device cannot have the fact: evidence "not_applicable", exit 77.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown when the window was spoiled as a whole: evidence "inconclusive", exit 75.
class Inconclusive : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown when the device computed something wrong: evidence "failed", exit 1.
class WrongResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Out of line, so that the macro stays small. Throws CudaError unless `code` is cudaSuccess.
void check_cuda(cudaError_t code, const char* expression, const char* file, int line);

}  // namespace assay

#define ASSAY_CUDA(expression) ::assay::check_cuda((expression), #expression, __FILE__, __LINE__)
