// SPDX-License-Identifier: Apache-2.0
// What might another run of the same healthy device have measured? A model: samples of a recorded
// run drawn again with replacement, and the distance between runs where it was measured.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "dossiers/dossier.h"
#include "invariants/catalog.h"
#include "invariants/rates/repeat.h"

namespace assay {

/// How a fact moved from run to run, relative to the median of its session.
struct Moves {
  double cv = 0.0;               ///< robust; 0: not known
  double low = 1.0, high = 1.0;  ///< what was seen
};

class Resampler {
 public:
  /// `recorded` holds its raw samples (read_dossier with samples). `between`, when not null, says
  /// how each fact moved from run to run: the widest of its sessions. Such a fact moves by that
  /// (normal, cut off a little beyond what was seen) and not by its samples too. Throws DataError
  /// when not one fact has samples.
  Resampler(const Catalog& catalog, const Dossier& recorded, const Repeat* between,
            std::uint64_t seed);

  /// The next run. The same seed gives the same runs. Facts of one probe with equally many samples
  /// are drawn by the same indices, so that what moved together moves together; counts and stated
  /// facts stay. `rel_spread` is that of the samples drawn.
  Dossier next();

  std::size_t resampled() const { return drawn_.size(); }  ///< facts with samples
  std::size_t moved() const { return moved_; }             ///< of those: also between runs

 private:
  struct Drawn {
    std::string entry, key;
    std::string group;  ///< probe and number of samples
    std::vector<double> samples;
    double median = 0.0;
    Moves between;
  };
  void draw(const Drawn& fact, const std::vector<std::size_t>& indices, Dossier& dossier);
  std::vector<std::size_t> indices(std::size_t count);
  double move_between_runs(const Moves& seen);
  double normal();

  Dossier recorded_;  ///< without raw samples
  std::vector<Drawn> drawn_;
  std::size_t moved_ = 0;
  std::mt19937_64 random_;
};

}  // namespace assay
