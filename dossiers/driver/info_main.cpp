// SPDX-License-Identifier: Apache-2.0
// assay info: which devices are there?
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>

#include "dossiers/cli/verb_main.h"
#include "dossiers/driver/info.h"

namespace {

int print_info(const std::string& wanted, bool json, bool brief) {
  try {
    const assay::CardList cards = assay::load_cards();
    const auto devices = assay::gather_info(wanted, &cards);
    std::cout << (json ? assay::info_json(devices) : assay::info_table(devices, !brief));
    return assay::kExitPass;
  } catch (const assay::NoDevice& absence) {
    if (json) {
      std::cout << assay::info_json({}, absence.what());
    }
    std::cerr << "assay info: " << absence.what() << '\n';
    return assay::kExitNotApplicable;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Lists the GPUs and what the driver and NVML say about them; measures nothing.",
               "assay info");
  app.footer(
      "Example:\n  assay info --json --device 0\n"
      "Exit codes: 0; 2 bad input or no such device; 77 no GPU.");
  std::string device;
  bool json = false, brief = false;
  app.add_option("--device", device, "UUID, its beginning, or index in PCI order; all without it")
      ->envname("ASSAY_DEVICE");
  app.add_flag("--brief", brief, "without the list of the driver's attributes");
  app.add_flag("--json", json, "machine output on standard output");
  return assay::run_verb(app, argc, argv, [&] { return print_info(device, json, brief); });
}
