// SPDX-License-Identifier: Apache-2.0
// Does every SM's tensor core compute products of integers exactly?
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "probes/harness/probe.h"
#include "probes/mma_layout.h"

namespace assay {

struct TileRun {
  TileGeometry geometry;
  int tiles = 0;  ///< per launch
  /// Computes tile i of `seed` into products[i * m * n], row by row, and the SM's number into
  /// sm_of_tile[i].
  std::function<void(cudaStream_t, double* products, std::uint32_t* sm_of_tile, std::uint32_t seed)>
      launch;
};

/// Runs rounds with new random integers until every SM has had tiles (at least 3 rounds, at most
/// 16), compares each element bit by bit with integer arithmetic, and adds `mma_tile.<key>` (wrong
/// elements), `mma_tile.<key>_sms` (SMs covered). Returns the entry's note.
/// Throws CudaError, and WrongResult when the comparison itself cannot be trusted: it did not look
/// at every element, or does not see an error planted into one.
std::string measure_tiles(const Device& device, const TileRun& run, const std::string& key,
                          const std::string& method, Measurements& measurements);

/// The same two facts, absent.
void add_absent_tiles(const std::string& key, const std::string& method, const NullReason& reason,
                      Measurements& measurements);

}  // namespace assay
