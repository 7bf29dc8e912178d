// SPDX-License-Identifier: Apache-2.0
// assay ceiling: what can this device really do, beside what its vendor says?
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>

#include "dossiers/cards/card_list.h"
#include "dossiers/cli/verb_main.h"
#include "dossiers/models/ceiling.h"
#include "dossiers/models/dossier_source.h"

int main(int argc, char** argv) {
  CLI::App app("Shows a dossier's measured ceilings beside the vendor's; measures nothing.",
               "assay ceiling");
  std::string source, cards_file;
  bool json = false;
  app.add_option("dossier", source,
                 "a dossier.json or its folder (default: the newest recorded one)");
  app.add_option("--cards-file", cards_file, "another card list");
  app.add_flag("--json", json, "machine output on standard output");
  app.footer(
      "Example:\n  assay ceiling dossiers/recorded/h200-full-2026-11-30\n"
      "Exit codes: 0; 2 bad input.");
  return assay::run_verb(app, argc, argv, [&] {
    const assay::Dossier dossier = assay::read_dossier(
        source.empty() ? assay::newest_recorded_file() : assay::dossier_file(source));
    const assay::CardList list = assay::load_cards(cards_file);
    const auto match = assay::match_driver_name(list, dossier.device.name);
    const bool slice = dossier.device.mig == true;
    const assay::Ceiling ceiling = assay::ceiling_of(
        dossier, slice ? nullptr : match.card,
        slice ? "a MIG slice: the whole card's peaks are not its own" : match.why);
    std::cout << (json ? assay::ceiling_json(ceiling) : assay::ceiling_text(ceiling));
    return assay::kExitPass;
  });
}
