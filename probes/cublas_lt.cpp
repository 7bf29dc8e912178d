// SPDX-License-Identifier: Apache-2.0
#include "probes/cublas_lt.h"

#include "probes/gemm_plan.h"

namespace assay {

namespace {

// Our own declarations of cublasLt's functions and structures, as its ABI has them (12 and 13).
using Create = int(void**);
using Destroy = int(void*);
using Version = std::size_t();
using StatusText = const char*(int);
using DescriptionCreate = int(void**, int compute, int scale);
using LayoutCreate = int(void**, int type, std::uint64_t rows, std::uint64_t columns,
                         std::int64_t leading);
using SetAttribute = int(void*, int attribute, const void* value, std::size_t bytes);
using Multiply = int(void* handle, void* description, const void* alpha, const void* a,
                     void* a_layout, const void* b, void* b_layout, const void* beta, const void* c,
                     void* c_layout, void* d, void* d_layout, const void* algorithm,
                     void* workspace, std::size_t workspace_bytes, cudaStream_t stream);

struct HeuristicResult {  // cublasLtMatmulHeuristicResult_t
  std::array<std::uint64_t, 8> algorithm;
  std::size_t workspace_bytes;
  int state;
  float waves;
  std::array<int, 4> reserved;
};
static_assert(sizeof(HeuristicResult) == 96);
using Heuristic = int(void* handle, void* description, void* a, void* b, void* c, void* d,
                      void* preference, int wanted, HeuristicResult* results, int* found);

constexpr int kNotSupported = 15;
constexpr int kTransposeA = 3;
constexpr int kMostWorkspace = 1;
constexpr int kTransposed = 1;

DynamicLibrary load_cublas() {
  const auto candidates = cublas_candidates();
  for (const std::string& candidate : candidates) {
    try {
      return DynamicLibrary(candidate);
    } catch (const std::runtime_error&) {
      continue;  // the next place
    }
  }
  throw std::runtime_error(candidates.front() + " is not installed");
}

/// Alpha 1 and beta 0 in the type that the product scales by.
struct Scales {
  explicit Scales(cudaDataType type) {
    if (type == CUDA_R_64F) {
      one.f64 = 1.0;
    } else if (type == CUDA_R_32I) {
      one.s32 = 1;
    } else {
      one.f32 = 1.0f;
    }
  }
  union Number {
    double f64 = 0.0;
    float f32;
    std::int32_t s32;
  };
  Number one, zero;
};

}  // namespace

template <typename Function>
Function* CublasLt::function(const char* name) const {
  auto* found = library_.function<Function>(name);
  if (found == nullptr) {
    throw CublasError(std::string("this cuBLAS has no ") + name);
  }
  return found;
}

CublasLt::CublasLt() : library_(load_cublas()) {
  check(function<Create>("cublasLtCreate")(&handle_), "cublasLtCreate");
}

CublasLt::~CublasLt() {
  auto* destroy = library_.function<Destroy>("cublasLtDestroy");
  if (destroy != nullptr && handle_ != nullptr) {
    destroy(handle_);
  }
}

std::size_t CublasLt::version() const {
  return function<Version>("cublasLtGetVersion")();
}

void CublasLt::check(int status, const char* function_name) const {
  if (status == 0) {
    return;
  }
  auto* text = library_.function<StatusText>("cublasLtGetStatusString");
  const char* words = text == nullptr ? nullptr : text(status);
  throw CublasError(std::string(function_name) + " says " +
                    (words == nullptr ? "status " + std::to_string(status) : words));
}

CublasGemm::CublasGemm(const CublasLt& library, const GemmTypes& types, int side,
                       std::size_t workspace_bytes)
    : library_(library), types_(types), workspace_bytes_(workspace_bytes) {
  library_.check(library_.function<DescriptionCreate>("cublasLtMatmulDescCreate")(
                     &description_, static_cast<int>(types.compute), static_cast<int>(types.scale)),
                 "cublasLtMatmulDescCreate");
  library_.check(library_.function<SetAttribute>("cublasLtMatmulDescSetAttribute")(
                     description_, kTransposeA, &kTransposed, sizeof(kTransposed)),
                 "cublasLtMatmulDescSetAttribute");
  auto* layout = library_.function<LayoutCreate>("cublasLtMatrixLayoutCreate");
  const auto n = static_cast<std::uint64_t>(side);
  library_.check(layout(&operand_, types.in, n, n, side), "cublasLtMatrixLayoutCreate");
  library_.check(layout(&result_, types.out, n, n, side), "cublasLtMatrixLayoutCreate");
  algorithm_ = choose(workspace_bytes);
}

CublasGemm::~CublasGemm() {
  const auto destroy = [this](const char* name, void* object) {
    auto* found = library_.library_.function<Destroy>(name);
    if (found != nullptr && object != nullptr) {
      found(object);
    }
  };
  destroy("cublasLtMatrixLayoutDestroy", result_);
  destroy("cublasLtMatrixLayoutDestroy", operand_);
  destroy("cublasLtMatmulDescDestroy", description_);
}

std::optional<CublasGemm::Algorithm> CublasGemm::choose(std::size_t workspace_bytes) const {
  void* raw = nullptr;
  library_.check(library_.function<Create>("cublasLtMatmulPreferenceCreate")(&raw),
                 "cublasLtMatmulPreferenceCreate");
  auto* destroy = library_.function<Destroy>("cublasLtMatmulPreferenceDestroy");
  const std::unique_ptr<void, Destroy*> preference(raw, destroy);
  library_.check(library_.function<SetAttribute>("cublasLtMatmulPreferenceSetAttribute")(
                     preference.get(), kMostWorkspace, &workspace_bytes, sizeof(workspace_bytes)),
                 "cublasLtMatmulPreferenceSetAttribute");
  HeuristicResult result{};
  int found = 0;
  const int status = library_.function<Heuristic>("cublasLtMatmulAlgoGetHeuristic")(
      library_.handle_, description_, operand_, operand_, result_, result_, preference.get(), 1,
      &result, &found);
  if (status == kNotSupported || (status == 0 && (found == 0 || result.state == kNotSupported))) {
    return std::nullopt;
  }
  library_.check(status, "cublasLtMatmulAlgoGetHeuristic");
  library_.check(result.state, "cublasLtMatmulAlgoGetHeuristic");
  return result.algorithm;
}

void CublasGemm::enqueue(const void* a, const void* b, void* d, void* workspace,
                         cudaStream_t stream) const {
  if (!algorithm_) {
    throw CublasError("cuBLAS has no algorithm for this product");
  }
  const Scales scales(types_.scale);
  library_.check(
      library_.function<Multiply>("cublasLtMatmul")(
          library_.handle_, description_, &scales.one, a, operand_, b, operand_, &scales.zero, d,
          result_, d, result_, algorithm_->data(), workspace, workspace_bytes_, stream),
      "cublasLtMatmul");
}

}  // namespace assay
