// SPDX-License-Identifier: Apache-2.0
// Does this claim hold over this dossier?
#include "invariants/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "invariants/claims.h"
#include "invariants/evaluate_detail.h"
#include "invariants/relations.h"
#include "invariants/rows.h"

namespace assay {
namespace {

constexpr std::size_t kReasonsShown = 3;

/// True where the check wants this fact to be true or false.
bool is_flag(const Check& check, const std::string& path) {
  return std::any_of(check.equalities.begin(), check.equalities.end(),
                     [&path](const Equality& pair) { return pair.flag && pair.path == path; });
}

/// Gaps of one fact that is there: is it a number, trusted enough, steady enough?
void add_quality_gaps(const Invariant& invariant, const std::string& path, const Fact& fact,
                      std::vector<Gap>& gaps) {
  if (is_flag(invariant.check, path)) {
    if (!std::holds_alternative<bool>(fact.value)) {
      gaps.push_back({path, path + " is neither true nor false", Outcome::no_evidence});
    }
  } else if (!as_number(fact.value)) {
    gaps.push_back({path, path + " is not a number", Outcome::no_evidence});
    return;
  }
  if (fact.confidence == Confidence::low) {
    gaps.push_back({path, path + " has low confidence and cannot gate", Outcome::inconclusive});
  }
  if (!invariant.max_spread || fact.samples == 0) return;
  if (!fact.rel_spread) {
    gaps.push_back(
        {path,
         path + " has " + std::to_string(fact.samples) + " samples: too few to know its spread",
         Outcome::inconclusive});
  } else if (!(*fact.rel_spread <= *invariant.max_spread)) {
    gaps.push_back({path,
                    path + " spreads " + percent_text(*fact.rel_spread) + ", more than " +
                        percent_text(*invariant.max_spread),
                    Outcome::inconclusive});
  }
}

std::vector<Gap> find_gaps(const Catalog& catalog, const Invariant& invariant,
                           const Dossier& dossier) {
  std::vector<Gap> gaps = detail::spoiled_windows(invariant, dossier);
  for (const std::string& path : paths_of(invariant.check)) {
    Gap gap = gap_at(catalog, dossier, path);
    if (gap.outcome != Outcome::pass) {
      gaps.push_back(std::move(gap));
      continue;
    }
    add_quality_gaps(invariant, path, *dossier.find(path), gaps);
  }
  return gaps;
}

std::vector<Input> read_inputs(const std::vector<std::string>& paths, const Dossier& dossier) {
  std::vector<Input> inputs;
  for (const std::string& path : paths) {
    const Fact* fact = dossier.find(path);
    inputs.push_back(fact == nullptr ? Input{path, {}, Unit::none}
                                     : Input{path, fact->value, fact->units});
  }
  return inputs;
}

void fill(Verdict& verdict, const Relation& relation) {
  verdict.outcome = relation.holds ? Outcome::pass : Outcome::fail;
  verdict.measured = relation.measured;
  verdict.low = relation.limits.low;
  verdict.high = relation.limits.high;
  verdict.margin = relation.margin;
}

std::vector<double> numbers(const std::vector<std::string>& paths, const Dossier& dossier) {
  std::vector<double> values;
  for (const std::string& path : paths) {
    const Fact* fact = dossier.find(path);
    const auto number = fact == nullptr ? std::nullopt : as_number(fact->value);
    values.push_back(number.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return values;
}

Relation relate(const Check& check, const std::vector<Quantity>& quantities,
                const Dossier& dossier) {
  switch (check.kind) {
    case CheckKind::descending:
      return descending(numbers(check.paths, dossier), check.margins);
    case CheckKind::curve:
      return curve(numbers(check.paths, dossier), check.slack, check.min_gain);
    case CheckKind::ceiling:
      return below_ceiling(numbers(check.paths, dossier), numbers({check.ceiling}, dossier).front(),
                           check.tolerance);
    case CheckKind::agree:
      return agree(numbers(check.paths, dossier), check.rel);
    default:
      break;
  }
  std::vector<double> values;
  values.reserve(quantities.size());
  for (const Quantity& quantity : quantities) {
    values.push_back(
        value_of(quantity.term, dossier).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return all_in_limits(values, quantities.front().limits);
}

/// Facts that no physical quantity can have: named first, because ratios of them mean nothing.
std::string why_unphysical(const std::vector<Input>& inputs) {
  for (const Input& input : inputs) {
    const auto number = as_number(input.value);
    if (number && std::isfinite(*number) && *number > 0.0) continue;
    const std::string value = number ? number_text(*number) : "no number";
    return input.path + " is " + value + ", not a positive number";
  }
  return {};
}

void judge_quantities(const Check& check, const Band* band, const Dossier& dossier,
                      Verdict& verdict) {
  const std::vector<Quantity> quantities = quantities_of(check, band);
  const std::string unphysical = why_unphysical(verdict.inputs);
  verdict.claim = claim_text(check, quantities.front());
  if (!unphysical.empty()) {
    verdict.outcome = Outcome::fail;
    verdict.reason = unphysical;
    return;
  }
  const Relation relation = relate(check, quantities, dossier);
  fill(verdict, relation);
  const Quantity& worst = quantities[std::min(relation.index, quantities.size() - 1)];
  verdict.claim = claim_text(check, worst);
  if (!relation.holds) verdict.reason = failure_text(check, worst, relation, dossier);
}

void judge_agree(const Check& check, const Dossier& dossier, Verdict& verdict) {
  std::string all;
  for (const std::string& path : check.paths) all += (all.empty() ? "" : ", ") + path;
  verdict.claim = all + " within " + percent_text(check.rel) + " of their median";
  const std::string unphysical = why_unphysical(verdict.inputs);
  if (!unphysical.empty()) {
    verdict.outcome = Outcome::fail;
    verdict.reason = unphysical;
    return;
  }
  const Relation relation = agree(numbers(check.paths, dossier), check.rel);
  fill(verdict, relation);
  if (relation.holds) return;
  std::string others;
  for (const std::string& path : check.paths) {
    if (path == check.paths[relation.index]) continue;
    others += (others.empty() ? "" : ", ") + fact_text(dossier, path);
  }
  verdict.reason = fact_text(dossier, check.paths[relation.index]) + " is " +
                   percent_text(*relation.measured) + " from the median, not within " +
                   percent_text(check.rel) + "; beside it " + others + " (margin " +
                   percent_text(*relation.margin) + ")";
}

/// A whole number that a double or an integer holds exactly; flags count as 0 and 1.
std::optional<std::int64_t> whole(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (*number <= kMax) return static_cast<std::int64_t>(*number);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    if (*number == std::floor(*number) && std::abs(*number) <= kExact) {
      return static_cast<std::int64_t>(*number);
    }
  }
  return std::nullopt;
}

std::string expected_text(const Equality& pair) {
  if (!pair.fact.empty()) return pair.fact;
  if (pair.flag) return *pair.value != 0 ? "true" : "false";
  return std::to_string(*pair.value);
}

/// Returns false when this pair decides: unequal, or no whole number.
bool judge_pair(const Equality& pair, const Dossier& dossier, Verdict& verdict) {
  const std::string want = expected_text(pair);
  verdict.claim = pair.path + " = " + want;
  const auto left = whole(dossier.find(pair.path)->value);
  const auto right = pair.fact.empty() ? pair.value : whole(dossier.find(pair.fact)->value);
  verdict.outcome = Outcome::fail;
  if (!left || !right) {
    verdict.reason = (left ? pair.fact : pair.path) + " is not a whole number";
    return false;
  }
  const Relation relation = equals(*left, *right);
  fill(verdict, relation);
  if (relation.holds) return true;
  if (pair.flag) {
    verdict.reason = pair.path + " is not " + want;
    return false;
  }
  const std::string other = pair.fact.empty() ? want : fact_text(dossier, pair.fact);
  verdict.reason = fact_text(dossier, pair.path) + " is not " + other + " (off by " +
                   number_text(static_cast<double>(*left) - static_cast<double>(*right)) + ")";
  return false;
}

void judge_equals(const Check& check, const Dossier& dossier, Verdict& verdict) {
  for (const Equality& pair : check.equalities) {
    if (!judge_pair(pair, dossier, verdict)) return;
  }
}

std::string claim_before_judging(const Invariant& invariant, const Band* band) {
  const std::vector<Quantity> quantities = quantities_of(invariant.check, band);
  return quantities.empty() ? invariant.title : claim_text(invariant.check, quantities.front());
}

void judge(const Catalog& catalog, const Invariant& invariant, const Band* band,
           const Dossier& dossier, Verdict& verdict) {
  verdict.claim = claim_before_judging(invariant, band);
  verdict.inputs = read_inputs(paths_of(invariant.check), dossier);
  const std::vector<Gap> gaps = find_gaps(catalog, invariant, dossier);
  if (!gaps.empty()) {
    detail::settle(verdict, gaps);
    return;
  }
  switch (invariant.check.kind) {
    case CheckKind::equals:
      return judge_equals(invariant.check, dossier, verdict);
    case CheckKind::agree:
      return judge_agree(invariant.check, dossier, verdict);
    default:
      return judge_quantities(invariant.check, band, dossier, verdict);
  }
}

std::string process_text(const Process& process) {
  const std::string pid = "pid " + std::to_string(process.pid);
  return process.name.empty() ? pid : pid + " (" + process.name + ")";
}

std::string contention_text(const std::string& probe, const std::vector<Process>& others) {
  std::string who;
  for (const Process& process : others) {
    who.append(who.empty() ? "" : ", ").append(process_text(process));
  }
  return "probe " + probe + " ran beside " + (who.empty() ? "foreign work" : who);
}

}  // namespace

namespace detail {

void settle(Verdict& verdict, const std::vector<Gap>& gaps) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(gaps.size());
  for (const Gap& gap : gaps) outcomes.push_back(gap.outcome);
  verdict.outcome = combine(outcomes);
  std::vector<std::string> reasons;
  for (const Gap& gap : gaps) {
    const bool decides = gap.outcome == verdict.outcome;
    const bool repeated = std::find(reasons.begin(), reasons.end(), gap.reason) != reasons.end();
    if (decides && !repeated) reasons.push_back(gap.reason);
  }
  verdict.reason.clear();
  for (std::size_t i = 0; i < std::min(reasons.size(), kReasonsShown); ++i) {
    verdict.reason += (i == 0 ? "" : "; ") + reasons[i];
  }
  if (reasons.size() > kReasonsShown) {
    verdict.reason += "; and " + std::to_string(reasons.size() - kReasonsShown) + " more";
  }
}

std::vector<Gap> contention(const Invariant& invariant, const Dossier& dossier) {
  std::vector<Gap> gaps;
  for (const std::string& probe : invariant.probes) {
    const auto record = dossier.probes.find(probe);
    if (record == dossier.probes.end() || !record->second.conditions ||
        !record->second.conditions->contended) {
      continue;
    }
    gaps.push_back({probe, contention_text(probe, record->second.conditions->other_processes),
                    Outcome::inconclusive});
  }
  return gaps;
}

}  // namespace detail

Verdict evaluate(const Catalog& catalog, const Invariant& invariant, const Dossier& dossier,
                 const Dossier* pinned) {
  Verdict verdict;
  verdict.id = invariant.id;
  verdict.claim = invariant.title;
  verdict.reason = why_not_applicable(invariant.applies, dossier.device);
  if (!verdict.reason.empty()) {
    verdict.outcome = Outcome::not_applicable;
    return verdict;
  }
  if (invariant.check.kind == CheckKind::drift) {
    detail::judge_drift(catalog, invariant, dossier, pinned, verdict);
    return verdict;
  }
  Invariant written = invariant;
  written.check = with_rows(invariant.check, dossier);
  const Band* band = band_for(invariant.check.bands, dossier.device);
  if (!invariant.check.bands.empty() && band == nullptr) {
    verdict.outcome = Outcome::not_applicable;
    verdict.reason = "no band for compute capability " + std::to_string(dossier.device.cc_major) +
                     "." + std::to_string(dossier.device.cc_minor) + " (" + dossier.device.name +
                     ")";
    return verdict;
  }
  judge(catalog, written, band, dossier, verdict);
  return verdict;
}

}  // namespace assay
