// SPDX-License-Identifier: Apache-2.0
// How far has a device moved from an approved dossier?
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dossiers/dossier.h"

namespace assay {

/// What a move of a fact means for the device.
enum class Drifted {
  worse,   ///< a rate fell, a time grew
  better,  ///< the other way: nothing that damages a device does so
  either,  ///< a ratio, a count: no way is better
};
std::string_view to_string(Drifted drifted);

struct DriftEntry {
  std::string path;
  double current = 0.0;
  double pinned = 0.0;
  double rel = 0.0;        ///< (current - pinned) / |pinned|; of counts, / max(|pinned|, 1)
  double tolerance = 0.0;  ///< what |rel| may reach in the direction that it took
  Drifted drifted = Drifted::either;
  bool over = false;
};

/// Superset of the metakernel document's dossier_drift schema.
struct Drift {
  std::vector<DriftEntry> entries;       ///< by path
  std::vector<std::string> missing;      ///< measured on one side and null, or gone from the
                                         ///< current dossier, or without a comparable baseline
  std::vector<std::string> added;        ///< in the current dossier and not pinned
  std::vector<std::string> differences;  ///< conditions that make the comparison unlike (SKU, ECC,
                                         ///< MIG, power cap, driver branch, level, suite)
  double worst_rel = 0.0;                ///< the greatest |rel|
  int over_tol = 0;
  std::optional<double> rel_tol;  ///< the caller's one tolerance, when given
  int compared = 0;
  bool same_device = false;  ///< same UUID: the tighter tier
  bool pass = false;         ///< compared > 0, nothing over, nothing missing
};

/// What a fact of a healthy device may move between two runs, or between two devices of one SKU,
/// however steady its samples are: relative, by path and unit. Six robust standard deviations.
double usual_move(std::string_view path, Unit unit, bool same_device);
/// -1 where less is better (times), 1 where more is (rates, clocks), 0 where neither.
int better_way(Unit unit);

/// Compares measured facts only (stated and text facts are identity, not drift).
/// Tolerance per fact: `rel_tol` when given, else by tier and the fact's own spread. What a device
/// gained over its own pin has the room of another device's: a fault takes, and does not give.
/// Only the facts of the entry `only`, when one is named.
Drift compare_dossiers(const Dossier& current, const Dossier& pinned,
                       std::optional<double> rel_tol = {}, std::string_view only = {});

}  // namespace assay
