// SPDX-License-Identifier: Apache-2.0
// assay pin: approve a dossier as the one that drift is measured against.
#include <iostream>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "dossiers/cli/verb_main.h"
#include "dossiers/head.h"
#include "dossiers/json/json_writer.h"
#include "dossiers/record.h"

int main(int argc, char** argv) {
  CLI::App app("Approves a dossier as the one that drift is measured against.", "assay pin");
  std::string source, out, by, why, date = assay::today();
  bool force = false, json = false;
  app.add_option("dossier", source, "dossier.json, or its folder")->required();
  app.add_option("--out", out, "file to write")->required();
  app.add_option("--by", by, "who approves it")->required();
  app.add_option("--why", why, "why these figures are the right ones")->required();
  app.add_option("--date", date, "date of the approval, UTC (default: today)");
  app.add_flag("--force", force, "replace a pinned dossier that is there already");
  app.add_flag("--json", json, "say what was written as JSON on standard output");
  app.footer(
      "Example:\n  assay pin dossiers/recorded/h200/dossier.json --out dossiers/pinned/h200.json "
      "\\\n"
      "    --by 'Ada Lovelace' --why 'first ten runs agree within 0.5 %'\n"
      "Always redacted. Exit codes: 0 written, 2 bad input or not writable.");
  return assay::run_verb(app, argc, argv, [&] {
    const assay::Dossier pinned =
        assay::pin_dossier(assay::read_dossier(assay::dossier_file(source)), {by, why, date});
    if (!force && std::filesystem::exists(out)) {
      throw std::runtime_error(out + ": exists; --force replaces it");
    }
    assay::write_dossier(pinned, out);
    std::cerr << "pinned " << out << ": " << pinned.device.name << ", by " << by << '\n';
    if (json) {
      std::cout << assay::json_text({{"file", out},
                                     {"run_id", pinned.run_id},
                                     {"device", pinned.device.name},
                                     {"by", by},
                                     {"why", why},
                                     {"utc", pinned.pinned->utc}});
    }
    return assay::kExitPass;
  });
}
