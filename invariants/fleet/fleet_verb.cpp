// SPDX-License-Identifier: Apache-2.0
// assay fleet: which GPUs of many are unlike their own kind, and who has not reported?
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "dossiers/cli/progress.h"
#include "dossiers/cli/verb_main.h"
#include "dossiers/json/json_reader.h"
#include "invariants/fleet/fleet_document.h"
#include "invariants/rates/repeat.h"
#include "invariants/share.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string dir, hosts, out, share, now;
  std::vector<std::string> repeats, pinned;
  double q = FleetOptions{}.q, margin = FleetOptions{}.margin;
  bool json = false, rehearse = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("folder", arguments.dir, "evidence: <host>/<uuid>/<run id>/ at any depth")
      ->required();
  app.add_option("--hosts", arguments.hosts,
                 "who was to report: lines of 'host [rack [gpus]]'; a host without evidence is "
                 "missing, which is no pass");
  app.add_option(
      "--repeat", arguments.repeats,
      "repeat.json of `assay certify --repeat`: the certified repeatability of each fact");
  app.add_option("--pinned", arguments.pinned,
                 "approved dossiers for the layer 'ceiling' (default: those that come with assay)");
  app.add_option("--q", arguments.q, "false discovery rate over all (GPU, fact) (0.001)")
      ->check(CLI::Range(1e-9, 0.2));
  app.add_option("--margin", arguments.margin, "a smaller relative loss is none (0.02)")
      ->check(CLI::Range(1e-4, 0.5));
  app.add_option("--now", arguments.now, "the time to hold clocks against (default: now), UTC");
  app.add_flag("--rehearse", arguments.rehearse,
               "take replays of recorded dossiers for GPUs; certifies no machine, and says so");
  app.add_option("--out", arguments.out, "write the document to this file");
  app.add_option("--share", arguments.share, "the folder with pinned/");
  app.add_flag("--json", arguments.json, "the document on stdout, the tables on stderr");
  app.footer(
      "Example:\n"
      "  assay fleet evidence --hosts hosts.txt --out fleet.json\n"
      "  assay report --fleet fleet.json --html fleet.html\n"
      "Exit codes: 0 every expected GPU passes; 1 a GPU, rack, host or cohort fails, somebody is\n"
      "missing, or something in the folder is no evidence; 2 bad input; 75 run some GPUs again.");
}

std::vector<fs::path> pinned_files(const Arguments& arguments) {
  std::vector<fs::path> files(arguments.pinned.begin(), arguments.pinned.end());
  if (!files.empty()) return files;
  const fs::path dir = pinned_dir(share_dir(arguments.share));
  if (!fs::is_directory(dir)) return files;
  for (const auto& entry : fs::directory_iterator(dir)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Of several sessions and files the widest figure holds.
std::map<std::string, double> repeatability_of(const std::vector<std::string>& files) {
  std::map<std::string, double> widest;
  for (const std::string& file : files) {
    const Repeat repeat = read_repeat(file);
    if (repeat.replay) throw DataError(file + ": is of a replay: it measured no repeatability");
    for (const RepeatSession& session : repeat.sessions) {
      for (const auto& [path, fact] : session.facts) {
        if (fact.robust_cv) widest[path] = std::max(widest[path], *fact.robust_cv);
      }
    }
  }
  return widest;
}

int judge(const Arguments& arguments) {
  ReadOptions reading;
  reading.accept_replays = arguments.rehearse;
  reading.now_utc = arguments.now.empty() ? utc_now() : arguments.now;
  if (!utc_seconds(reading.now_utc)) {
    throw std::invalid_argument("--now: '" + arguments.now + "': want 2026-11-30T02:14:07Z");
  }
  std::map<std::string, ExpectedHost> expected;
  FleetOptions options;
  options.q = arguments.q;
  options.margin = arguments.margin;
  if (!arguments.hosts.empty()) {
    expected = read_expected_hosts(arguments.hosts);
    options.expected = &expected;
  }
  options.repeatability = repeatability_of(arguments.repeats);
  for (const fs::path& file : pinned_files(arguments)) {
    options.references.push_back(reference_of(read_dossier(file)));
  }
  std::optional<Progress> progress;
  reading.progress = [&](std::size_t done, std::size_t all) {
    if (!progress) progress.emplace(all);
    progress->at(done, "reading the runs");
  };
  const FleetEvidence evidence = read_fleet(arguments.dir, reading);
  const FleetJudgement judgement = judge_fleet(evidence, options);
  if (!arguments.out.empty() || arguments.json) {
    const std::string text = fleet_json(evidence, options, judgement);
    if (!arguments.out.empty()) write_file_atomically(arguments.out, text);
    if (arguments.json) std::cout << text;
  }
  (arguments.json ? std::cerr : std::cout) << fleet_table(evidence, judgement);
  return exit_code(judgement.verdict);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  CLI::App app(
      "Judges the certificates of a fleet together: outliers, racks, cohorts, the missing.",
      "assay fleet");
  assay::Arguments arguments;
  assay::declare(app, arguments);
  return assay::run_verb(app, argc, argv, [&] { return assay::judge(arguments); });
}
