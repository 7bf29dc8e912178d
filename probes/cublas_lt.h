// SPDX-License-Identifier: Apache-2.0
// How is a product asked of the vendor's library, which may not be there? Loaded at run time with
// our own declarations; no header of it is needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <library_types.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <cuda_runtime_api.h>

#include "dossiers/driver/dynamic_library.h"

namespace assay {

/// The library refused a call; what() names it.
class CublasError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How a product computes, by the library's numbers (cublasComputeType_t).
enum class CublasCompute : int { f32 = 68, f64 = 70, s32 = 72, tf32 = 77 };

struct GemmTypes {
  cudaDataType in;
  cudaDataType out;
  CublasCompute compute;
  cudaDataType scale;  ///< type of alpha and beta
};

/// libcublasLt and one handle of it.
class CublasLt {
 public:
  /// Throws std::runtime_error that says what is not installed, CublasError when it does not start.
  CublasLt();
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  /// As cublasLtGetVersion() has it: 130100.
  std::size_t version() const;

 private:
  friend class CublasGemm;
  /// Throws CublasError for a function that this version lacks.
  template <typename Function>
  Function* function(const char* name) const;
  void check(int status, const char* function_name) const;

  DynamicLibrary library_;
  void* handle_ = nullptr;
};

/// D = A^T * B of one side and type: column-major, so that both operands lie along the sum.
class CublasGemm {
 public:
  /// Takes the first algorithm that the library's own heuristic names for `workspace_bytes`.
  /// Throws CublasError.
  CublasGemm(const CublasLt& library, const GemmTypes& types, int side,
             std::size_t workspace_bytes);
  ~CublasGemm();
  CublasGemm(const CublasGemm&) = delete;
  CublasGemm& operator=(const CublasGemm&) = delete;

  /// False when the library has no algorithm for these types on this device.
  bool is_supported() const { return algorithm_.has_value(); }
  /// Enqueues one product; may be captured. Throws CublasError.
  void enqueue(const void* a, const void* b, void* d, void* workspace, cudaStream_t stream) const;

 private:
  /// cublasLtMatmulAlgo_t
  using Algorithm = std::array<std::uint64_t, 8>;
  std::optional<Algorithm> choose(std::size_t workspace_bytes) const;

  const CublasLt& library_;
  GemmTypes types_;
  std::size_t workspace_bytes_;
  void* description_ = nullptr;
  void* operand_ = nullptr;
  void* result_ = nullptr;
  std::optional<Algorithm> algorithm_;
};

}  // namespace assay
