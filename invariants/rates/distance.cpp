// SPDX-License-Identifier: Apache-2.0
// How far does a healthy device measure from a band's edge?
#include "invariants/rates/distance.h"

#include <algorithm>
#include <cmath>

#include "invariants/claims.h"
#include "invariants/evaluate.h"

namespace assay {
namespace {

double spread_of(const std::string& path, const Dossier& dossier, const Repeat* between) {
  const Fact* fact = dossier.find(path);
  double spread = fact == nullptr ? 0.0 : fact->rel_spread.value_or(0.0);
  if (between == nullptr) return spread;
  for (const FactSpread& moved : between->spreads_of(path)) {
    spread = std::max(spread, moved.robust_cv.value_or(0.0));
  }
  return spread;
}

double sigma_of(const Term& term, const Dossier& dossier, const Repeat* between) {
  double squares = 0.0;
  for (const auto& paths : {term.over, term.under}) {
    for (const std::string& path : paths) {
      const double spread = spread_of(path, dossier, between);
      squares += spread * spread;
    }
  }
  return std::sqrt(squares);
}

void keep_nearest(std::optional<BandDistance>& nearest, BandDistance next) {
  if (!(next.sigma > 0.0)) return;
  next.sigmas = next.rel / next.sigma;
  if (!nearest || next.sigmas < nearest->sigmas) nearest = std::move(next);
}

/// Each path against the median of all: how much of `rel` is left to it.
std::optional<BandDistance> agreement(const Check& check, const Dossier& dossier,
                                      const Repeat* between) {
  std::vector<double> values;
  for (const std::string& path : check.paths) {
    const auto value = value_of(Term{{path}, {}, 1.0}, dossier);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  const double middle = median(values).value();
  std::optional<BandDistance> nearest;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double left = check.rel - std::abs(values[i] - middle) / middle;
    keep_nearest(nearest, {0.0, left, spread_of(check.paths[i], dossier, between),
                           check.paths[i] + " against the median"});
  }
  return nearest;
}

}  // namespace

std::optional<BandDistance> distance_to_band(const Invariant& invariant, const Dossier& dossier,
                                             const Repeat* between) {
  if (!why_not_applicable(invariant.applies, dossier.device).empty()) return std::nullopt;
  const Check& check = invariant.check;
  if (check.kind == CheckKind::agree) return agreement(check, dossier, between);
  std::optional<BandDistance> nearest;
  for (const Quantity& quantity : quantities_of(check, band_for(check.bands, dossier.device))) {
    const auto value = value_of(quantity.term, dossier);
    if (!value || !(*value > 0.0)) continue;
    for (const auto& edge : {quantity.limits.low, quantity.limits.high}) {
      if (!edge) continue;
      keep_nearest(nearest,
                   {0.0, std::abs(std::log(*value / *edge)),
                    sigma_of(quantity.term, dossier, between), claim_text(check, quantity)});
    }
  }
  return nearest;
}

}  // namespace assay
