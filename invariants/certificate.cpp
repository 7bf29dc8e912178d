// SPDX-License-Identifier: Apache-2.0
// What does a run certify, on what evidence?
#include "invariants/certificate.h"

#include <algorithm>
#include <stdexcept>

#include "invariants/claims.h"
#include "invariants/evaluate.h"

namespace assay {
namespace {

constexpr double kPercent = 100.0;

std::optional<FactCeiling> ceiling_of(double value, double ceiling, const std::string& from) {
  if (!(ceiling > 0.0)) return std::nullopt;
  return FactCeiling{ceiling, from, kPercent * value / ceiling};
}

/// The ceiling that this invariant sets for the fact, if it does: a fact above it or a nominal
/// rate.
std::optional<FactCeiling> ceiling_by(const Invariant& invariant, const Dossier& dossier,
                                      const std::string& path, double value) {
  const Check& check = invariant.check;
  const auto at = std::find(check.paths.begin(), check.paths.end(), path);
  if (at == check.paths.end()) return std::nullopt;
  if (!why_not_applicable(invariant.applies, dossier.device).empty()) return std::nullopt;
  if (check.kind == CheckKind::ceiling) {
    const Fact* ceiling = dossier.find(check.ceiling);
    const auto number = ceiling == nullptr ? std::nullopt : as_number(ceiling->value);
    return number ? ceiling_of(value, *number, check.ceiling) : std::nullopt;
  }
  const Band* band = band_for(check.bands, dossier.device);
  // A nominal without an upper bound is what must at least be reached: no ceiling.
  if (check.kind != CheckKind::range || band == nullptr || band->nominal.empty() || !band->high) {
    return std::nullopt;
  }
  const auto index = static_cast<std::size_t>(at - check.paths.begin());
  return ceiling_of(value, band->nominal[index], invariant.id);
}

std::vector<CertifiedFact> certified_facts(const Catalog& catalog, const Dossier& dossier) {
  std::vector<CertifiedFact> facts;
  for (const auto& [entry, measurement] : dossier.entries) {
    for (const auto& [key, fact] : measurement.facts) {
      CertifiedFact certified{fact_path(entry, key), fact, std::nullopt};
      certified.fact.raw.clear();
      const auto number = as_number(fact.value);
      for (const Invariant& invariant : catalog.invariants) {
        if (!number || certified.ceiling) break;
        certified.ceiling = ceiling_by(invariant, dossier, certified.path, *number);
      }
      facts.push_back(std::move(certified));
    }
  }
  return facts;
}

bool is_drift(const Rules& rules, const std::string& id) {
  const Invariant* invariant = rules.catalog.find(id);
  return invariant != nullptr && invariant->check.kind == CheckKind::drift;
}

/// Nothing of the list could run here: no invariant but drift applies.
bool nothing_applies(const Rules& rules, const Judgement& judgement) {
  const auto& wanted = rules.mustpass.invariants;
  return std::all_of(wanted.begin(), wanted.end(), [&](const MustPassInvariant& item) {
    const Verdict* verdict = find_verdict(judgement, item.id);
    return is_drift(rules, item.id) || verdict->outcome == Outcome::not_applicable;
  });
}

/// Combines what the list wants, and notes in `completeness` what was not allowed to be absent.
Outcome whole_verdict(const Rules& rules, Judgement& judgement) {
  if (nothing_applies(rules, judgement)) return Outcome::not_applicable;
  std::vector<Outcome> outcomes;
  for (const Gap& gap : judgement.completeness.missing) outcomes.push_back(gap.outcome);
  for (const MustPassInvariant& wanted : rules.mustpass.invariants) {
    if (judgement.provisional && is_drift(rules, wanted.id)) continue;
    const Verdict& verdict = *find_verdict(judgement, wanted.id);
    if (verdict.outcome != Outcome::not_applicable) {
      outcomes.push_back(verdict.outcome);
      continue;
    }
    const std::string what = "invariant " + wanted.id;
    if (wanted.may_not_apply) {
      judgement.completeness.skipped.push_back({what, verdict.reason, Outcome::not_applicable});
    } else {
      const std::string reason = verdict.reason + "; the must-pass list does not let it be skipped";
      judgement.completeness.missing.push_back({what, reason, Outcome::no_evidence});
      outcomes.push_back(Outcome::no_evidence);
    }
  }
  return combine(outcomes);
}

std::string headline_of(const Certificate& certificate) {
  std::string text(to_string(certificate.verdict));
  const auto waived =
      std::count_if(certificate.verdicts.begin(), certificate.verdicts.end(),
                    [](const Verdict& verdict) { return verdict.outcome == Outcome::waived; });
  if (waived > 0) text += ", " + std::to_string(waived) + " waived";
  if (certificate.provisional) text += ", provisional: no pinned dossier";
  if (certificate.replay) text += "; replay: certifies nothing about this machine";
  return text;
}

void judge_all(const Rules& rules, const Dossier& dossier, const PinnedDossier* pinned,
               Judgement& judgement) {
  for (const Invariant& invariant : rules.catalog.invariants) {
    std::optional<WaiverUse> used;
    judgement.verdicts.push_back(judge_invariant(rules, invariant, dossier, pinned, &used));
    if (used) judgement.waivers.push_back(*used);
  }
}

}  // namespace

const Verdict* find_verdict(const Judgement& judgement, std::string_view invariant) {
  for (const Verdict& verdict : judgement.verdicts) {
    if (verdict.id == invariant) return &verdict;
  }
  return nullptr;
}

Verdict judge_invariant(const Rules& rules, const Invariant& invariant, const Dossier& dossier,
                        const PinnedDossier* pinned, std::optional<WaiverUse>* used) {
  Verdict verdict =
      evaluate(rules.catalog, invariant, dossier, pinned == nullptr ? nullptr : &pinned->dossier);
  const std::optional<WaiverUse> waiver = apply_waivers(rules.waivers, dossier, verdict);
  if (used != nullptr) *used = waiver;
  return verdict;
}

Judgement judge_dossier(const Rules& rules, const Dossier& dossier, const PinnedDossier* pinned,
                        const JudgeOptions& options) {
  if (rules.mustpass.level != dossier.level) {
    throw std::invalid_argument("the must-pass list is of level " +
                                std::string(to_string(rules.mustpass.level)) +
                                ", the dossier of level " + std::string(to_string(dossier.level)));
  }
  Judgement judgement;
  judgement.provisional = options.bootstrap && pinned == nullptr;
  judge_all(rules, dossier, pinned, judgement);
  judgement.completeness = completeness_of(rules.mustpass, rules.catalog, dossier);
  if (pinned != nullptr) judgement.drift = compare_dossiers(dossier, pinned->dossier);
  judgement.verdict = whole_verdict(rules, judgement);
  return judgement;
}

Certificate make_certificate(const Rules& rules, const Dossier& dossier,
                             const PinnedDossier* pinned, const JudgeOptions& options) {
  Certificate certificate;
  static_cast<Judgement&>(certificate) = judge_dossier(rules, dossier, pinned, options);
  certificate.run_id = dossier.run_id;
  certificate.suite = dossier.suite;
  certificate.created_utc = dossier.created_utc;
  certificate.replay = options.replay;
  certificate.level = dossier.level;
  certificate.catalog_version = rules.catalog.version;
  certificate.catalog_sha256 = rules.catalog.sha256;
  certificate.judging_sha256 = rules.catalog.judging_sha256;
  certificate.mustpass_id = rules.mustpass.id;
  certificate.mustpass_version = rules.mustpass.version;
  certificate.mustpass_sha256 = rules.mustpass.sha256;
  certificate.dossier_sha256 = sha256_hex(dossier_text(dossier));
  certificate.device = dossier.device;
  certificate.probes = dossier.probes;
  certificate.facts = certified_facts(rules.catalog, dossier);
  if (pinned != nullptr) {
    certificate.pinned_run_id = pinned->dossier.run_id;
    certificate.pinned_sha256 = pinned->sha256;
  }
  certificate.rates = rates_for(rules.figures, dossier.device, dossier.level);
  certificate.headline = headline_of(certificate);
  return certificate;
}

}  // namespace assay
