// SPDX-License-Identifier: Apache-2.0
// assay cards: what do the vendors say about their cards, and which one for this kernel?
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "dossiers/cards/cards_text.h"
#include "dossiers/cards/compare.h"
#include "dossiers/cli/nearest.h"
#include "dossiers/cli/numbers.h"
#include "dossiers/cli/verb_main.h"
#include "dossiers/models/chart.h"

namespace {

struct Options {
  std::string file, match, key, intensity, cost;
  std::string dtype = "fp32", peaks = "vendor";
  std::vector<std::string> keys;
  bool json = false, ascii = false, tensor = false;
};

int list_cards(const assay::CardList& list, const Options& options) {
  std::vector<const assay::Card*> all;
  for (const assay::Card& card : list.cards) all.push_back(&card);
  std::cout << (options.json ? assay::cards_json(all) : assay::cards_table(list));
  return assay::kExitPass;
}

int match_card(const assay::CardList& list, const Options& options) {
  const assay::CardMatch match = assay::match_driver_name(list, options.match);
  std::cout << (options.json ? assay::match_json(match, options.match)
                             : assay::match_text(match, options.match));
  return match.card != nullptr ? assay::kExitPass : assay::kExitFail;
}

int show_card(const assay::CardList& list, const Options& options) {
  const assay::Card& card = assay::card_by_key(list, options.key);
  std::cout << (options.json ? assay::cards_json({&card}) : assay::card_table(card));
  return assay::kExitPass;
}

int lint(const assay::CardList& list, const Options& options) {
  const auto findings = assay::lint_cards(list);
  std::cout << (options.json ? assay::lint_json(findings, list.cards.size())
                             : assay::lint_text(findings, list.cards.size()));
  return findings.empty() ? assay::kExitPass : assay::kExitFail;
}

/// Prices by card key; a price for a card that is not compared is refused.
std::map<std::string, double> prices(const assay::CardList& list, const Options& options,
                                     const std::vector<const assay::Card*>& cards) {
  std::map<std::string, double> by_key;
  if (options.cost.empty()) return by_key;
  for (const auto& [name, price] : assay::named_prices("--cost", options.cost)) {
    const std::string& key = assay::card_by_key(list, name).key;
    bool compared = false;
    for (const assay::Card* card : cards) compared = compared || card->key == key;
    if (!compared) throw std::invalid_argument("--cost: '" + name + "' is not compared here");
    by_key[key] = price;
  }
  return by_key;
}

assay::Chart overlay(const assay::Compare& compare) {
  constexpr std::size_t kMostRoofs = 5;
  assay::Chart chart;
  chart.title = "Rooflines, " + std::string(to_string(compare.arithmetic));
  for (const assay::CompareRow& row : compare.rows) {
    if (row.attainable && chart.lines.size() < kMostRoofs) {
      chart.lines.push_back({row.card->key, *row.bandwidth.value, *row.peak.value, 0.0});
      chart.marks.push_back({row.card->key, compare.flop_per_byte, row.attainable});
    }
  }
  return chart;
}

int compare(const assay::CardList& list, const Options& options) {
  const double intensity = assay::positive_number("--ai", options.intensity);
  const std::string name = assay::one_of("--dtype", options.tensor ? "fp16" : options.dtype,
                                         {"fp32", "fp16", "fp16-f16", "bf16", "tf32"});
  const bool derived = assay::one_of("--peaks", options.peaks, {"vendor", "derived"}) == "derived";
  std::vector<const assay::Card*> cards;
  for (const std::string& key : options.keys) cards.push_back(&assay::card_by_key(list, key));
  const assay::Compare compared = assay::compare_cards(
      cards, intensity, *assay::arithmetic_from(name),
      derived ? assay::PeakBasis::derived : assay::PeakBasis::vendor, prices(list, options, cards));
  if (options.json) {
    std::cout << assay::compare_json(compared);
    return assay::kExitPass;
  }
  std::cout << assay::compare_table(compared) << '\n'
            << assay::compare_verdict(compared) << '\n'
            << "ceilings from " << (derived ? "clock, width and rate" : "the vendors' figures")
            << ", dense, not predictions\n";
  const assay::Chart chart = overlay(compared);
  if (!chart.lines.empty()) {
    std::cout << '\n' << assay::text_chart(chart, assay::standard_output_style(options.ascii));
  }
  return assay::kExitPass;
}

void add_compare(CLI::App& app, Options& options) {
  app.add_option("cards", options.keys, "keys; `assay cards` lists them")->required();
  app.add_option("--ai", options.intensity, "the kernel's arithmetic intensity, FLOP per byte")
      ->required();
  app.add_option("--cost", options.cost, "dollars an hour: key=price,key=price");
  app.add_option("--dtype", options.dtype, "fp32 (default), fp16, fp16-f16, bf16 or tf32");
  app.add_flag("--tensor", options.tensor, "the same as --dtype fp16");
  app.add_option("--peaks", options.peaks, "vendor (default), or derived from clock and width");
  app.add_flag("--ascii", options.ascii, "draw with ASCII only");
}

constexpr const char* kFooter =
    "Example:\n"
    "  assay cards compare 4090 a100-80gb h100-sxm --ai 0.33 "
    "--cost 4090=0.35,a100-80gb=1.19,h100-sxm=2.69\n"
    "  assay cards --match 'NVIDIA H100 80GB HBM3'\n"
    "Exit codes: 0; 1 --match found no card, or lint found something wrong; 2 bad input.";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What vendors say about their cards, each figure with where it comes from.",
               "assay cards");
  Options options;
  app.footer(kFooter);
  app.require_subcommand(0, 1);
  app.fallthrough();
  app.add_option("--file", options.file, "another card list (default: the one that came with it)");
  auto* match_option =
      app.add_option("--match", options.match, "which card has exactly this driver name?");
  app.add_flag("--json", options.json, "machine output on standard output");
  app.add_subcommand("list", "all cards, one line each (what happens without a subcommand)");
  auto* show_command = app.add_subcommand("show", "every figure of one card");
  show_command->add_option("card", options.key, "its key")->required();
  auto* lint_command = app.add_subcommand("lint", "does every entry follow from itself?");
  auto* compare_command = app.add_subcommand("compare", "which card for this kernel, per dollar?");
  add_compare(*compare_command, options);
  return assay::run_verb(app, argc, argv, [&] {
    const assay::CardList list = assay::load_cards(options.file);
    if (match_option->count() > 0) return match_card(list, options);
    if (show_command->parsed()) return show_card(list, options);
    if (lint_command->parsed()) return lint(list, options);
    if (compare_command->parsed()) return compare(list, options);
    return list_cards(list, options);
  });
}
