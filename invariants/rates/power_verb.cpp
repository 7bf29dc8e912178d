// SPDX-License-Identifier: Apache-2.0
// assay power: how often would healthy runs fail, and planted faults be seen? And what do repeated
// runs of several sittings say together?
#include <cstdint>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "dossiers/cli/progress.h"
#include "dossiers/cli/verb_main.h"
#include "invariants/plan/replay.h"
#include "invariants/rates/power.h"
#include "invariants/share.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostRuns = 100000;

struct Arguments {
  std::string replay, repeat, out, share;
  std::vector<std::string> merge;
  std::int64_t runs = PowerOrder{}.runs;
  std::uint64_t seed = PowerOrder{}.seed;
  bool json = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  auto* replay = app.add_option("--replay", arguments.replay,
                                "a recorded dossier with its samples/ (default: the newest that "
                                "comes with assay)");
  auto* repeat = app.add_option("--repeat", arguments.repeat,
                                "a repeat.json of that product: adds each fact's measured "
                                "distance between runs");
  app.add_option("--runs", arguments.runs, "healthy runs to draw (3000); faults in every third")
      ->check(CLI::Range(std::int64_t{1}, kMostRuns));
  app.add_option("--seed", arguments.seed, "the same seed gives the same document (1)");
  app.add_option("--out", arguments.out, "write the document to this file");
  app.add_option("--share", arguments.share, "the folder of catalog.json, mustpass/, waivers.json");
  app.add_flag("--json", arguments.json, "the document on stdout, the table on stderr");
  app.add_option("--merge", arguments.merge,
                 "instead: add up the sessions of these repeat.json files")
      ->excludes(replay)
      ->excludes(repeat);
  app.footer(
      "Examples:\n"
      "  assay power --runs 30\n"
      "  assay power --replay out/GPU-.../RUN/dossier.json --repeat healthy/repeat.json\n"
      "  assay power --merge monday/repeat.json tuesday/repeat.json --out both.json\n"
      "Exit codes: 0 done, whatever the rates are; 2 bad input.");
}

int finish(const Arguments& arguments, const std::string& text, const std::string& table) {
  if (!arguments.out.empty()) write_file_atomically(arguments.out, text);
  (arguments.json ? std::cerr : std::cout) << table;
  if (arguments.json) std::cout << text;
  return kExitPass;
}

int merge_files(const Arguments& arguments) {
  Repeat all = read_repeat(arguments.merge.front());
  for (const std::string& file : arguments.merge) {
    try {
      merge(all, read_repeat(file));
    } catch (const DataError& error) {
      throw DataError(file + ": " + error.what());
    }
  }
  return finish(arguments, repeat_text(all), repeat_table(all));
}

fs::path source_of(const Arguments& arguments, const fs::path& share) {
  if (!arguments.replay.empty()) return arguments.replay;
  const auto newest = newest_recorded(share);
  if (!newest) throw std::runtime_error("no recorded dossier comes with this build; give --replay");
  return *newest;
}

/// The distances between runs of another product would be made up.
std::optional<Repeat> between_of(const Arguments& arguments, const Dossier& recorded) {
  if (arguments.repeat.empty()) return std::nullopt;
  Repeat repeat = read_repeat(arguments.repeat);
  if (repeat.replay || repeat.product != recorded.device.name || repeat.level != recorded.level) {
    throw DataError(arguments.repeat + ": is of " + repeat.product + ", level " +
                    std::string(to_string(repeat.level)) +
                    (repeat.replay ? ", from a replay" : "") + "; want measured runs of " +
                    recorded.device.name + ", level " + std::string(to_string(recorded.level)));
  }
  return repeat;
}

int model(const Arguments& arguments) {
  const fs::path share = share_dir(arguments.share);
  const Dossier recorded = read_dossier(source_of(arguments, share), true);
  const auto between = between_of(arguments, recorded);
  PowerOrder order;
  order.runs = arguments.runs;
  order.seed = arguments.seed;
  Progress progress(static_cast<std::size_t>(order.runs));
  order.progress = [&](std::int64_t done) {
    if (done < order.runs) progress.begin("drawn run");
  };
  const PowerModel result =
      simulate(load_rules(share, recorded.level), recorded, between ? &*between : nullptr, order);
  return finish(arguments, power_text(result), power_table(result));
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  CLI::App app("Models false alarms and the power to see planted faults from a recorded run.",
               "assay power");
  assay::Arguments arguments;
  assay::declare(app, arguments);
  return assay::run_verb(app, argc, argv, [&] {
    return arguments.merge.empty() ? assay::model(arguments) : assay::merge_files(arguments);
  });
}
