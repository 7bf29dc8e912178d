// SPDX-License-Identifier: Apache-2.0
// Has the device moved from its approved dossier, and may it be compared with it at all?
#include <cmath>
#include <limits>
#include <string>

#include "dossiers/drift.h"
#include "invariants/claims.h"
#include "invariants/evaluate_detail.h"

namespace assay::detail {
namespace {

std::string why_incomparable(const DeviceIdentity& current, const DeviceIdentity& pinned) {
  if (current.name != pinned.name) {
    return "the pinned dossier is of another product: " + pinned.name;
  }
  if (current.cc_major != pinned.cc_major || current.cc_minor != pinned.cc_minor) {
    return "the pinned dossier is of another compute capability";
  }
  return {};
}

/// What was pinned and cannot be compared now. Evidence that once was there and is gone is never
/// "not applicable".
std::vector<Gap> missing_gaps(const Catalog& catalog, const Dossier& dossier, const Drift& drift) {
  std::vector<Gap> gaps;
  for (const std::string& path : drift.missing) {
    if (dossier.find(path) == nullptr && !catalog.is_measured_at(dossier.level, path)) continue;
    Gap gap = gap_at(catalog, dossier, path);
    if (gap.outcome == Outcome::pass) gap.reason = path + " is pinned and is no number now";
    if (gap.outcome != Outcome::inconclusive) gap.outcome = Outcome::no_evidence;
    gaps.push_back(std::move(gap));
  }
  return gaps;
}

/// How much of its tolerance an entry used. Counts have none: any move uses infinitely much of it.
double share_of(const DriftEntry& entry) {
  const double moved = std::abs(entry.rel);
  if (moved == 0.0) return 0.0;
  const double share = moved / entry.tolerance;
  return share >= 0.0 ? share : std::numeric_limits<double>::infinity();
}

/// The entry that used the most of its tolerance; low-confidence facts cannot gate.
const DriftEntry* worst_entry(const Drift& drift, const Dossier& dossier, bool gating) {
  const DriftEntry* worst = nullptr;
  for (const DriftEntry& entry : drift.entries) {
    const Fact* fact = dossier.find(entry.path);
    const bool low = fact != nullptr && fact->confidence == Confidence::low;
    if (low == gating) continue;
    const bool first = worst == nullptr || (entry.over && !worst->over);
    const bool more =
        worst != nullptr && entry.over == worst->over && share_of(entry) > share_of(*worst);
    if (first || more) worst = &entry;
  }
  return worst;
}

std::string drift_text(const DriftEntry& entry, const Dossier& dossier) {
  return fact_text(dossier, entry.path) + " is " + percent_text(entry.rel) + " from the pinned " +
         number_text(entry.pinned) + ", more than " + percent_text(entry.tolerance);
}

std::string differences_text(const Drift& drift) {
  std::string text;
  for (const std::string& difference : drift.differences) {
    text += (text.empty() ? "; compared across: " : ", ") + difference;
  }
  return text;
}

void fill(Verdict& verdict, const DriftEntry& entry, const Dossier& dossier) {
  verdict.measured = std::abs(entry.rel);
  verdict.high = entry.tolerance;
  if (entry.tolerance > 0.0) {
    verdict.margin = (entry.tolerance - std::abs(entry.rel)) / entry.tolerance;
  }
  const Fact* fact = dossier.find(entry.path);
  if (fact != nullptr) verdict.inputs = {{entry.path, fact->value, fact->units}};
}

/// "latency: " of one family, nothing of all.
std::string family_of(const Invariant& invariant) {
  return invariant.check.entry.empty() ? "" : invariant.check.entry + ": ";
}

/// Why a fact of the family is no number on this device and never can be; empty where one may be.
std::string why_impossible(const Catalog& catalog, const Invariant& invariant,
                           const Dossier& dossier) {
  const auto entry = dossier.entries.find(invariant.check.entry);
  if (entry != dossier.entries.end()) {
    std::string reason;
    for (const auto& [key, fact] : entry->second.facts) {
      const Gap gap = gap_at(catalog, dossier, fact_path(entry->first, key));
      if (gap.outcome != Outcome::not_applicable) return {};
      if (reason.empty()) reason = gap.reason;
    }
    return reason;
  }
  std::string reason;
  for (const std::string& probe : invariant.probes) {
    const auto record = dossier.probes.find(probe);
    const bool cannot =
        record != dossier.probes.end() && record->second.status == ProbeStatus::not_applicable;
    if (!cannot) return {};
    if (reason.empty()) reason = probe + ": " + record->second.reason;
  }
  return reason;
}

/// Nothing was compared. What neither side has because the device cannot is not applicable; what is
/// there and not pinned has nothing that approves it.
Gap uncompared_gap(const Catalog& catalog, const Invariant& invariant, const Dossier& dossier,
                   const Drift& drift) {
  if (!invariant.check.entry.empty() && drift.added.empty() && drift.missing.empty()) {
    const std::string reason = why_impossible(catalog, invariant, dossier);
    if (!reason.empty()) return {"drift", reason, Outcome::not_applicable};
  }
  if (drift.compared > 0) {
    return {"drift", family_of(invariant) + "every fact has low confidence and cannot gate",
            Outcome::inconclusive};
  }
  return {"drift", family_of(invariant) + "no fact to compare" + differences_text(drift),
          Outcome::no_evidence};
}

void judge_entries(const Catalog& catalog, const Invariant& invariant, const Dossier& dossier,
                   const Drift& drift, Verdict& verdict) {
  verdict.claim = family_of(invariant) + std::to_string(drift.compared) +
                  " facts within their tolerance of " +
                  (drift.same_device ? "this device's" : "this product's") + " pinned dossier";
  const DriftEntry* worst = worst_entry(drift, dossier, true);
  if (worst != nullptr) fill(verdict, *worst, dossier);
  if (worst != nullptr && worst->over) {
    verdict.outcome = Outcome::fail;
    verdict.reason = drift_text(*worst, dossier);
    if (verdict.margin) verdict.reason += " (margin " + percent_text(*verdict.margin) + ")";
    verdict.reason += differences_text(drift);
    if (drift.over_tol > 1) {
      verdict.reason += "; " + std::to_string(drift.over_tol - 1) + " more over tolerance";
    }
    return;
  }
  std::vector<Gap> gaps = missing_gaps(catalog, dossier, drift);
  const DriftEntry* unsure = worst_entry(drift, dossier, false);
  if (unsure != nullptr && unsure->over) {
    gaps.push_back({unsure->path, drift_text(*unsure, dossier) + ", but has low confidence",
                    Outcome::inconclusive});
  }
  if (gaps.empty() && worst == nullptr) {
    gaps.push_back(uncompared_gap(catalog, invariant, dossier, drift));
  }
  verdict.outcome = Outcome::pass;
  if (!gaps.empty()) settle(verdict, gaps);
}

}  // namespace

void judge_drift(const Catalog& catalog, const Invariant& invariant, const Dossier& dossier,
                 const Dossier* pinned, Verdict& verdict) {
  verdict.outcome = Outcome::no_evidence;
  if (pinned == nullptr) {
    verdict.reason = "no pinned dossier for " + dossier.device.name;
    return;
  }
  verdict.reason = why_incomparable(dossier.device, pinned->device);
  if (!verdict.reason.empty()) return;
  const std::vector<Gap> gaps = spoiled_windows(invariant, dossier);
  if (!gaps.empty()) {
    settle(verdict, gaps);
    return;
  }
  const Drift drift = compare_dossiers(dossier, *pinned, {}, invariant.check.entry);
  judge_entries(catalog, invariant, dossier, drift, verdict);
}

}  // namespace assay::detail
