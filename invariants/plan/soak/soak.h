// SPDX-License-Identifier: Apache-2.0
// Does the GPU still compute and remember exactly after hours of it?
#pragma once

#include <filesystem>
#include <functional>

#include "invariants/plan/soak/soak_record.h"
#include "invariants/plan/soak/soak_round.h"

namespace assay {

struct SoakOrder {
  RoundOrder round;
  std::filesystem::path out;  ///< absolute; the soak lies in <out>/<uuid>/soak-<run id>
  double wanted_s = 3600.0;   ///< of rounds that pass
};

struct Soaked {
  std::filesystem::path folder;
  SoakRecord record;
};

/// Goes on with the newest unfinished soak of the device under `out`, or begins one; repeats rounds
/// until those that passed have taken `wanted_s`, or all together twice that, and at least one
/// round; writes soak.json after each round. The verdict: fail when any round failed or a fault
/// counter moved over the whole time, no_evidence when a probe crashed, inconclusive when too few
/// rounds were clean; contended rounds alone spoil nothing. `tell` is called after each round.
/// Throws DataError when the unfinished soak is of another driver, build or length, and
/// std::runtime_error on I/O failure.
Soaked soak(const SoakOrder& order, const std::function<void(const SoakRecord&)>& tell);

/// "round 12, 0.40 h of 1.00 h clean, about 36 min left"
std::string soak_progress(const SoakRecord& record);

}  // namespace assay
