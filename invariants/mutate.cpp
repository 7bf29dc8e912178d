// SPDX-License-Identifier: Apache-2.0
// What does a dossier look like after an edit that must change a verdict?
#include "invariants/mutate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "dossiers/drift.h"
#include "invariants/claims.h"
#include "invariants/evaluate.h"
#include "invariants/relations.h"
#include "invariants/rows.h"

namespace assay {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument("edit: " + what);
}

Fact& fact_at(Dossier& dossier, const std::string& path) {
  const std::size_t dot = path.find('.');
  const auto entry = dossier.entries.find(path.substr(0, dot));
  if (entry == dossier.entries.end()) refuse("no entry for " + path);
  const std::string key = dot == std::string::npos ? "" : path.substr(dot + 1);
  const auto fact = entry->second.facts.find(key);
  if (fact == entry->second.facts.end()) refuse("no fact " + path);
  return fact->second;
}

double number_at(Dossier& dossier, const std::string& path) {
  const auto number = as_number(fact_at(dossier, path).value);
  if (!number) refuse(path + " is not a number");
  return *number;
}

/// Keeps the type of the fact: counts stay whole.
void set_number(Fact& fact, double number) {
  if (std::holds_alternative<std::int64_t>(fact.value)) {
    fact.value = static_cast<std::int64_t>(std::llround(number));
  } else if (std::holds_alternative<std::uint64_t>(fact.value)) {
    fact.value = static_cast<std::uint64_t>(std::llround(number));
  } else {
    fact.value = number;
  }
}

/// The bound times this is where the quantity goes.
double past_bound(const Edit& edit) {
  const bool down = edit.low != edit.inside;  // past low and inside high lie below the bound
  return down ? 1.0 - edit.by : 1.0 + edit.by;
}

int power_of(const Term& term, const std::string& path) {
  const auto over = std::count(term.over.begin(), term.over.end(), path);
  const auto under = std::count(term.under.begin(), term.under.end(), path);
  return static_cast<int>(over - under);
}

void move_quantity(const Invariant& invariant, const Edit& edit, Dossier& dossier) {
  const Band* band = band_for(invariant.check.bands, dossier.device);
  for (const Quantity& quantity : quantities_of(invariant.check, band)) {
    const int power = power_of(quantity.term, edit.path);
    const auto bound = edit.low ? quantity.limits.low : quantity.limits.high;
    if (power == 0 || !bound) continue;
    const auto current = value_of(quantity.term, dossier);
    if (!current || !(*current > 0.0)) refuse("the quantity of " + edit.path + " has no value");
    const double factor = std::pow(*bound * past_bound(edit) / *current, 1.0 / power);
    set_number(fact_at(dossier, edit.path), number_at(dossier, edit.path) * factor);
    return;
  }
  refuse("no quantity of " + invariant.id + " has that bound and " + edit.path);
}

void move_count(const Invariant& invariant, const Edit& edit, Dossier& dossier) {
  for (const Equality& pair : invariant.check.equalities) {
    if (pair.path != edit.path) continue;
    if (edit.inside) refuse("an exact claim has no inside; use set");
    if (pair.flag) {
      fact_at(dossier, edit.path).value = *pair.value == 0;
      return;
    }
    const double expected =
        pair.fact.empty() ? static_cast<double>(*pair.value) : number_at(dossier, pair.fact);
    fact_at(dossier, edit.path).value =
        static_cast<std::int64_t>(std::llround(expected + (edit.low ? -edit.by : edit.by)));
    return;
  }
  refuse(invariant.id + " does not count " + edit.path);
}

/// Moves one of several values away from the median by bisection: the median moves with it.
void move_apart(const Invariant& invariant, const Edit& edit, Dossier& dossier) {
  const Check& check = invariant.check;
  std::vector<double> values;
  std::size_t moved = check.paths.size();
  for (std::size_t i = 0; i < check.paths.size(); ++i) {
    values.push_back(number_at(dossier, check.paths[i]));
    if (check.paths[i] == edit.path) moved = i;
  }
  if (moved == check.paths.size()) refuse(invariant.id + " does not read " + edit.path);
  const double start = values[moved];
  const double target = check.rel * (edit.inside ? 1.0 - edit.by : 1.0 + edit.by);
  const auto distance = [&](double shift) {
    values[moved] = start * (edit.low ? 1.0 / (1.0 + shift) : 1.0 + shift);
    return *agree(values, check.rel).measured;
  };
  double near = 0.0;
  double far = 4.0 * (1.0 + target);
  constexpr int kSteps = 100;
  for (int i = 0; i < kSteps; ++i) {
    const double middle = 0.5 * (near + far);
    (distance(middle) < target ? near : far) = middle;
  }
  distance(far);
  set_number(fact_at(dossier, edit.path), values[moved]);
}

/// A count moves by whole steps: away from the pin to leave its tolerance, towards it to stay.
double whole_step(double target, double pinned, bool inside) {
  const bool up = (target > pinned) != inside;
  return up ? std::ceil(target) : std::floor(target);
}

void move_drift(const Edit& edit, Dossier& dossier, const Dossier* pinned) {
  if (pinned == nullptr) refuse("drift moves need a pinned dossier");
  for (const DriftEntry& entry : compare_dossiers(dossier, *pinned).entries) {
    if (entry.path != edit.path) continue;
    const double share = entry.tolerance * (edit.inside ? 1.0 - edit.by : 1.0 + edit.by);
    const double target = entry.pinned * (edit.low ? 1.0 - share : 1.0 + share);
    Fact& fact = fact_at(dossier, edit.path);
    const bool whole = is_whole(fact.units);
    set_number(fact, whole ? whole_step(target, entry.pinned, edit.inside) : target);
    return;
  }
  refuse("drift does not compare " + edit.path);
}

void move(const Invariant& invariant, const Edit& edit, Dossier& dossier, const Dossier* pinned) {
  switch (invariant.check.kind) {
    case CheckKind::equals:
      return move_count(invariant, edit, dossier);
    case CheckKind::agree:
      return move_apart(invariant, edit, dossier);
    case CheckKind::drift:
      return move_drift(edit, dossier, pinned);
    default:
      return move_quantity(invariant, edit, dossier);
  }
}

/// The claim over every pair of the dossier's matrices, written out.
Invariant with_rows_of(Invariant invariant, const Dossier& dossier) {
  invariant.check = with_rows(invariant.check, dossier);
  return invariant;
}

void drop(const Edit& edit, Dossier& dossier) {
  fact_at(dossier, edit.path);
  const std::size_t dot = edit.path.find('.');
  const std::string name = edit.path.substr(0, dot);
  if (dot == std::string::npos) {
    dossier.entries.erase(name);
    return;
  }
  auto& facts = dossier.entries.at(name).facts;
  facts.erase(edit.path.substr(dot + 1));
  if (facts.empty()) dossier.entries.erase(name);
}

void make_null(const Edit& edit, Dossier& dossier) {
  Fact& fact = fact_at(dossier, edit.path);
  fact = absent(fact.units, fact.method, null_reason_from(edit.text));
}

void edit_device(const Edit& edit, DeviceIdentity& device) {
  if (const auto cc = edit.to.find("cc"); cc != edit.to.end()) {
    const std::string& text = std::get<std::string>(cc->second);
    const char* const end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, device.cc_major);
    if (major.ptr == end || *major.ptr != '.') refuse("cc wants \"9.0\"");
    std::from_chars(major.ptr + 1, end, device.cc_minor);
  }
  if (const auto name = edit.to.find("name"); name != edit.to.end()) {
    device.name = std::get<std::string>(name->second);
  }
  if (const auto mig = edit.to.find("mig"); mig != edit.to.end()) {
    device.mig = std::get<bool>(mig->second);
  }
}

void contend(const Edit& edit, Dossier& dossier) {
  const auto record = dossier.probes.find(edit.path);
  if (record == dossier.probes.end()) refuse("no record of the probe " + edit.path);
  constexpr std::int64_t kPid = 4711;
  if (!record->second.conditions) record->second.conditions.emplace();
  record->second.conditions->contended = true;
  record->second.conditions->other_processes.push_back({kPid, "other"});
}

Confidence confidence_from(const std::string& text) {
  if (text == "low") return Confidence::low;
  return text == "medium" ? Confidence::medium : Confidence::high;
}

}  // namespace

Dossier mutate(const Invariant& invariant, const Edit& edit, const Dossier& dossier,
               const Dossier* pinned) {
  Dossier mutant = dossier;
  switch (edit.kind) {
    case EditKind::move:
      move(with_rows_of(invariant, dossier), edit, mutant, pinned);
      break;
    case EditKind::scale:
      set_number(fact_at(mutant, edit.path), number_at(mutant, edit.path) * edit.by);
      break;
    case EditKind::swap:
      std::swap(fact_at(mutant, edit.path).value, fact_at(mutant, edit.other).value);
      break;
    case EditKind::drop:
      drop(edit, mutant);
      break;
    case EditKind::null:
      make_null(edit, mutant);
      break;
    case EditKind::spread:
      fact_at(mutant, edit.path).rel_spread = edit.by;
      break;
    case EditKind::set:
      for (const auto& [path, value] : edit.to) fact_at(mutant, path).value = value;
      break;
    case EditKind::confidence:
      fact_at(mutant, edit.path).confidence = confidence_from(edit.text);
      break;
    case EditKind::contended:
      contend(edit, mutant);
      break;
    case EditKind::device:
      edit_device(edit, mutant.device);
      break;
  }
  return mutant;
}

}  // namespace assay
