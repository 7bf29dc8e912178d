// SPDX-License-Identifier: Apache-2.0
// Can a card list be believed?
#include "dossiers/cards/lint.h"

#include <algorithm>
#include <cmath>

#include "dossiers/cli/table.h"

namespace assay {
namespace {

constexpr double kDerivedTolerance = 0.02;
constexpr double kSparseTolerance = 0.01;
constexpr double kTf32Tolerance = 0.02;

/// Collects what is wrong with one card.
class CardLint {
 public:
  CardLint(const Card& card, std::vector<LintFinding>& findings)
      : card_(card), findings_(findings) {}

  void all() {
    ranges();
    against_derived("bandwidth_gbs", card_.figures.bandwidth_gbs, derived_bandwidth_gbs(card_));
    for (const auto& [name, arithmetic] : {std::pair{"fp32_tflops", Arithmetic::fp32},
                                           {"fp16_f16_tflops", Arithmetic::fp16_f16},
                                           {"fp16_f32_tflops", Arithmetic::fp16},
                                           {"bf16_f32_tflops", Arithmetic::bf16},
                                           {"tf32_f32_tflops", Arithmetic::tf32}}) {
      against_derived(name, stated_tflops(card_, arithmetic), derived_tflops(card_, arithmetic));
    }
    sparse();
    tf32();
    accumulators();
    fp32_rate();
  }

 private:
  void say(std::string_view figure, const std::string& what) {
    findings_.push_back({card_.key, std::string(figure), what});
  }

  void ranges() {
    for (const FigureField& field : kFigureFields) {
      const auto& value = (card_.figures.*field.member).value;
      if (value && !(*value >= field.least && *value <= field.most)) {
        say(field.name, shortest(value, 6) + " " + std::string(field.units) + " is outside " +
                            shortest(field.least) + " to " + shortest(field.most, 6) +
                            ": wrong unit?");
      }
    }
  }

  void against_derived(std::string_view name, const Figure& stated, std::optional<double> derived) {
    if (!stated.value) return;
    if (!derived) {
      if (stated.why.empty()) say(name, "cannot be derived and does not say why");
      return;
    }
    if (doubled(*stated.value, *derived)) {
      say(name,
          shortest(stated.value) + " is twice the " + shortest(derived) +
              " that follows from the other figures: a sparse figure, or a rate counted twice");
      return;
    }
    const auto off = derived_off(derived, stated);
    if (!(std::fabs(*off) <= kDerivedTolerance) && stated.why.empty()) {
      say(name, shortest(stated.value, 5) + " stated, " + shortest(derived, 5) +
                    " follows from the other figures (" + fixed(100.0 * *off, 1) +
                    " %; 2 % allowed without a `why`)");
    }
  }

  /// Twice is never a rounding, so no reason excuses it.
  static bool doubled(double stated, double derived) {
    constexpr double kLow = 1.9;
    constexpr double kHigh = 2.1;
    return stated >= kLow * derived && stated <= kHigh * derived;
  }

  void sparse() {
    const Figure& dense = card_.figures.bf16_f32_tflops;
    const Figure& with_sparsity = card_.figures.bf16_f32_sparse_tflops;
    if (!with_sparsity.value) return;
    if (!dense.value) {
      say("bf16_f32_tflops", "unknown although the sparse peak is known: every entry states dense");
    } else if (!(std::fabs(2.0 * *dense.value / *with_sparsity.value - 1.0) <= kSparseTolerance)) {
      say("bf16_f32_sparse_tflops", shortest(with_sparsity.value, 5) + " is not twice the dense " +
                                        shortest(dense.value, 5) + " within 1 %");
    }
  }

  void tf32() {
    const Figure& bf16 = card_.figures.bf16_f32_tflops;
    const Figure& tf32 = card_.figures.tf32_f32_tflops;
    if (!bf16.value || !tf32.value || !tf32.why.empty()) return;
    if (!(std::fabs(2.0 * *tf32.value / *bf16.value - 1.0) <= kTf32Tolerance)) {
      say("tf32_f32_tflops", shortest(tf32.value, 5) + " is not half of BF16's " +
                                 shortest(bf16.value, 5) + " within 2 % and does not say why");
    }
  }

  void accumulators() {
    const auto& by_16 = card_.figures.fp16_f16_per_clock.value;
    const auto& by_32 = card_.figures.fp16_f32_per_clock.value;
    if (by_16 && by_32 && *by_16 != *by_32 && *by_16 != 2.0 * *by_32) {
      say("fp16_f32_per_clock",
          shortest(by_32) + " is neither all nor half of fp16_f16_per_clock " + shortest(by_16));
    }
  }

  void fp32_rate() {
    const Figure& rate = card_.figures.fp32_per_clock;
    const auto expected = fp32_per_clock_of(card_.arch);
    if (rate.value && expected && *rate.value != *expected && rate.why.empty()) {
      say("fp32_per_clock", shortest(rate.value) + ", but compute capability " + card_.arch +
                                " has " + shortest(expected) + " and the figure does not say why");
    }
  }

  const Card& card_;
  std::vector<LintFinding>& findings_;
};

bool same_figures(const Card& a, const Card& b) {
  return std::all_of(kFigureFields.begin(), kFigureFields.end(), [&](const FigureField& field) {
    return (a.figures.*field.member).value == (b.figures.*field.member).value;
  });
}

void copied_rows(const CardList& list, std::vector<LintFinding>& findings) {
  const auto& cards = list.cards;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const std::string& twin = cards[i].same_figures_as;
    bool found = twin.empty();
    for (std::size_t j = 0; j < cards.size(); ++j) {
      if (i == j || !same_figures(cards[i], cards[j])) continue;
      found = found || cards[j].key == twin;
      const bool said = cards[j].key == twin || cards[j].same_figures_as == cards[i].key;
      if (j < i && !said) {
        findings.push_back({cards[i].key, "figures",
                            "all equal those of " + cards[j].key +
                                ": a copied row, or say so with `same_figures_as`"});
      }
    }
    if (!found) {
      findings.push_back(
          {cards[i].key, "same_figures_as", "'" + twin + "' has other figures, or is no card"});
    }
  }
}

}  // namespace

std::optional<double> derived_off(std::optional<double> derived, const Figure& stated) {
  if (!derived || !stated.value) return std::nullopt;
  return *derived / *stated.value - 1.0;
}

std::vector<LintFinding> lint_cards(const CardList& list) {
  std::vector<LintFinding> findings;
  for (const Card& card : list.cards) CardLint(card, findings).all();
  copied_rows(list, findings);
  return findings;
}

}  // namespace assay
