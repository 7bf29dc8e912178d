// SPDX-License-Identifier: Apache-2.0
// How fast are Hopper's tensor cores through wgmma, the instruction that reaches their full rate?
#include <string>

#include "probes/harness/device_clock.cuh"
#include "probes/harness/probe.h"
#include "probes/looped_work.h"
#include "probes/mma_fragments.cuh"
#include "probes/mma_keys.h"
#include "probes/mma_rates.h"
#include "probes/wgmma_tile.cuh"

namespace assay {

namespace {

/// The image that every block takes its operands from, 4-byte words.
constexpr int kImageWords = 32 * 1024;

/// Words of operands from floats in [-1, 1), as many as a word holds elements.
template <MmaKind kKind>
__global__ void encode_image(const float* floats, std::uint32_t* image, float scale) {
  constexpr int kPerWord = 4 / operand_bytes(kKind);
  const int word = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (word < kImageWords) {
    image[word] =
        pack<kKind>([=](int i) { return encode<kKind>(scale * floats[word * kPerWord + i]); });
  }
}

/// The operands are one image, which every block reads from another place on: content and layout
/// do not matter to the rate, only that it is random, and other in every SM and warpgroup.
template <MmaKind kKind>
__device__ void load_operands(const std::uint32_t* image, char* tiles,
                              WgmmaSparseA<kKind>& sparse_a) {
  constexpr int kChunks = kImageWords / 4;
  const int start = static_cast<int>(blockIdx.x) * 37;
  const auto* chunks = reinterpret_cast<const uint4*>(image);
#pragma unroll 8
  for (int i = static_cast<int>(threadIdx.x); i < wgmma_bytes(kKind) / 16; i += kWgmmaThreads) {
    reinterpret_cast<uint4*>(tiles)[i] = chunks[(start + i) % kChunks];
  }
  if constexpr (kKind == MmaKind::sparse) {
#pragma unroll
    for (int i = 0; i < kWgmmaPerTrip; ++i) {
      const int chunk = start + 1 + (i * kWgmmaThreads + static_cast<int>(threadIdx.x));
      const uint4 words = chunks[chunk % kChunks];
      sparse_a.registers[i][0] = words.x;
      sparse_a.registers[i][1] = words.y;
      sparse_a.registers[i][2] = words.z;
      sparse_a.registers[i][3] = words.w;
    }
  }
}

/// `clocks` gets what the loop of each block, one an SM, took by that SM's own clock. (Between two
/// kernels an SM also waits for the slowest; under a power cap the clocks of its neighbours are not
/// quite its own, and up to 1 % of the clocks passed in waiting.)
template <MmaKind kKind>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    wgmma_loop(const std::uint32_t* image, float* results, std::uint64_t* clocks, int trips) {
  extern __shared__ char shared[];
  char* tiles = wgmma_tiles(shared);
  WgmmaSparseA<kKind> sparse_a;
  load_operands(image, tiles, sparse_a);
  wgmma_publish();
  typename WgmmaRegisters<kKind>::D d;
  clear_wgmma<kKind>(d);
  const std::uint64_t start = read_sm_clock();
  wgmma_run<kKind>(d, tiles, sparse_a, trips);
  __syncthreads();
  if (threadIdx.x == 0) clocks[blockIdx.x] = read_sm_clock() - start;
  // Every accumulator is consumed, unconditionally: behind a condition that cannot hold, ptxas
  // deletes every wgmma, although each is asm volatile.
  float sum = 0.0F;
#pragma unroll
  for (int e = 0; e < WgmmaRegisters<kKind>::kElementsD; ++e) {
    sum += static_cast<float>(accumulator<kKind>(d, e));
  }
  results[blockIdx.x * kWgmmaThreads + threadIdx.x] = sum;
}

template <MmaKind kKind>
LoopedWork wgmma_work(int blocks, const DeviceBuffer<std::uint32_t>& image,
                      const DeviceBuffer<float>& results,
                      const DeviceBuffer<std::uint64_t>& clocks) {
  constexpr int kShared = kWgmmaSharedBytes<kKind>;
  ASSAY_CUDA(cudaFuncSetAttribute(wgmma_loop<kKind>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  kShared));
  const auto launch = [blocks, in = image.data(), out = results.data(), taken = clocks.data()](
                          cudaStream_t stream, int trips) {
    wgmma_loop<kKind><<<blocks, kWgmmaThreads, kShared, stream>>>(in, out, taken, trips);
    ASSAY_CUDA(cudaGetLastError());
  };
  return {launch,
          [blocks](int trips) { return wgmma_flops_per_call(wgmma_shape(kKind), blocks, trips); }};
}

/// Random operands of the type: in [-1, 1), int8 over its whole range.
template <MmaKind kKind>
void fill_image(const DeviceBuffer<std::uint32_t>& image) {
  DeviceBuffer<float> floats(image.size() * 4 / operand_bytes(kKind));
  randomize(floats);
  constexpr float kScale = kKind == MmaKind::s8_s32 ? 127.0F : 1.0F;
  const Stream stream = make_stream();
  encode_image<kKind>
      <<<kImageWords / 256, 256, 0, stream.get()>>>(floats.data(), image.data(), kScale);
  ASSAY_CUDA(cudaGetLastError());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
}

template <MmaKind kKind>
void measure(const Device& device, Thoroughness thoroughness, Measurements& measurements) {
  const int blocks = device.sm_count();
  DeviceBuffer<std::uint32_t> image(kImageWords);
  DeviceBuffer<float> results(static_cast<std::size_t>(blocks) * kWgmmaThreads);
  const DeviceBuffer<std::uint64_t> clocks(static_cast<std::size_t>(blocks));
  const std::string kernel = wgmma_text(kKind) +
                             (kKind == MmaKind::sparse ? ", A in registers, B in shared memory"
                                                       : ", operands in shared memory") +
                             ", 2 warpgroups an SM, 8 per commit";
  const MmaPath path{wgmma_key(kKind),
                     kernel,
                     wgmma_work<kKind>(blocks, image, results, clocks),
                     [&image] { fill_image<kKind>(image); },
                     [&image] { image.clear(); },
                     [&clocks] { return clocks.download(); }};
  measure_mma_rates(device, path, thoroughness, results, measurements);
}

}  // namespace

Measurements run_probe(const Device& device) {
  if (device.cc() != 90) {
    throw NotApplicable("wgmma exists on compute capability 9.0 only");
  }
  Measurements measurements;
  measure<MmaKind::f16_f32>(device, Thoroughness::main, measurements);
  measure<MmaKind::tf32_f32>(device, Thoroughness::main, measurements);
  measure<MmaKind::bf16_f32>(device, Thoroughness::further, measurements);
  measure<MmaKind::f16_f16>(device, Thoroughness::further, measurements);
  measure<MmaKind::s8_s32>(device, Thoroughness::further, measurements);
  measure<MmaKind::e4m3_f32>(device, Thoroughness::further, measurements);
  measure<MmaKind::sparse>(device, Thoroughness::further, measurements);
  return measurements;
}

}  // namespace assay
