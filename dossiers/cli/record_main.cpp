// SPDX-License-Identifier: Apache-2.0
// assay record: keep a run for replay on machines without a GPU.
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "dossiers/cli/verb_main.h"
#include "dossiers/json/json_writer.h"
#include "dossiers/record.h"

int main(int argc, char** argv) {
  CLI::App app("Keeps a run's dossier with its samples, for replay on machines without a GPU.",
               "assay record");
  std::string source, out;
  bool no_redact = false, json = false;
  app.add_option("source", source, "run folder, or dossier.json with its samples beside it")
      ->required();
  app.add_option("--out", out, "folder to write dossier.json and samples/ into")->required();
  app.add_flag("--no-redact,!--redact", no_redact,
               "keep UUID, PCI id, processes and error output (default: redacted)");
  app.add_flag("--json", json, "say what was written as JSON on standard output");
  app.footer(
      "Example:\n  assay record out/GPU-.../20261129-021407 --out dossiers/recorded/h200\n"
      "Exit codes: 0 written, 2 bad input or not writable.");
  return assay::run_verb(app, argc, argv, [&] {
    assay::Dossier dossier = assay::load_recordable(source);
    if (!no_redact) {
      dossier = assay::redact(std::move(dossier));
    }
    assay::record_dossier(dossier, out);
    const std::string file = (std::filesystem::path(out) / "dossier.json").string();
    std::cerr << "recorded " << file << (dossier.redacted ? " (redacted)" : "") << '\n';
    if (json) {
      std::cout << assay::json_text({{"file", file},
                                     {"run_id", dossier.run_id},
                                     {"entries", dossier.entries.size()},
                                     {"redacted", dossier.redacted}});
    }
    return assay::kExitPass;
  });
}
