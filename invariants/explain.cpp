// SPDX-License-Identifier: Apache-2.0
// What does an invariant claim, for which devices?
#include "invariants/explain.h"

#include <algorithm>

#include "invariants/claims.h"
#include "invariants/evaluate.h"

namespace assay {
namespace {

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::vector<std::string> comparisons(const Check& check) {
  std::vector<std::string> claims;
  for (const Quantity& quantity : quantities_of(check, nullptr)) {
    claims.push_back(claim_text(check, quantity));
  }
  return claims;
}

std::string curve_claim(const Check& check) {
  return joined(check.paths, ", ") + ": no step falls by more than " + percent_text(check.slack) +
         ", the last >= " + number_text(check.min_gain) + " x the first";
}

std::string equality_claim(const Equality& pair) {
  if (!pair.fact.empty()) return pair.path + " = " + pair.fact;
  if (pair.flag) return pair.path + " = " + (*pair.value != 0 ? "true" : "false");
  return pair.path + " = " + std::to_string(*pair.value);
}

/// Range only: what 1.0 of each path stands for, where all bands say the same or there is one.
std::vector<std::string> range_claims(const Check& check) {
  std::vector<std::string> claims;
  for (std::size_t i = 0; i < check.paths.size(); ++i) {
    const bool one = check.bands.size() == 1 && !check.bands.front().nominal.empty();
    claims.push_back(check.paths[i] +
                     (one ? " / " + number_text(check.bands.front().nominal[i]) : ""));
  }
  return claims;
}

}  // namespace

std::vector<std::string> claims_of(const Check& check) {
  std::vector<std::string> claims;
  switch (check.kind) {
    case CheckKind::descending:
    case CheckKind::ceiling:
      return comparisons(check);
    case CheckKind::curve:
      return {curve_claim(check)};
    case CheckKind::ratio:
      for (const Term& term : check.terms) claims.push_back(term_text(term));
      return claims;
    case CheckKind::range:
      return range_claims(check);
    case CheckKind::equals:
      for (const Equality& pair : check.equalities) claims.push_back(equality_claim(pair));
      return claims;
    case CheckKind::agree:
      return {joined(check.paths, ", ") + " within " + percent_text(check.rel) +
              " of their median"};
    case CheckKind::drift:
      return {"every measured fact " + (check.entry.empty() ? "" : "of " + check.entry + " ") +
              "lies within its tolerance of the pinned dossier"};
  }
  return claims;
}

BandWords words_of(const Band& band) {
  BandWords words;
  words.limits = limits_text({band.low, band.high});
  std::vector<std::string> nominal;
  for (const double number : band.nominal) nominal.push_back(number_text(number));
  if (!nominal.empty()) words.limits += " of " + joined(nominal, ", ");
  std::vector<std::string> devices;
  if (!band.cc.empty()) devices.push_back(joined(band.cc, ", "));
  if (!band.names.empty()) devices.push_back("only " + joined(band.names, ", "));
  if (!band.not_names.empty()) devices.push_back("not " + joined(band.not_names, ", "));
  words.devices = devices.empty() ? "every device" : joined(devices, "; ");
  return words;
}

std::vector<std::string> conditions_of(const Catalog& catalog, const Invariant& invariant) {
  const Applies& applies = invariant.applies;
  constexpr int kCcScale = 10;  // 90 is 9.0
  std::vector<std::string> conditions;
  if (applies.min_cc) {
    conditions.push_back("compute capability " + std::to_string(*applies.min_cc / kCcScale) + "." +
                         std::to_string(*applies.min_cc % kCcScale) + " and up");
  }
  if (!applies.cc.empty()) conditions.push_back("compute capability " + joined(applies.cc, ", "));
  for (const std::string& feature : applies.has) {
    conditions.push_back(feature == "tensor_cores"  ? "tensor cores"
                         : feature == "full_device" ? "no MIG slice"
                                                    : "ECC on");
  }
  if (!applies.not_names.empty()) conditions.push_back("not " + joined(applies.not_names, ", "));
  const std::vector<std::string> paths = paths_of(invariant.check);
  const bool quick = std::all_of(paths.begin(), paths.end(), [&catalog](const std::string& path) {
    return catalog.is_measured_at(Level::quick, path);
  });
  if (!quick) conditions.emplace_back("level full only");
  return conditions;
}

}  // namespace assay
