// SPDX-License-Identifier: Apache-2.0
// How often would healthy runs fail, and how often would planted faults be seen?
#include "invariants/rates/power.h"

#include <array>

#include "invariants/certificate.h"
#include "invariants/rates/resample.h"
#include "invariants/share.h"

namespace assay {
namespace {

constexpr std::array kTiers{PinTier::same_device, PinTier::same_product};
constexpr std::int64_t kPlantEvery = 3;

/// The recorded run as what drift is measured against.
PinnedDossier pin_of(const Dossier& recorded, PinTier tier) {
  PinnedDossier pin{recorded, sha256_hex(dossier_text(recorded)), true};
  if (tier == PinTier::same_product) {
    pin.dossier.device.uuid = hashed_uuid("another device");
    pin.same_device = false;
  }
  return pin;
}

void count(Outcome verdict, PowerRow& row) {
  ++row.runs;
  row.failed += verdict == Outcome::fail || verdict == Outcome::no_evidence ? 1 : 0;
  row.inconclusive += verdict == Outcome::inconclusive ? 1 : 0;
}

std::vector<PowerRow> empty_rows() {
  std::vector<PowerRow> rows;
  for (const PinTier tier : kTiers) rows.push_back({"", "healthy", "drawn runs as they are", tier});
  for (const Plant& plant : plants()) {
    for (const PinTier tier : kTiers) rows.push_back({plant.id, plant.title, plant.model, tier});
  }
  return rows;
}

PowerModel model_of(const Rules& rules, const Dossier& recorded, const PowerOrder& order) {
  PowerModel model;
  model.suite = this_suite();
  model.product = recorded.device.name;
  model.cc_major = recorded.device.cc_major;
  model.cc_minor = recorded.device.cc_minor;
  model.level = recorded.level;
  model.judging_sha256 = rules.catalog.judging_sha256;
  model.run_id = recorded.run_id;
  model.seed = order.seed;
  model.rows = empty_rows();
  return model;
}

void require_healthy(const Rules& rules, const Dossier& recorded, const PinnedDossier& pin) {
  const Judgement judgement = judge_dossier(rules, recorded, &pin, {});
  if (judgement.verdict == Outcome::pass || judgement.verdict == Outcome::waived) return;
  std::string why;
  for (const Verdict& verdict : judgement.verdicts) {
    const bool to_blame = verdict.outcome == judgement.verdict;
    if (to_blame && why.empty()) why = ", " + verdict.id + ": " + verdict.reason;
  }
  throw DataError("run " + recorded.run_id + " is itself judged " +
                  std::string(to_string(judgement.verdict)) + why + "; want a healthy one");
}

}  // namespace

std::string_view to_string(PinTier tier) {
  return tier == PinTier::same_device ? "same device" : "same product";
}

PowerModel simulate(const Rules& rules, const Dossier& recorded, const Repeat* between,
                    const PowerOrder& order) {
  PowerModel model = model_of(rules, recorded, order);
  Resampler resampler(rules.catalog, recorded, between, order.seed);
  model.facts_drawn = static_cast<std::int64_t>(resampler.resampled());
  model.facts_between = static_cast<std::int64_t>(resampler.moved());
  const std::array pins{pin_of(recorded, kTiers[0]), pin_of(recorded, kTiers[1])};
  for (const PinnedDossier& pin : pins) require_healthy(rules, recorded, pin);
  for (std::int64_t run = 0; run < order.runs; ++run) {
    const Dossier healthy = resampler.next();
    for (PowerRow& row : model.rows) {
      if (!row.plant.empty() && run % kPlantEvery != 0) continue;
      const PinnedDossier& pin = pins[row.tier == PinTier::same_device ? 0 : 1];
      const Dossier& judged = row.plant.empty() ? healthy : planted(healthy, row.plant);
      count(judge_dossier(rules, judged, &pin, {}).verdict, row);
    }
    if (order.progress) order.progress(run + 1);
  }
  return model;
}

}  // namespace assay
