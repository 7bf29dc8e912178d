// SPDX-License-Identifier: Apache-2.0
// assay diff: what changed between two certified runs?
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>

#include "dossiers/cli/verb_main.h"
#include "invariants/diff/diff.h"

int main(int argc, char** argv) {
  CLI::App app("Compares two certified runs: verdicts, facts beyond their tolerance, conditions.",
               "assay diff");
  std::string before, after;
  bool json = false;
  app.add_option("before", before, "certificate.json, or the run's folder; dossier.json beside it")
      ->required();
  app.add_option("after", after, "the same for the run after the change")->required();
  app.add_flag("--json", json, "the document on stdout, the tables on stderr");
  app.footer(
      "Example:\n"
      "  assay diff dossiers/schema/examples/certificate.json "
      "dossiers/schema/examples/certificate.json\n"
      "  assay diff out/GPU-.../OLD_DRIVER_RUN out/GPU-.../NEW_DRIVER_RUN\n"
      "Of many GPUs under two drivers: assay fleet, where each driver is a cohort of its own.\n"
      "Exit codes: 0 nothing got worse; 1 a verdict or a fact did, a fact is gone, or nothing\n"
      "could be compared; 2 bad input.");
  return assay::run_verb(app, argc, argv, [&] {
    const assay::CertifiedRun a = assay::read_certified_run(before);
    const assay::CertifiedRun b = assay::read_certified_run(after);
    const assay::CertificateDiff diff = assay::diff_certificates(a, b);
    (json ? std::cerr : std::cout) << assay::diff_table(a, b, diff);
    if (json) std::cout << assay::diff_json(a, b, diff);
    return diff.worse ? assay::kExitFail : assay::kExitPass;
  });
}
