// SPDX-License-Identifier: Apache-2.0
// What does a person need to see of repeated runs?
#include <algorithm>
#include <array>
#include <cstdio>

#include "invariants/claims.h"
#include "invariants/columns.h"
#include "invariants/rates/repeat.h"

namespace assay {
namespace {

constexpr std::size_t kFactsShown = 15;
constexpr std::array kColumns{Outcome::pass,         Outcome::fail,   Outcome::no_evidence,
                              Outcome::inconclusive, Outcome::waived, Outcome::not_applicable};

std::string counts_text(const OutcomeCounts& counts) {
  std::string text;
  for (const Outcome outcome : kColumns) {
    const std::int64_t count = count_of(counts, outcome);
    if (count == 0) continue;
    text +=
        (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(to_string(outcome));
  }
  return text.empty() ? "none" : text;
}

/// More than one word was said of it, or one that is neither pass nor not applicable.
bool is_worth_a_line(const OutcomeCounts& counts) {
  if (counts.size() != 1) return true;
  const Outcome only = counts.begin()->first;
  return only != Outcome::pass && only != Outcome::not_applicable;
}

std::string invariants_table(const RepeatTotals& totals) {
  std::string text;
  std::size_t steady = 0;
  for (const auto& [id, counts] : totals.invariants) {
    if (!is_worth_a_line(counts)) {
      ++steady;
      continue;
    }
    text += "  " + column(id, 28) + counts_text(counts) + "\n";
  }
  const std::string rest = std::to_string(steady) + " of " +
                           std::to_string(totals.invariants.size()) +
                           " invariants passed, or did not apply, in every run\n";
  return text.empty() ? rest : rest + "others:\n" + text;
}

struct Moved {
  std::string path;
  const FactSpread* fact;
  const RepeatSession* session;
};

/// The facts that moved most within a session, the worst first.
std::vector<Moved> most_moved(const Repeat& repeat) {
  std::vector<Moved> all;
  for (const RepeatSession& session : repeat.sessions) {
    for (const auto& [path, fact] : session.facts) {
      if (fact.robust_cv && *fact.robust_cv > 0.0) all.push_back({path, &fact, &session});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Moved& a, const Moved& b) {
    return *a.fact->robust_cv > *b.fact->robust_cv;
  });
  if (all.size() > kFactsShown) all.resize(kFactsShown);
  return all;
}

std::string facts_table(const Repeat& repeat) {
  const std::vector<Moved> moved = most_moved(repeat);
  if (moved.empty()) return "no fact moved between runs, or there were too few to say\n";
  std::string text =
      "facts that moved most from run to run (robust CV over the runs of a session):\n";
  for (const Moved& one : moved) {
    text += "  " + column(one.path, 36) + column(percent_text(*one.fact->robust_cv), 9) +
            column(number_text(one.fact->low) + " to " + number_text(one.fact->high) + " " +
                       std::string(to_string(one.fact->units)),
                   32) +
            std::to_string(one.fact->runs) + " runs\n";
  }
  return text;
}

std::string failures_text(const Repeat& repeat) {
  std::string text;
  for (const RepeatSession& session : repeat.sessions) {
    for (const RunFailure& failure : session.failures) {
      std::string names;
      for (const std::string& id : failure.invariants) names += (names.empty() ? "" : ", ") + id;
      text += std::string(to_string(failure.verdict)) + "  run " + failure.run_id + ": " +
              (names.empty() ? "no invariant; something was missing" : names) + "\n";
    }
  }
  return text;
}

std::string three_digits(double ratio) {
  std::array<char, 32> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), "%.3g %%", 100.0 * ratio));
  return text.data();
}

}  // namespace

std::string rate_text(std::int64_t k, std::int64_t n) {
  const RateBound bound = clopper_pearson(k, n, kRateConfidence);
  return std::to_string(k) + " of " + std::to_string(n) + " (at most " + three_digits(bound.upper) +
         ", one-sided 95 %; two-sided " + three_digits(bound.low) + " to " +
         three_digits(bound.high) + ")";
}

std::string repeat_table(const Repeat& repeat) {
  const RepeatTotals totals = totals_of(repeat);
  std::string text;
  if (repeat.replay) {
    text +=
        "replay    one recorded dossier, judged again and again, each time to the same bytes: "
        "judging is\n          deterministic; nothing is said of false alarms\n";
  }
  text += "runs      " + std::to_string(totals.runs) + " on " + repeat.product + ", level " +
          std::string(to_string(repeat.level)) + ", in " + std::to_string(repeat.sessions.size()) +
          " session(s)\n";
  for (const RepeatSession& session : repeat.sessions) {
    if (session.ran < session.asked) {
      text += "          session " + session.id + " was interrupted after " +
              std::to_string(session.ran) + " of " + std::to_string(session.asked) + "\n";
    }
  }
  text += "verdicts  " + counts_text(totals.verdicts) + "\n";
  if (totals.bound) {
    text +=
        "failed    " + rate_text(totals.failed, totals.decided) +
        "\n          of the runs that were decided; on a healthy device each is a false alarm\n";
  }
  return text + failures_text(repeat) + invariants_table(totals) + facts_table(repeat);
}

}  // namespace assay
