// SPDX-License-Identifier: Apache-2.0
// assay drift: how far has a device moved from an approved dossier?
#include <cmath>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

#include "dossiers/cli/verb_main.h"
#include "dossiers/drift_text.h"
#include "dossiers/head.h"

int main(int argc, char** argv) {
  CLI::App app("Compares a dossier with an approved one, fact by fact.", "assay drift");
  std::string current, pinned;
  std::optional<double> rel_tol;
  bool json = false;
  app.add_option("current", current, "dossier.json of the device now, or its folder")->required();
  app.add_option("pinned", pinned, "the approved dossier")->required();
  app.add_option("--rel-tol", rel_tol,
                 "one tolerance for every fact, 0.1 for 10 % (default: by unit, spread and tier)");
  app.add_flag("--json", json, "the comparison as JSON on standard output, the table on stderr");
  app.footer(
      "Example:\n  assay drift out/GPU-.../20261129-021407/dossier.json dossiers/pinned/h200.json\n"
      "Exit codes: 0 pass; 1 a fact is over its tolerance, missing, or nothing was compared;\n"
      "2 bad input.");
  return assay::run_verb(app, argc, argv, [&] {
    if (rel_tol && !(std::isfinite(*rel_tol) && *rel_tol >= 0.0)) {
      throw std::invalid_argument("--rel-tol: want a number of 0 or more, such as 0.1");
    }
    const assay::Drift drift =
        assay::compare_dossiers(assay::read_dossier(assay::dossier_file(current)),
                                assay::read_dossier(assay::dossier_file(pinned)), rel_tol);
    (json ? std::cerr : std::cout) << assay::drift_table(drift);
    if (json) {
      std::cout << assay::drift_json(drift);
    }
    return drift.pass ? assay::kExitPass : assay::kExitFail;
  });
}
