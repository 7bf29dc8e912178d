// SPDX-License-Identifier: Apache-2.0
// Which bandwidths and which peaks make up a device's roofline, and on whose word?
#pragma once

#include <string>
#include <vector>

#include "dossiers/cards/card.h"
#include "dossiers/dossier.h"
#include "dossiers/models/roofline.h"

namespace assay {

/// One bandwidth (GB/s) or one peak (TFLOP/s).
struct Rung {
  std::string name;  ///< "DRAM", "L2", "bf16"
  double value = 0.0;
  std::string
      basis;  ///< "vendor", "derived", "given", or the fact's path: "measured, dram_bw.read"
};

/// A device's roofline: bandwidths from slow to fast, peaks; never empty.
struct Rungs {
  std::string title;
  std::vector<Rung> bandwidths, peaks;
  std::string note;
};

/// Throws std::invalid_argument when the card has no such peak, with the reason that it gives.
Rungs rungs_of_card(const Card& card, Arithmetic arithmetic, PeakBasis basis);
/// The dossier's measured DRAM, L2 and L1 rates and its best rate per arithmetic. The DRAM rung is
/// the best of its plain patterns: the ceiling of a kernel with any mix of reads and writes.
/// Throws std::invalid_argument when no bandwidth or no peak was measured.
Rungs rungs_of_dossier(const Dossier& dossier);

/// The slowest bandwidth, which is device memory's, under the peak named `peak` (empty: the first).
/// Throws std::invalid_argument that lists the peaks.
Roof roof_of(const Rungs& rungs, const std::string& peak);

/// The best measured fact of an entry's keys, unknown ones left out; nullptr when there is none.
struct BestFact {
  std::string path;
  double value = 0.0;
};
/// The largest measured number among "entry.key" for all `keys`, or a path of "" when none is
/// known.
BestFact best_fact(const Dossier& dossier, const std::vector<std::string>& paths);
/// The dossier's paths that measure the rate of tensor arithmetic: mma.*, cublas.* of that type.
std::vector<std::string> rate_paths(const Dossier& dossier, Arithmetic arithmetic);

}  // namespace assay
