// SPDX-License-Identifier: Apache-2.0
// How fast are Hopper's tensor cores through wgmma, the instruction that reaches their full rate?
#include <string>

#include <cuda_fp16.h>

#include "probes/harness/probe.h"
#include "probes/looped_work.h"
#include "probes/mma_rates.h"
#include "probes/mma_shape.h"
#include "probes/wgmma_tile.cuh"

namespace assay {

namespace {

constexpr int kWords = kWgmmaBytes / 16;  // 16-byte words of a block's operands

__global__ void round_to_half(const float* floats, __half2* halves, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) {
    halves[i] = __floats2half2_rn(floats[2 * i], floats[2 * i + 1]);
  }
}

/// The operands are one image, which every block reads from another place on: content and layout
/// do not matter to the rate, only that it is random, and other in every SM and warpgroup.
template <MmaInput kInput>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    wgmma_loop(const float* image, float* results, int trips) {
  extern __shared__ char shared[];
  char* tiles = wgmma_tiles(shared);
  const int start = static_cast<int>(blockIdx.x) * 37;
  const auto* words = reinterpret_cast<const uint4*>(image);
#pragma unroll 8
  for (int word = static_cast<int>(threadIdx.x); word < kWords; word += kWgmmaThreads) {
    reinterpret_cast<uint4*>(tiles)[word] = words[(start + word) % kWords];
  }
  wgmma_publish();
  float d[128];
  clear_accumulators(d);
  wgmma_run<kInput>(d, tiles, trips);
  // Every accumulator is consumed, unconditionally: behind a condition that cannot hold, ptxas
  // deletes every wgmma, although each is asm volatile.
  float sum = 0.0F;
#pragma unroll
  for (int e = 0; e < 128; ++e) {
    sum += d[e];
  }
  results[blockIdx.x * kWgmmaThreads + threadIdx.x] = sum;
}

template <MmaInput kInput>
LoopedWork wgmma_work(int blocks, const DeviceBuffer<float>& image,
                      const DeviceBuffer<float>& results) {
  ASSAY_CUDA(cudaFuncSetAttribute(wgmma_loop<kInput>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  kWgmmaSharedBytes));
  const auto launch = [blocks, in = image.data(), out = results.data()](cudaStream_t stream,
                                                                        int trips) {
    wgmma_loop<kInput><<<blocks, kWgmmaThreads, kWgmmaSharedBytes, stream>>>(in, out, trips);
    ASSAY_CUDA(cudaGetLastError());
  };
  return {launch,
          [blocks](int trips) { return wgmma_flops_per_call(wgmma_shape(kInput), blocks, trips); }};
}

/// Random operands of the type, in [-1, 1).
template <MmaInput kInput>
void fill_image(DeviceBuffer<float>& image) {
  if constexpr (kInput == MmaInput::tf32) {
    randomize(image);
  } else {
    DeviceBuffer<float> floats(2 * image.size());
    randomize(floats);
    const int count = static_cast<int>(image.size());
    const Stream stream = make_stream();
    round_to_half<<<(count + 255) / 256, 256, 0, stream.get()>>>(
        floats.data(), reinterpret_cast<__half2*>(image.data()), count);
    ASSAY_CUDA(cudaGetLastError());
    ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  }
}

template <MmaInput kInput>
void measure(const Device& device, const std::string& key, Measurements& measurements) {
  const int blocks = device.sm_count();
  DeviceBuffer<float> image(kWgmmaBytes / sizeof(float));
  DeviceBuffer<float> results(static_cast<std::size_t>(blocks) * kWgmmaThreads);
  const std::string kernel = "wgmma m64n256k" + std::to_string(wgmma_shape(kInput).k) +
                             ", operands in shared memory, 2 warpgroups an SM, 8 per commit";
  const MmaPath path{key, kernel, wgmma_work<kInput>(blocks, image, results),
                     [&image] { fill_image<kInput>(image); }, [&image] { image.clear(); }};
  measure_mma_rates(device, path, results, measurements);
}

}  // namespace

Measurements run_probe(const Device& device) {
  if (device.cc() != 90) {
    throw NotApplicable("wgmma exists on compute capability 9.0 only");
  }
  Measurements measurements;
  measure<MmaInput::f16>(device, "wgmma_f16_f32", measurements);
  measure<MmaInput::tf32>(device, "wgmma_tf32_f32", measurements);
  return measurements;
}

}  // namespace assay
