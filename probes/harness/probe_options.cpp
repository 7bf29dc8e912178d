// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/probe_options.h"

#include <iostream>

#include <CLI/CLI.hpp>

#include "dossiers/cli/verb_main.h"

namespace assay {

std::optional<int> read_probe_options(int argc, char** argv, const char* probe,
                                      ProbeOptions& options) {
  CLI::App app("Measures one family of facts about one GPU and writes evidence.", probe);
  app.footer("Example: " + std::string(probe) + " --out /tmp/evidence --device GPU-1a2b3c4d");
  std::string level;
  app.add_option("--out", options.out, "folder that gets " + std::string(probe) + ".json")
      ->required();
  app.add_option("--run-id", options.run_id, "the run that this measurement belongs to")
      ->default_val("unassigned");
  app.add_option("--device", options.device, "UUID, its beginning, or index in PCI order")
      ->envname("ASSAY_DEVICE");
  app.add_option("--level", level, "quick or full")->envname("ASSAY_LEVEL");
  app.add_flag("--json", options.json, "print the evidence on standard output");
  bool go_on = false;
  const int code = run_verb(app, argc, argv, [&] {
    const std::optional<Level> known = level_from(level.empty() ? "quick" : level);
    if (!known) {
      std::cerr << probe << ": --level '" << level << "' is not one of quick, full\n";
      return kExitUsage;
    }
    options.level = *known;
    go_on = true;
    return kExitPass;
  });
  return go_on ? std::nullopt : std::optional<int>(code);
}

}  // namespace assay
