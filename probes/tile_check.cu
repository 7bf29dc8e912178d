// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "probes/tile_check.h"
#include "probes/tile_summary.h"

namespace assay {

namespace {

constexpr std::uint32_t kFirstSeed = 0x7113;
constexpr int kMinRounds = 3;
constexpr int kMaxRounds = 16;
constexpr int kCheckThreads = 256;

/// One block per tile. The reference is plain integer arithmetic on the elements' own definition,
/// by row and column: it shares nothing with the fragments' layout.
__global__ void check_tiles(const double* products, TileGeometry tile, std::uint32_t seed,
                            std::uint32_t* wrong, unsigned long long* checked) {
  const std::uint32_t index = blockIdx.x;
  std::uint32_t my_wrong = 0;
  unsigned long long my_checked = 0;
  for (int i = static_cast<int>(threadIdx.x); i < tile.m * tile.n; i += kCheckThreads) {
    const std::int64_t expected = tile_reference(tile, seed, index, i / tile.n, i % tile.n);
    const double got = products[static_cast<std::size_t>(index) * tile.m * tile.n + i];
    // Written so that NaN, which the buffer holds before the run, is wrong.
    my_wrong += got == static_cast<double>(expected) ? 0 : 1;
    my_checked += 1;
  }
  atomicAdd(&wrong[index], my_wrong);
  atomicAdd(checked, my_checked);
}

/// Buffers of one path's rounds.
class TileRounds {
 public:
  explicit TileRounds(const TileRun& run)
      : run_(run),
        products_(static_cast<std::size_t>(run.tiles) * run.geometry.elements()),
        sms_(run.tiles),
        wrong_(run.tiles),
        checked_(1),
        stream_(make_stream()) {}

  void compute(std::uint32_t seed) {
    // All ones is NaN and no SM's number: what is not written is seen.
    ASSAY_CUDA(cudaMemset(products_.data(), 0xFF, products_.bytes()));
    ASSAY_CUDA(cudaMemset(sms_.data(), 0xFF, sms_.bytes()));
    ASSAY_CUDA(cudaDeviceSynchronize());
    launch(stream_.get(), seed);
    ASSAY_CUDA(cudaStreamSynchronize(stream_.get()));
  }

  void launch(cudaStream_t stream, std::uint32_t seed) {
    run_.launch(stream, products_.data(), sms_.data(), seed);
  }

  /// Wrong elements of each tile. Throws WrongResult unless every element was looked at.
  std::vector<std::uint32_t> check(std::uint32_t seed) {
    wrong_.clear();
    checked_.clear();
    ASSAY_CUDA(cudaDeviceSynchronize());
    check_tiles<<<static_cast<unsigned>(run_.tiles), kCheckThreads, 0, stream_.get()>>>(
        products_.data(), run_.geometry, seed, wrong_.data(), checked_.data());
    ASSAY_CUDA(cudaGetLastError());
    ASSAY_CUDA(cudaStreamSynchronize(stream_.get()));
    if (checked_.download().front() != products_.size()) {
      throw WrongResult("the tile check did not look at every element");
    }
    return wrong_.download();
  }

  std::vector<std::uint32_t> sms() const {
    const std::vector<std::uint32_t> sms = sms_.download();
    for (const std::uint32_t sm : sms) {
      if (sm == std::numeric_limits<std::uint32_t>::max()) {
        throw WrongResult("a tile was not computed: its block did not write its SM's number");
      }
    }
    return sms;
  }

  /// Spoils the last element of the last tile, which must be right before.
  void plant_error() {
    const double spoiled = -std::numeric_limits<double>::max();
    ASSAY_CUDA(cudaMemcpy(products_.data() + products_.size() - 1, &spoiled, sizeof(spoiled),
                          cudaMemcpyHostToDevice));
  }

 private:
  const TileRun& run_;
  DeviceBuffer<double> products_;
  DeviceBuffer<std::uint32_t> sms_;
  DeviceBuffer<std::uint32_t> wrong_;
  DeviceBuffer<unsigned long long> checked_;
  Stream stream_;
};

/// Throws unless one wrong element raises the count of its tile to what it must be.
void prove_check(TileRounds& rounds, std::uint32_t seed, std::uint32_t wrong_before, int elements) {
  rounds.plant_error();
  const std::uint32_t wrong = rounds.check(seed).back();
  const bool was_all_wrong = wrong_before == static_cast<std::uint32_t>(elements);
  // Where the tile was right, exactly one; where it was not, the element may have been among them.
  const bool seen = wrong_before == 0 ? wrong == 1 : wrong >= wrong_before;
  if (!seen && !was_all_wrong) {
    throw WrongResult("the tile check does not see a wrong element");
  }
}

TileSummary run_rounds(const Device& device, const TileRun& run, TileRounds& rounds) {
  TileSummary summary;
  const int least = device.level() == Level::full ? kMaxRounds / 2 : kMinRounds;
  for (int round = 0; round < kMaxRounds; ++round) {
    if (round >= least && summary.sms_covered() >= device.sm_count()) {
      break;
    }
    const std::uint32_t seed = kFirstSeed + static_cast<std::uint32_t>(round);
    rounds.compute(seed);
    const std::vector<std::uint32_t> wrong = rounds.check(seed);
    summary.add(rounds.sms(), wrong);
    if (round == 0) {
      prove_check(rounds, seed, wrong.back(), run.geometry.elements());
    }
  }
  return summary;
}

/// measured() takes no zero, and here zero is the right answer.
Fact counted(std::int64_t count, const std::string& method, const Timing& window,
             std::int64_t tiles) {
  Fact fact;
  fact.value = count;
  fact.units = Unit::count;
  fact.method = method;
  fact.samples = static_cast<int>(tiles);
  if (!window.spoiled && window.clock_ghz > 0.0) {
    fact.clock_ghz = window.clock_ghz;
  }
  return fact;
}

}  // namespace

std::string measure_tiles(const Device& device, const TileRun& run, const std::string& key,
                          const std::string& method, Measurements& measurements) {
  TileRounds rounds(run);
  const TileSummary summary = run_rounds(device, run, rounds);
  const Timing window = watch(
      device, [&rounds](cudaStream_t stream) { rounds.launch(stream, kFirstSeed); }, 3);
  measurements.add(
      "mma_tile." + key,
      counted(summary.wrong_elements(), "elements that differ from integer arithmetic; " + method,
              window, summary.tiles()));
  measurements.add("mma_tile." + key + "_sms",
                   counted(summary.sms_covered(), "distinct %smid of the tiles' blocks; " + method,
                           window, summary.tiles()));
  return key + ": " + summary.note();
}

void add_absent_tiles(const std::string& key, const std::string& method, const NullReason& reason,
                      Measurements& measurements) {
  measurements.add("mma_tile." + key, absent(Unit::count, method, reason));
  measurements.add("mma_tile." + key + "_sms", absent(Unit::count, method, reason));
}

}  // namespace assay
