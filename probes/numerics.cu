// SPDX-License-Identifier: Apache-2.0
// How exactly do the arithmetic paths add up: width, rounding, subnormals, NaN, and all of k?
#include <string>
#include <utility>

#include "probes/harness/probe.h"
#include "probes/mma_fragments.cuh"
#include "probes/mma_keys.h"
#include "probes/numerics_facts.h"
#include "probes/wgmma_tile.cuh"

namespace assay {

namespace {

/// All accumulators to the bits of c. Each is read by itself: ptxas would make copies of one
/// register between wgmma's fence and wgmma, and add a fence.
template <MmaKind kKind, typename D>
__device__ void fill_accumulators(D& d, const volatile std::uint64_t& source) {
#pragma unroll
  for (auto& value : d) {
    const std::uint64_t c = source;
    if constexpr (kKind == MmaKind::f64_f64) {
      value = __longlong_as_double(static_cast<long long>(c));
    } else if constexpr (kKind == MmaKind::f16_f16) {
      value = static_cast<std::uint32_t>(c | (c << 16));
    } else if constexpr (kKind == MmaKind::s8_s32) {
      value = static_cast<std::uint32_t>(c);
    } else {
      value = __uint_as_float(static_cast<std::uint32_t>(c));
    }
  }
}

template <MmaKind kKind, typename D>
__device__ std::uint64_t accumulator_bits(const D& d, int e) {
  if constexpr (kKind == MmaKind::f64_f64) {
    return static_cast<std::uint64_t>(__double_as_longlong(d[e]));
  } else if constexpr (kKind == MmaKind::f16_f16) {
    return (d[e / 2] >> (16 * (e % 2))) & 0xFFFFU;
  } else if constexpr (kKind == MmaKind::s8_s32) {
    return d[e];
  } else {
    return __float_as_uint(d[e]);
  }
}

/// Thread 0's first element, and how many of all threads' elements are not it.
template <MmaKind kKind, int kElements, typename D>
__device__ void hand_back(const D& d, DotResult& result) {
  __shared__ std::uint64_t first;
  if (threadIdx.x == 0) {
    first = accumulator_bits<kKind>(d, 0);
    result.d = first;
  }
  __syncthreads();
  std::uint32_t differing = 0;
#pragma unroll
  for (int e = 0; e < kElements; ++e) {
    differing += accumulator_bits<kKind>(d, e) == first ? 0 : 1;
  }
  atomicAdd(&result.differing, differing);
}

/// One warp a case: the row in every row of A, the column in every column of B.
template <MmaKind kKind>
__global__ void mma_sync_dot(const DotCase* cases, DotResult* results) {
  const DotCase& dot = cases[blockIdx.x];
  typename MmaRegisters<kKind>::A a;
  typename MmaRegisters<kKind>::B b;
  typename MmaRegisters<kKind>::D d;
  load_a<kKind>(a, [&dot](int, int col) { return dot.a[col]; });
  load_b<kKind>(b, [&dot](int row, int) { return dot.b[row]; });
  fill_accumulators<kKind>(d, dot.c);
  mma_sync<kKind>(d, a, b, dot.metadata);
  hand_back<kKind, MmaRegisters<kKind>::kElementsD>(d, results[blockIdx.x]);
}

constexpr int kWgmmaDotBytes = kWgmmaTileBytesA + kWgmmaTileBytesB + 1024;

/// The words of one instruction's operand in every row of a tile.
template <MmaKind kKind>
__device__ void fill_rows(char* tile, int rows, const std::uint64_t* elements, int bytes) {
  constexpr int kPerWord = 4 / operand_bytes(kKind);
  const int words = bytes / 4;
  for (int i = static_cast<int>(threadIdx.x); i < rows * words; i += 128) {
    const int row = i / words, word = i % words;
    *reinterpret_cast<std::uint32_t*>(tile + swizzled_offset(row, 4 * word)) =
        pack<kKind>([&](int e) { return elements[word * kPerWord + e]; });
  }
}

/// One warpgroup a case. Code for sm_90a only; elsewhere it is never launched.
template <MmaKind kKind>
__global__ void __launch_bounds__(128)
    wgmma_dot([[maybe_unused]] const DotCase* cases, [[maybe_unused]] DotResult* results) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ char shared[];
  char* a_tile = wgmma_tiles(shared);
  char* b_tile = a_tile + kWgmmaTileBytesA;
  const DotCase& dot = cases[blockIdx.x];
  fill_rows<kKind>(a_tile, 64, dot.a, 32);
  fill_rows<kKind>(b_tile, kWgmmaRowsB, dot.b, wgmma_step_bytes_b(kKind));
  wgmma_publish();
  typename WgmmaRegisters<kKind>::D d;
  fill_accumulators<kKind>(d, dot.c);
  const std::uint64_t b = wgmma_descriptor(b_tile);
  if constexpr (kKind == MmaKind::sparse) {
    std::uint32_t a[4];
    load_a<kKind>(a, [&dot](int, int col) { return dot.a[col]; });
    wgmma_fence();
    wgmma_sparse(d, a, b, dot.metadata);
  } else {
    const std::uint64_t a = wgmma_descriptor(a_tile);
    wgmma_fence();
    wgmma<kKind>(d, a, b);
  }
  wgmma_commit();
  wgmma_wait<0>();
  hand_back<kKind, WgmmaRegisters<kKind>::kElementsD>(d, results[blockIdx.x]);
#endif
}

__global__ void fma_dot(const DotCase* cases, DotResult* results, bool f64) {
  const DotCase& dot = cases[blockIdx.x];
  if (f64) {
    const auto real = [](std::uint64_t bits) {
      return __longlong_as_double(static_cast<long long>(bits));
    };
    results[blockIdx.x].d = static_cast<std::uint64_t>(
        __double_as_longlong(fma(real(dot.a[0]), real(dot.b[0]), real(dot.c))));
  } else {
    const auto real = [](std::uint64_t bits) {
      return __uint_as_float(static_cast<std::uint32_t>(bits));
    };
    results[blockIdx.x].d = __float_as_uint(fmaf(real(dot.a[0]), real(dot.b[0]), real(dot.c)));
  }
}

/// `launch(cases, results, count)` as a runner.
template <typename Launch>
DotRunner runner(const std::string& key, const Launch& launch) {
  return [key, launch](const std::vector<DotCase>& cases) {
    DeviceBuffer<DotCase> input(cases.size());
    DeviceBuffer<DotResult> output(cases.size());
    input.upload(cases);
    output.clear();
    launch(input.data(), output.data(), static_cast<unsigned>(cases.size()));
    ASSAY_CUDA(cudaGetLastError());
    ASSAY_CUDA(cudaDeviceSynchronize());
    std::vector<std::uint64_t> sums;
    for (const DotResult& result : output.download()) {
      if (result.differing != 0) {
        throw WrongResult(key + ": " + std::to_string(result.differing) +
                          " elements of one product differ though rows and columns are alike");
      }
      sums.push_back(result.d);
    }
    return sums;
  };
}

template <MmaKind kKind>
void ask_mma_sync(const Device& device, Measurements& measurements) {
  const std::string key = mma_sync_key(kKind, device.cc());
  if (device.cc() < mma_sync_least_cc(kKind)) {
    add_absent_numerics(key, mma_sync_absence(kKind), measurements);
    return;
  }
  const auto launch = [](const DotCase* cases, DotResult* results, unsigned count) {
    mma_sync_dot<kKind><<<count, 32>>>(cases, results);
  };
  add_mma_numerics({key, mma_sync_text(kKind, device.cc()), kKind,
                    mma_sync_shape(kKind, device.cc()).k, runner(key, launch)},
                   measurements);
}

template <MmaKind kKind>
void ask_wgmma(const Device& device, Measurements& measurements) {
  const std::string key = wgmma_key(kKind);
  if (device.cc() != 90) {
    add_absent_numerics(key,
                        {NullKind::not_supported, "wgmma exists on compute capability 9.0 only"},
                        measurements);
    return;
  }
  const auto launch = [](const DotCase* cases, DotResult* results, unsigned count) {
    wgmma_dot<kKind><<<count, 128, kWgmmaDotBytes>>>(cases, results);
  };
  add_mma_numerics({key, wgmma_text(kKind), kKind, wgmma_shape(kKind).k, runner(key, launch)},
                   measurements);
}

void ask_fma(bool f64, Measurements& measurements) {
  const std::string key = f64 ? "fma_f64" : "fma_f32";
  const auto launch = [f64](const DotCase* cases, DotResult* results, unsigned count) {
    fma_dot<<<count, 1>>>(cases, results, f64);
  };
  add_fma_numerics(key, f64 ? DotFormats{kF64, kF64} : DotFormats{kF32, kF32}, runner(key, launch),
                   measurements);
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements measurements;
  ask_fma(false, measurements);
  ask_fma(true, measurements);
  ask_mma_sync<MmaKind::f16_f32>(device, measurements);
  ask_mma_sync<MmaKind::tf32_f32>(device, measurements);
  ask_mma_sync<MmaKind::bf16_f32>(device, measurements);
  ask_mma_sync<MmaKind::f16_f16>(device, measurements);
  ask_mma_sync<MmaKind::s8_s32>(device, measurements);
  ask_mma_sync<MmaKind::f64_f64>(device, measurements);
  ask_mma_sync<MmaKind::e4m3_f32>(device, measurements);
  ask_mma_sync<MmaKind::sparse>(device, measurements);
  ask_wgmma<MmaKind::f16_f32>(device, measurements);
  ask_wgmma<MmaKind::tf32_f32>(device, measurements);
  ask_wgmma<MmaKind::bf16_f32>(device, measurements);
  ask_wgmma<MmaKind::f16_f16>(device, measurements);
  ask_wgmma<MmaKind::s8_s32>(device, measurements);
  ask_wgmma<MmaKind::e4m3_f32>(device, measurements);
  ask_wgmma<MmaKind::sparse>(device, measurements);
  return measurements;
}

}  // namespace assay
