// SPDX-License-Identifier: Apache-2.0
// What do several verdicts make together, and which exit code is that?
#include "invariants/verdict.h"

#include <algorithm>
#include <array>
#include <utility>

namespace assay {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 6> kOutcomes = {{
    {Outcome::pass, "pass"},
    {Outcome::fail, "fail"},
    {Outcome::inconclusive, "inconclusive"},
    {Outcome::not_applicable, "not_applicable"},
    {Outcome::no_evidence, "no_evidence"},
    {Outcome::waived, "waived"},
}};

}  // namespace

std::string_view to_string(Outcome outcome) {
  for (const auto& [value, name] : kOutcomes) {
    if (value == outcome) return name;
  }
  return "no_evidence";
}

std::optional<Outcome> outcome_from(std::string_view name) {
  for (const auto& [value, known] : kOutcomes) {
    if (known == name) return value;
  }
  return std::nullopt;
}

Outcome combine(const std::vector<Outcome>& outcomes) {
  const auto has = [&outcomes](Outcome outcome) {
    return std::find(outcomes.begin(), outcomes.end(), outcome) != outcomes.end();
  };
  for (const Outcome outcome : {Outcome::fail, Outcome::no_evidence, Outcome::inconclusive,
                                Outcome::pass, Outcome::waived, Outcome::not_applicable}) {
    if (has(outcome)) return outcome;
  }
  return Outcome::no_evidence;
}

int exit_code(Outcome outcome) {
  constexpr int kFailed = 1;
  constexpr int kTryAgain = 75;       // EX_TEMPFAIL
  constexpr int kNotApplicable = 77;  // what automake and CTest take for a skip
  switch (outcome) {
    case Outcome::pass:
    case Outcome::waived:
      return 0;
    case Outcome::inconclusive:
      return kTryAgain;
    case Outcome::not_applicable:
      return kNotApplicable;
    case Outcome::fail:
    case Outcome::no_evidence:
      break;
  }
  return kFailed;
}

}  // namespace assay
