// SPDX-License-Identifier: Apache-2.0
// Which quantities does a check compare with which limits, and how is that said in words?
#include "invariants/claims.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

namespace assay {
namespace {

/// How a path is written: bare, or with its value and unit.
using Naming = std::function<std::string(const std::string&)>;

std::string product_text(const std::vector<std::string>& paths, const Naming& name) {
  std::string text;
  for (const std::string& path : paths) text += (text.empty() ? "" : " x ") + name(path);
  return text;
}

std::string ratio_text(const Term& term, const Naming& name) {
  std::string text = product_text(term.over, name);
  if (term.times != 1.0) text += " x " + number_text(term.times);
  if (term.under.empty()) return text;
  const std::string under = product_text(term.under, name);
  return text + " / " + (term.under.size() > 1 ? "(" + under + ")" : under);
}

/// "A >= 1.15 x B": one fact against a multiple of another reads better than their ratio.
bool is_comparison(const Check& check) {
  return check.kind == CheckKind::descending || check.kind == CheckKind::ceiling ||
         check.kind == CheckKind::curve;
}

std::string bound_text(const Quantity& quantity, const Naming& name) {
  const bool low = quantity.limits.low.has_value();
  const double factor = low ? *quantity.limits.low : *quantity.limits.high;
  return (low ? ">= " : "<= ") + number_text(factor) + " x " + name(quantity.term.under.front());
}

std::vector<Quantity> steps_of(const std::vector<std::string>& upper,
                               const std::vector<std::string>& lower,
                               const std::vector<double>& low) {
  std::vector<Quantity> steps;
  for (std::size_t i = 0; i < low.size(); ++i) {
    steps.push_back({Term{{upper[i]}, {lower[i]}, 1.0}, Limits{low[i], std::nullopt}});
  }
  return steps;
}

std::vector<Quantity> curve_quantities(const Check& check) {
  const std::vector<std::string> later(check.paths.begin() + 1, check.paths.end());
  std::vector<Quantity> all =
      steps_of(later, check.paths, std::vector<double>(later.size(), 1.0 - check.slack));
  all.push_back({Term{{check.paths.back()}, {check.paths.front()}, 1.0},
                 Limits{check.min_gain, std::nullopt}});
  return all;
}

std::vector<Quantity> band_quantities(const Check& check, const Band& band) {
  const Limits limits{band.low, band.high};
  std::vector<Quantity> all;
  for (const Term& term : check.terms) all.push_back({term, limits});
  for (std::size_t i = 0; i < check.paths.size(); ++i) {
    const double nominal = band.nominal.empty() ? 1.0 : band.nominal[i];
    all.push_back({Term{{check.paths[i]}, {}, 1.0 / nominal}, limits});
  }
  return all;
}

}  // namespace

std::vector<Quantity> quantities_of(const Check& check, const Band* band) {
  switch (check.kind) {
    case CheckKind::descending: {
      const std::vector<std::string> later(check.paths.begin() + 1, check.paths.end());
      return steps_of(check.paths, later, check.margins);
    }
    case CheckKind::curve:
      return curve_quantities(check);
    case CheckKind::ceiling: {
      std::vector<Quantity> all;
      for (const std::string& path : check.paths) {
        all.push_back({Term{{path}, {check.ceiling}, 1.0}, Limits{std::nullopt, check.tolerance}});
      }
      return all;
    }
    case CheckKind::ratio:
    case CheckKind::range:
      return band == nullptr ? std::vector<Quantity>{} : band_quantities(check, *band);
    case CheckKind::equals:
    case CheckKind::agree:
    case CheckKind::drift:
      break;
  }
  return {};
}

std::optional<double> value_of(const Term& term, const Dossier& dossier) {
  double product = term.times;
  const auto number_at = [&dossier](const std::string& path) -> std::optional<double> {
    const Fact* fact = dossier.find(path);
    return fact == nullptr ? std::nullopt : as_number(fact->value);
  };
  for (const std::string& path : term.over) {
    const auto number = number_at(path);
    if (!number) return std::nullopt;
    product *= *number;
  }
  for (const std::string& path : term.under) {
    const auto number = number_at(path);
    if (!number) return std::nullopt;
    product /= *number;
  }
  return product;
}

std::string number_text(double number) {
  constexpr double kExact = 1e15;
  std::array<char, 64> text{};
  const bool whole = std::abs(number) < kExact && number == std::floor(number);
  static_cast<void>(std::snprintf(text.data(), text.size(), whole ? "%.0f" : "%.5g", number));
  return text.data();
}

std::string fact_text(const Dossier& dossier, const std::string& path) {
  const Fact* fact = dossier.find(path);
  const auto number = fact == nullptr ? std::nullopt : as_number(fact->value);
  if (!number) return path + " null";
  std::string text = path + " " + number_text(*number);
  const bool bare =
      fact->units == Unit::none || fact->units == Unit::count || fact->units == Unit::ratio;
  if (!bare) text.append(" ").append(to_string(fact->units));
  return text;
}

std::string percent_text(double ratio) {
  constexpr double kHundred = 100.0;
  std::array<char, 64> text{};
  const double percent = ratio * kHundred;
  const bool coarse = std::abs(percent) >= kHundred;
  static_cast<void>(
      std::snprintf(text.data(), text.size(), coarse ? "%.0f %%" : "%.3g %%", percent));
  return text.data();
}

std::string limits_text(const Limits& limits) {
  if (limits.low && limits.high) {
    return "in " + number_text(*limits.low) + " to " + number_text(*limits.high);
  }
  return limits.low ? ">= " + number_text(*limits.low) : "<= " + number_text(*limits.high);
}

std::string term_text(const Term& term) {
  return ratio_text(term, [](const std::string& path) { return path; });
}

std::string claim_text(const Check& check, const Quantity& quantity) {
  const Naming bare = [](const std::string& path) { return path; };
  if (is_comparison(check)) return quantity.term.over.front() + " " + bound_text(quantity, bare);
  if (check.kind == CheckKind::range && quantity.term.times != 1.0) {
    return quantity.term.over.front() + " / " + number_text(1.0 / quantity.term.times) + " " +
           limits_text(quantity.limits);
  }
  return ratio_text(quantity.term, bare) + " " + limits_text(quantity.limits);
}

std::string failure_text(const Check& check, const Quantity& quantity, const Relation& relation,
                         const Dossier& dossier) {
  const Naming full = [&dossier](const std::string& path) { return fact_text(dossier, path); };
  const std::string margin = " (margin " + percent_text(relation.margin.value_or(-1.0)) + ")";
  if (is_comparison(check)) {
    return full(quantity.term.over.front()) + " is not " + bound_text(quantity, full) + margin;
  }
  const std::string limits = limits_text(quantity.limits);
  const std::string measured = number_text(relation.measured.value_or(0.0));
  if (check.kind == CheckKind::range) {
    std::string text = full(quantity.term.over.front());
    if (quantity.term.times != 1.0) {
      text += " is " + measured + " of " + number_text(1.0 / quantity.term.times) + ", not ";
    } else {
      text += " is not ";
    }
    return text + limits + margin;
  }
  return ratio_text(quantity.term, full) + " = " + measured + " is not " + limits + margin;
}

}  // namespace assay
