// SPDX-License-Identifier: Apache-2.0
// How far does a healthy device measure from a band's edge, in robust standard deviations of what
// it measures? A band nearer than six gives false alarms sooner or later.
#pragma once

#include <optional>
#include <string>

#include "dossiers/dossier.h"
#include "invariants/catalog.h"
#include "invariants/rates/repeat.h"

namespace assay {

inline constexpr double kSigmasWanted = 6.0;

struct BandDistance {
  double sigmas = 0.0;  ///< to the nearest edge
  double rel = 0.0;     ///< the same, relative: |ln(value / edge)|
  double sigma = 0.0;   ///< relative: root of the squares of the inputs' spreads
  std::string claim;    ///< the comparison that is nearest
};

/// The nearest edge of the invariant over a dossier that holds it. A fact's spread is that of its
/// samples or, where `between` (may be null) knows it, the wider one from run to run. nullopt for
/// exact claims and drift, for what does not apply or holds no numbers, and where nothing spreads.
std::optional<BandDistance> distance_to_band(const Invariant& invariant, const Dossier& dossier,
                                             const Repeat* between);

}  // namespace assay
