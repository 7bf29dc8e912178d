// SPDX-License-Identifier: Apache-2.0
// Tensor cores that compute wrong: after each launch of tiles, bits of what one SM computed are
// flipped. ASSAY_SPOIL says how many: `sm` all elements of the SM's tiles, `lane` what a single
// lane of a warp might hold, `bit` one bit of one element in one launch of all.
//
// The probe's file is built with `measure_tiles` renamed to `measure_spoiled_tiles`.
#include <cstddef>
#include <memory>
#include <string>

#include "probes/tile_check.h"

namespace assay {

std::string measure_spoiled_tiles(const Device& device, const TileRun& run, const std::string& key,
                                  const std::string& method, Measurements& measurements);

namespace {

enum class Spoil { sm, lane, bit };

constexpr int kLane = 13;
/// The last bit that a float would have kept of a product held as double.
constexpr unsigned long long kBit = 1ull << 29;

/// One block per tile. The faulty SM is the one that computed the first tile.
__global__ void spoil_tiles(double* products, const std::uint32_t* sm_of_tile, int elements,
                            Spoil spoil) {
  const std::uint32_t faulty = sm_of_tile[0];
  if (sm_of_tile[blockIdx.x] != faulty) return;
  if (spoil == Spoil::bit && blockIdx.x != 0) return;
  auto* const tile = reinterpret_cast<unsigned long long*>(products) +
                     static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(elements);
  for (int i = static_cast<int>(threadIdx.x); i < elements; i += static_cast<int>(blockDim.x)) {
    const bool hit = spoil == Spoil::sm || (spoil == Spoil::lane && i % 32 == kLane) ||
                     (spoil == Spoil::bit && i == kLane);
    if (hit) tile[i] ^= kBit;
  }
}

}  // namespace

std::string measure_spoiled_tiles(const Device& device, const TileRun& run, const std::string& key,
                                  const std::string& method, Measurements& measurements) {
  constexpr Spoil kSpoil = Spoil::ASSAY_SPOIL;
  TileRun spoiled = run;
  const auto launches = std::make_shared<int>(0);
  spoiled.launch = [run, launches](cudaStream_t stream, double* products, std::uint32_t* sm_of_tile,
                                   std::uint32_t seed) {
    run.launch(stream, products, sm_of_tile, seed);
    if (kSpoil == Spoil::bit && (*launches)++ > 0) return;
    spoil_tiles<<<static_cast<unsigned>(run.tiles), 128, 0, stream>>>(
        products, sm_of_tile, run.geometry.elements(), kSpoil);
    ASSAY_CUDA(cudaGetLastError());
  };
  return measure_tiles(device, spoiled, key, method, measurements);
}

}  // namespace assay
