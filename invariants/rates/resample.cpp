// SPDX-License-Identifier: Apache-2.0
// What might another run of the same healthy device have measured?
#include "invariants/rates/resample.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay {
namespace {

/// The widest robust CV that a session saw; 0 where none is known.
double between_runs(const Repeat* between, const std::string& path) {
  double widest = 0.0;
  if (between == nullptr) return widest;
  for (const RepeatSession& session : between->sessions) {
    const auto found = session.facts.find(path);
    if (found != session.facts.end()) {
      widest = std::max(widest, found->second.robust_cv.value_or(0.0));
    }
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
                  between_runs(between, path)};
      moved_ += drawn.between_cv > 0.0 ? 1 : 0;
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

void Resampler::draw(const Drawn& drawn, const std::vector<std::size_t>& indices,
                     Dossier& dossier) {
  std::vector<double> samples;
  samples.reserve(indices.size());
  for (const std::size_t index : indices) samples.push_back(drawn.samples[index]);
  double moved = median(samples).value() / drawn.median;
  if (drawn.between_cv > 0.0) moved *= std::exp(drawn.between_cv * normal());
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
