// SPDX-License-Identifier: Apache-2.0
// What might another run of the same healthy device have measured?
#include "invariants/rates/resample.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay {
namespace {

/// A drawn run may lie so much of the seen range beyond it.
constexpr double kBeyondSeen = 0.25;
constexpr int kMostDraws = 100;

/// How far the fact moved from run to run, over all sessions; cv 0 where that is not known.
Moves moves_between_runs(const Repeat* between, const std::string& path) {
  Moves widest;
  if (between == nullptr) return widest;
  for (const FactSpread& spread : between->spreads_of(path)) {
    if (!(spread.median > 0.0)) continue;
    widest.cv = std::max(widest.cv, spread.robust_cv.value_or(0.0));
    widest.low = std::min(widest.low, spread.low / spread.median);
    widest.high = std::max(widest.high, spread.high / spread.median);
  }
  return widest;
}

}  // namespace

Resampler::Resampler(const Catalog& catalog, const Dossier& recorded, const Repeat* between,
                     std::uint64_t seed)
    : recorded_(recorded), random_(seed) {
  for (auto& [entry, measurement] : recorded_.entries) {
    for (auto& [key, fact] : measurement.facts) {
      const auto middle = median(fact.raw);
      std::vector<double> samples = std::move(fact.raw);
      fact.raw.clear();
      const bool moves = middle && *middle > 0.0 && samples.size() > 1 && as_number(fact.value);
      if (!moves || is_whole(fact.units)) continue;
      const std::string path = fact_path(entry, key);
      Drawn drawn{entry,
                  key,
                  catalog.probe_of(path) + "/" + std::to_string(samples.size()),
                  std::move(samples),
                  *middle,
                  moves_between_runs(between, path)};
      moved_ += drawn.between.cv > 0.0 ? 1 : 0;
      drawn_.push_back(std::move(drawn));
    }
  }
  if (drawn_.empty()) {
    throw DataError("run " + recorded.run_id +
                    " has no raw samples to draw from; want a recorded run with its samples/");
  }
}

std::vector<std::size_t> Resampler::indices(std::size_t count) {
  std::vector<std::size_t> drawn(count);
  for (std::size_t& index : drawn) index = static_cast<std::size_t>(random_() % count);
  return drawn;
}

/// Box and Muller. The standard library's distributions differ from one to the next; a seed must
/// mean the same everywhere.
double Resampler::normal() {
  constexpr double kUnit = 0x1p-53;
  const double u = (static_cast<double>(random_() >> 11) + 1.0) * kUnit;
  const double v = static_cast<double>(random_() >> 11) * kUnit;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

/// A rate has a roof and most noise has one side: beyond what was seen a normal distribution knows
/// nothing.
double Resampler::move_between_runs(const Moves& seen) {
  const double beyond = kBeyondSeen * (seen.high - seen.low);
  double move = 1.0;
  for (int i = 0; i < kMostDraws; ++i) {
    move = std::exp(seen.cv * normal());
    if (move >= seen.low - beyond && move <= seen.high + beyond) return move;
  }
  return std::clamp(move, seen.low - beyond, seen.high + beyond);
}

void Resampler::draw(const Drawn& drawn, const std::vector<std::size_t>& indices,
                     Dossier& dossier) {
  std::vector<double> samples;
  samples.reserve(indices.size());
  for (const std::size_t index : indices) samples.push_back(drawn.samples[index]);
  // What is known of the distance between runs holds that of the samples already.
  const double moved = drawn.between.cv > 0.0 ? move_between_runs(drawn.between)
                                              : median(samples).value() / drawn.median;
  // Relative to the fact, which need not be the median of its samples.
  Fact& fact = dossier.entries.at(drawn.entry).facts.at(drawn.key);
  fact.value = as_number(fact.value).value() * moved;
  fact.rel_spread = relative_spread(samples);
}

Dossier Resampler::next() {
  Dossier dossier = recorded_;
  std::map<std::string, std::vector<std::size_t>> by_group;
  for (const Drawn& drawn : drawn_) {
    auto [group, fresh] = by_group.try_emplace(drawn.group);
    if (fresh) group->second = indices(drawn.samples.size());
    draw(drawn, group->second, dossier);
  }
  return dossier;
}

}  // namespace assay
