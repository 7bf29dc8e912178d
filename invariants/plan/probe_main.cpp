// SPDX-License-Identifier: Apache-2.0
// assay probe: what does one probe, or each, measure on this GPU? No run, no verdict.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "dossiers/cli/progress.h"
#include "dossiers/cli/verb_main.h"
#include "dossiers/dossier.h"
#include "dossiers/driver/libcuda.h"
#include "dossiers/json/json_writer.h"
#include "invariants/plan/bench_report.h"
#include "invariants/plan/device_choice.h"
#include "invariants/plan/facts_text.h"
#include "invariants/plan/gpu_lock.h"
#include "invariants/plan/measure.h"
#include "invariants/plan/probe_list.h"
#include "invariants/plan/run_folder.h"
#include "invariants/plan/text.h"
#include "invariants/share.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> names;
  std::string out, device, dossier, level = "quick";
  bool json = false, list = false, bench_report = false;
};

struct Outcome {
  std::string probe;
  ProbeResult result;
};

int list_probes(const std::vector<PlannedProbe>& probes, bool json) {
  Json names = Json::array();
  for (const auto& probe : probes) {
    names.push_back(probe.name);
    if (!json) {
      std::cout << probe.name << '\n';
    }
  }
  if (json) {
    std::cout << json_text(Json{{"probes", names}});
  }
  return kExitPass;
}

/// The named probes in the plan's order, or all. Throws DataError for a name that is none.
std::vector<PlannedProbe> chosen(const std::vector<PlannedProbe>& probes,
                                 const std::vector<std::string>& names) {
  std::vector<std::string> known;
  known.reserve(probes.size());
  for (const auto& probe : probes) {
    known.push_back(probe.name);
  }
  for (const auto& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string near = nearest(name, known);
      throw DataError(
          "no probe `" + name + "`: " +
          (near.empty() ? "`assay probe --list` lists them" : "did you mean `" + near + "`?"));
    }
  }
  std::vector<PlannedProbe> result;
  for (const auto& probe : probes) {
    if (names.empty() || std::find(names.begin(), names.end(), probe.name) != names.end()) {
      result.push_back(probe);
    }
  }
  return result;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(folder.string() + ": cannot make the folder: " + error.message());
  }
}

std::vector<Outcome> measure_all(const Options& options, const std::vector<PlannedProbe>& probes,
                                 const DeviceIdentity& device) {
  ProbeOrder order;
  order.layout = this_layout();
  order.run_id = new_run_id();
  order.device = device;
  order.level = level_from(options.level).value();
  order.folder = fs::absolute(options.out);
  make_folder(order.folder);
  Progress progress(probes.size());
  std::vector<Outcome> outcomes;
  for (const auto& probe : probes) {
    progress.begin(probe.name);
    order.probe = probe;
    outcomes.push_back({probe.name, measure(order)});
  }
  return outcomes;
}

void print_table(const std::vector<Outcome>& outcomes) {
  for (const auto& [probe, result] : outcomes) {
    if (result.evidence) {
      std::cout << facts_text(result.evidence->measurements);
    }
    if (result.status != ProbeStatus::measured) {
      std::cout << probe << ": " << to_string(result.status) << ": " << result.reason << '\n';
    }
  }
}

void print_json(const std::vector<Outcome>& outcomes, const DeviceIdentity& device) {
  Json list = Json::array();
  for (const auto& [probe, result] : outcomes) {
    Json facts = Json::object();
    if (result.evidence) {
      for (const auto& [path, number] : numbers(result.evidence->measurements)) {
        facts[path] = Json::parse(number);
      }
    }
    list.push_back({{"probe", probe},
                    {"status", to_string(result.status)},
                    {"reason", result.reason},
                    {"numbers", facts}});
  }
  std::cout << json_text(Json{{"device", device.uuid}, {"probes", list}});
}

/// All facts of the probes that left evidence; a fact belongs to one probe.
std::map<std::string, Measurement> entries_of(const std::vector<Outcome>& outcomes) {
  std::map<std::string, Measurement> entries;
  for (const auto& outcome : outcomes) {
    if (outcome.result.evidence) {
      for (const auto& [entry, measurement] : outcome.result.evidence->measurements.entries()) {
        entries[entry].facts.insert(measurement.facts.begin(), measurement.facts.end());
      }
    }
  }
  return entries;
}

void print_bench_report(const Options& options, const std::string& device,
                        const std::map<std::string, Measurement>& entries) {
  const auto rows = bench_rows(load_bars(share_dir() / "bars.json"), device, entries);
  std::cout << (options.json ? bench_json(rows, device) : bench_text(rows, device));
}

/// The report on a dossier that is there already; measures nothing.
int report_on_dossier(const Options& options) {
  if (!options.bench_report) {
    throw DataError("--dossier is for --bench-report: nothing else reads a dossier here");
  }
  const Dossier dossier = read_dossier(options.dossier);
  print_bench_report(options, dossier.device.name, dossier.entries);
  return kExitPass;
}

void print_outcomes(const Options& options, const std::vector<Outcome>& outcomes,
                    const DeviceIdentity& device) {
  if (options.bench_report) {
    print_bench_report(options, device.name, entries_of(outcomes));
  } else if (options.json) {
    print_json(outcomes, device);
  } else {
    print_table(outcomes);
  }
}

/// The worst: failed before usage before inconclusive; "not applicable" only when nothing else is.
int worst(const std::vector<Outcome>& outcomes) {
  std::vector<int> codes;
  codes.reserve(outcomes.size());
  for (const auto& outcome : outcomes) {
    codes.push_back(exit_code(outcome.result));
  }
  for (const int code : {kExitFail, kExitUsage, kExitInconclusive, kExitPass}) {
    if (std::find(codes.begin(), codes.end(), code) != codes.end()) {
      return code;
    }
  }
  return kExitNotApplicable;
}

int run(const Options& options) {
  const auto probes = read_probes(share_dir() / "probes.json");
  if (options.list) {
    return list_probes(probes, options.json);
  }
  if (!options.dossier.empty()) {
    return report_on_dossier(options);
  }
  if (options.out.empty()) {
    throw DataError("--out is needed: the folder for the evidence (see assay probe --help)");
  }
  const auto wanted = chosen(probes, options.names);
  try {
    const DeviceIdentity device = choose_device(options.device);
    const auto outcomes = measure_all(options, wanted, device);
    print_outcomes(options, outcomes, device);
    return worst(outcomes);
  } catch (const NoDevice& reason) {
    std::cerr << "assay probe: " << reason.what() << '\n';
    return kExitNotApplicable;
  } catch (const GpuBusy& busy) {
    std::cerr << "assay probe: " << busy.what() << '\n';
    return kExitInconclusive;
  }
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  CLI::App app("Runs probes one by one, each in its own process, and writes their evidence.",
               "assay probe");
  assay::Options options;
  app.add_option("name", options.names, "probes to run (default: all, in the order of the plan)");
  app.add_option("--out", options.out, "folder for <probe>.json");
  app.add_option("--device", options.device, "UUID or index in PCI order")->envname("ASSAY_DEVICE");
  app.add_option("--level", options.level, "quick (default) or full")
      ->check(CLI::IsMember({"quick", "full"}))
      ->envname("ASSAY_LEVEL");
  app.add_flag("--list", options.list, "list the probes and measure nothing");
  app.add_flag("--bench-report", options.bench_report,
               "hold each fact that has a bar against it, instead of listing all facts");
  app.add_option("--dossier", options.dossier,
                 "with --bench-report: report on this dossier and measure nothing");
  app.add_flag("--json", options.json, "status and numbers of each probe on stdout");
  app.footer(
      "example:\n  assay probe latency l2_bandwidth --out evidence\n"
      "  assay probe --bench-report --out evidence");
  return assay::run_verb(app, argc, argv, [&] { return assay::run(options); });
}
