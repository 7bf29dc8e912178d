// SPDX-License-Identifier: Apache-2.0
// What does the vendor's own matrix product reach on this device, in each type?
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "probes/cublas_lt.h"
#include "probes/gemm_plan.h"
#include "probes/harness/probe.h"
#include "probes/looped_work.h"

namespace assay {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;
constexpr double kMostSecondsPerCall = 8e-3;
/// Power and clock follow a new load within tens of milliseconds.
constexpr double kSettleSeconds = 0.05;
constexpr int kThreads = 256;
constexpr int kFillBlocks = 2048;
constexpr int kCheckedElements = 64;

/// One product: how its facts are called, what it computes, how far its result may be off.
struct Product {
  const char* key;
  GemmTypes types;
  GemmSize size;
  double of_terms;   ///< allowed deviation, as a share of the sum of the terms' magnitudes
  double of_result;  ///< and of the result, for its rounding
};

constexpr Product kF16{"f16_f32",
                       {CUDA_R_16F, CUDA_R_16F, CublasCompute::f32, CUDA_R_32F},
                       {8192, 2, 2},
                       0x1p-11,
                       0x1p-10};
constexpr Product kBf16{"bf16_f32",
                        {CUDA_R_16BF, CUDA_R_16BF, CublasCompute::f32, CUDA_R_32F},
                        {8192, 2, 2},
                        0x1p-11,
                        0x1p-7};
constexpr Product kTf32{"tf32_f32",
                        {CUDA_R_32F, CUDA_R_32F, CublasCompute::tf32, CUDA_R_32F},
                        {8192, 4, 4},
                        0x1p-9,
                        0x1p-20};
constexpr Product kF64{"f64",
                       {CUDA_R_64F, CUDA_R_64F, CublasCompute::f64, CUDA_R_64F},
                       {4096, 8, 8},
                       0x1p-40,
                       0x1p-50};
constexpr Product kS8{
    "s8_s32", {CUDA_R_8I, CUDA_R_32I, CublasCompute::s32, CUDA_R_32I}, {8192, 1, 4}, 0.0, 0.0};
constexpr Product kE4m3{"e4m3_f32",
                        {CUDA_R_8F_E4M3, CUDA_R_16BF, CublasCompute::f32, CUDA_R_32F},
                        {8192, 1, 2},
                        0x1p-9,
                        0x1p-7};

/// Random words become operands: small whole numbers' bits for s8, uniform in [-1, 1) for the rest.
template <typename T>
__device__ T operand_from(std::uint32_t word) {
  if constexpr (std::is_same_v<T, std::int8_t>) {
    return static_cast<std::int8_t>(word & 0xffu);
  } else {
    return static_cast<T>(static_cast<float>(word >> 8) * 0x1p-23f - 1.0f);
  }
}

template <typename T>
__global__ void fill_operands(T* values, const std::uint32_t* words, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    values[i] = operand_from<T>(words[i]);
  }
}

template <typename T>
__device__ double as_double(T value) {
  if constexpr (std::is_same_v<T, double> || std::is_integral_v<T>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

/// What one element is and what it should be.
struct CheckedElement {
  double got, want, terms;
};

/// Where the check with this number looks, spread over the whole result.
__host__ __device__ std::size_t checked_place(int check, int side, std::uint32_t factor) {
  return static_cast<std::uint32_t>(check + 1) * factor % static_cast<std::uint32_t>(side);
}

template <typename In, typename Out>
__global__ void check_elements(const In* a, const In* b, const Out* d, int side,
                               CheckedElement* checked) {
  __shared__ double sums[kThreads];
  __shared__ double terms[kThreads];
  const std::size_t n = static_cast<std::size_t>(side);
  const std::size_t row = checked_place(static_cast<int>(blockIdx.x), side, 2654435761u);
  const std::size_t column = checked_place(static_cast<int>(blockIdx.x), side, 2246822519u);
  double sum = 0.0;
  double magnitude = 0.0;
  for (std::size_t k = threadIdx.x; k < n; k += kThreads) {
    const double term = as_double(a[row * n + k]) * as_double(b[column * n + k]);
    sum += term;
    magnitude += fabs(term);
  }
  sums[threadIdx.x] = sum;
  terms[threadIdx.x] = magnitude;
  __syncthreads();
  if (threadIdx.x != 0) return;
  CheckedElement element{as_double(d[column * n + row]), 0.0, 0.0};
  for (int i = 0; i < kThreads; ++i) {
    element.want += sums[i];
    element.terms += terms[i];
  }
  checked[blockIdx.x] = element;
}

template <typename T>
void randomize(const DeviceBuffer<T>& values, std::uint64_t seed) {
  const Stream stream = make_stream();
  const DeviceBuffer<std::uint32_t> words(values.size());
  fill_random_words(words.data(), words.bytes(), seed, stream.get());
  fill_operands<<<kFillBlocks, kThreads, 0, stream.get()>>>(values.data(), words.data(),
                                                            values.size());
  ASSAY_CUDA(cudaGetLastError());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
}

/// Operands and result of one product.
template <typename In, typename Out>
struct Matrices {
  explicit Matrices(int side)
      : n(side), a(elements()), b(elements()), d(elements()), workspace(kWorkspaceBytes) {
    randomize(a, 1);
    randomize(b, 2);
    d.clear();
    ASSAY_CUDA(cudaDeviceSynchronize());
  }
  std::size_t elements() const { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

  int n;
  DeviceBuffer<In> a, b;
  DeviceBuffer<Out> d;
  DeviceBuffer<unsigned char> workspace;
};

template <typename In, typename Out>
void check(const Matrices<In, Out>& matrices, int side, const Product& product) {
  const Stream stream = make_stream();
  const DeviceBuffer<CheckedElement> checked(kCheckedElements);
  check_elements<<<kCheckedElements, kThreads, 0, stream.get()>>>(
      matrices.a.data(), matrices.b.data(), matrices.d.data(), side, checked.data());
  ASSAY_CUDA(cudaGetLastError());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  for (const CheckedElement& element : checked.download()) {
    const double allowed =
        product.of_terms * element.terms + product.of_result * std::abs(element.want);
    if (!(std::abs(element.got - element.want) <= allowed)) {
      throw WrongResult(std::string("cuBLAS ") + product.key + ": an element is " +
                        std::to_string(element.got) + ", should be " +
                        std::to_string(element.want));
    }
  }
}

template <typename In, typename Out>
double seconds_of_call(const CublasGemm& gemm, const Matrices<In, Out>& matrices) {
  const Stream stream = make_stream();
  double seconds = 0.0;
  for (int call = 0; call < 2; ++call) {  // the first one loads the code
    const auto start = std::chrono::steady_clock::now();
    gemm.enqueue(matrices.a.data(), matrices.b.data(), matrices.d.data(), matrices.workspace.data(),
                 stream.get());
    ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return seconds;
}

std::string method_of(const Product& product, int side) {
  return std::string("cublasLtMatmul, A^T * B, ") + std::to_string(side) +
         "^3, first choice of its heuristic, random operands (" + product.key + ")";
}

void add_absent(const Product& product, const NullReason& reason, Measurements& facts) {
  const std::string method = method_of(product, product.size.most_side);
  facts.add(std::string("cublas.") + product.key,
            absent(Unit::tflop_per_s, "wall slope; " + method, reason));
  facts.add(std::string("cublas_per_clock.") + product.key,
            absent(Unit::flop_per_clock_per_sm, "clock64 slope; " + method, reason));
}

template <typename In, typename Out>
void time_product(const Device& device, const CublasGemm& gemm, const Matrices<In, Out>& matrices,
                  int side, const Product& product, Measurements& facts) {
  const auto enqueue = [&](cudaStream_t stream) {
    gemm.enqueue(matrices.a.data(), matrices.b.data(), matrices.d.data(), matrices.workspace.data(),
                 stream);
  };
  const LoopedWork work{[&](cudaStream_t stream, int) { enqueue(stream); },
                        [side](int) { return gemm_flops(side); }};
  warm_up(work, 1, kSettleSeconds);
  SlopeOptions options;
  options.samples = device.level() == Level::quick ? 7 : 15;
  options.target_span_s = 8e-3;
  // Wall time under the power cap wanders with the clock; the per-clock figure does not.
  options.max_rel_spread = 0.2;
  const Timing timing = time_slope(device, enqueue, options);
  check(matrices, side, product);
  const std::string method = method_of(product, side);
  facts.add(std::string("cublas.") + product.key,
            rate(timing, gemm_flops(side), Unit::tflop_per_s, "wall slope; " + method));
  facts.add(std::string("cublas_per_clock.") + product.key,
            rate_per_clock(timing, gemm_flops(side), device.sm_count(), Unit::flop_per_clock_per_sm,
                           "clock64 slope; " + method));
}

template <typename In, typename Out>
void measure(const Device& device, const CublasLt& library, const Product& product,
             Measurements& facts) {
  static_assert(sizeof(In) <= 8 && sizeof(Out) <= 8);
  const std::optional<int> most = fitting_side(product.size, device.free_bytes());
  if (!most) {
    return add_absent(product, {NullKind::not_available, "too little free memory"}, facts);
  }
  const Matrices<In, Out> matrices(*most);
  const CublasGemm largest(library, product.types, *most, kWorkspaceBytes);
  if (!largest.is_supported()) {
    return add_absent(
        product, {NullKind::not_supported, "cuBLAS has no such product on this device"}, facts);
  }
  const int side = timely_side(*most, seconds_of_call(largest, matrices), kMostSecondsPerCall);
  if (side == *most) {
    return time_product(device, largest, matrices, side, product, facts);
  }
  const CublasGemm smaller(library, product.types, side, kWorkspaceBytes);
  time_product(device, smaller, matrices, side, product, facts);
}

void measure_all(const Device& device, const CublasLt& library, Measurements& facts) {
  measure<__half, __half>(device, library, kF16, facts);
  measure<float, float>(device, library, kTf32, facts);
  if (device.level() == Level::quick) return;
  measure<__nv_bfloat16, __nv_bfloat16>(device, library, kBf16, facts);
  measure<double, double>(device, library, kF64, facts);
  measure<std::int8_t, std::int32_t>(device, library, kS8, facts);
  measure<__nv_fp8_e4m3, __nv_bfloat16>(device, library, kE4m3, facts);
}

/// nullptr with `why` filled where the library is not there.
std::unique_ptr<const CublasLt> load(std::string& why) {
  try {
    return std::make_unique<const CublasLt>();
  } catch (const CublasError&) {
    throw;
  } catch (const std::runtime_error& error) {
    why = error.what();
    return nullptr;
  }
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements facts;
  std::string why;
  const auto library = load(why);
  if (library == nullptr) {
    const bool quick = device.level() == Level::quick;
    for (const Product* product : {&kF16, &kTf32, &kBf16, &kF64, &kS8, &kE4m3}) {
      if (!quick || product == &kF16 || product == &kTf32) {
        add_absent(*product, {NullKind::not_supported, why}, facts);
      }
    }
    return facts;
  }
  facts.note("cublas", "cuBLAS " + cublas_version_text(library->version()));
  measure_all(device, *library, facts);
  return facts;
}

}  // namespace assay
