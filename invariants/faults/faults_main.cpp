// SPDX-License-Identifier: Apache-2.0
// assay-faults: breaks the device's answer on purpose and holds the verdicts against what they must
// be.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "dossiers/cli/progress.h"
#include "dossiers/cli/verb_main.h"
#include "dossiers/driver/libcuda.h"
#include "dossiers/json/json_writer.h"
#include "invariants/faults/fault_case.h"
#include "invariants/faults/fault_report.h"
#include "invariants/plan/device_choice.h"
#include "invariants/plan/gpu_lock.h"
#include "invariants/plan/measure.h"
#include "invariants/plan/probe_list.h"
#include "invariants/plan/run_folder.h"
#include "invariants/plan/text.h"
#include "invariants/share.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> ids;
  std::string out, device;
  bool list = false, json = false;
};

/// The measurements on the healthy device, and those under each fault.
class FaultRun {
 public:
  FaultRun(const Options& options, const Catalog& catalog)
      : catalog_(catalog),
        layout_(this_layout()),
        planned_(read_probes(layout_.share() / "probes.json")) {
    run_.run_id = new_run_id();
    run_.created_utc = utc_now();
    run_.suite = this_suite();
    run_.device = choose_device(options.device);
    out_ = fs::absolute(options.out) / run_.run_id;  // never met before
  }

  const Run& run() const { return run_; }
  const fs::path& folder() const { return out_; }
  FaultOutcome make(const FaultCase& fault);

 private:
  ProbeResult measure_into(const fs::path& folder, const std::string& probe,
                           const std::optional<StandIn>& stand_in);
  void measure_healthy(const FaultCase& fault);
  Dossier dossier_of(const fs::path& folder, const FaultCase& fault,
                     const std::vector<std::string>& healthy);
  StandIn stand_in(const FaultCase& fault, const std::string& probe) const;

  fs::path out_;
  const Catalog& catalog_;
  Layout layout_;
  std::vector<PlannedProbe> planned_;
  Run run_;
  std::vector<std::string> healthy_;  ///< probes measured so far on the healthy device
};

std::vector<std::string> all_probes(const FaultCase& fault) {
  std::vector<std::string> probes = fault.beside;
  probes.insert(probes.end(), fault.probes.begin(), fault.probes.end());
  return probes;
}

ProbeResult FaultRun::measure_into(const fs::path& folder, const std::string& probe,
                                   const std::optional<StandIn>& stand_in) {
  const auto found = std::find_if(planned_.begin(), planned_.end(),
                                  [&](const PlannedProbe& one) { return one.name == probe; });
  if (found == planned_.end()) throw DataError("no probe `" + probe + "` in the run plan");
  ProbeOrder order;
  order.layout = layout_;
  order.probe = *found;
  order.run_id = run_.run_id;
  order.device = run_.device;
  order.folder = folder / "evidence";
  order.echo_stderr = false;
  order.stand_in = stand_in;
  fs::create_directories(order.folder);
  return measure(order);
}

/// Each probe once for all faults.
void FaultRun::measure_healthy(const FaultCase& fault) {
  for (const std::string& probe : all_probes(fault)) {
    if (std::find(healthy_.begin(), healthy_.end(), probe) != healthy_.end()) continue;
    measure_into(out_ / "healthy", probe, std::nullopt);
    healthy_.push_back(probe);
  }
}

StandIn FaultRun::stand_in(const FaultCase& fault, const std::string& probe) const {
  const fs::path programs = layout_.root / "libexec" / "assay" / "faults";
  if (fault.hog.empty()) return {programs / (probe + "." + fault.build), {}};
  return {programs / "hog", {fault.hog, layout_.probe(probe).string()}};
}

/// What the fault's probes said, those in `healthy` on the healthy device, as the dossier of a run
/// that has no others. A probe that left nothing under the fault stays without evidence.
Dossier FaultRun::dossier_of(const fs::path& folder, const FaultCase& fault,
                             const std::vector<std::string>& healthy) {
  Run run = run_;
  run.probes = all_probes(fault);
  write_run(run, folder / "run.json");
  for (const auto& file : fs::directory_iterator(out_ / "healthy" / "evidence")) {
    const std::string name = file.path().filename().string();
    const std::string probe = name.substr(0, name.find('.'));
    if (std::find(healthy.begin(), healthy.end(), probe) != healthy.end()) {
      fs::copy_file(file.path(), folder / "evidence" / name);
    }
  }
  return merge_run(folder);
}

FaultOutcome FaultRun::make(const FaultCase& fault) {
  measure_healthy(fault);
  FaultOutcome outcome;
  const fs::path before = out_ / (fault.id + ".healthy");
  fs::create_directories(before / "evidence");
  const Dossier healthy = dossier_of(before, fault, all_probes(fault));
  outcome.healthy = outcomes_of(catalog_, healthy, fault.probes, healthy);
  const fs::path folder = out_ / fault.id;
  for (const std::string& probe : fault.probes) {
    const ProbeResult result = measure_into(folder, probe, stand_in(fault, probe));
    outcome.probes[probe] =
        std::string(to_string(result.status)) + (result.reason.empty() ? "" : ": " + result.reason);
  }
  outcome.faulty =
      outcomes_of(catalog_, dossier_of(folder, fault, fault.beside), fault.probes, healthy);
  outcome.result = judge_fault(fault, catalog_, outcome.healthy, outcome.faulty);
  outcome.id = fault.id;
  return outcome;
}

std::vector<FaultCase> chosen(const std::vector<FaultCase>& faults,
                              const std::vector<std::string>& ids) {
  std::vector<std::string> known;
  known.reserve(faults.size());
  for (const FaultCase& fault : faults) known.push_back(fault.id);
  std::vector<FaultCase> wanted;
  for (const std::string& id : ids) {
    const auto found = std::find(known.begin(), known.end(), id);
    if (found == known.end()) {
      const std::string near = nearest(id, known);
      throw DataError("no fault `" + id + "`: " +
                      (near.empty() ? "--list names them" : "did you mean `" + near + "`?"));
    }
    wanted.push_back(faults[static_cast<std::size_t>(found - known.begin())]);
  }
  return ids.empty() ? faults : wanted;
}

int make_all(const Options& options, const Catalog& catalog, const std::vector<FaultCase>& faults) {
  if (options.out.empty()) throw DataError("--out is needed: the folder for evidence and table");
  FaultRun run(options, catalog);
  Progress progress(faults.size());
  std::vector<FaultOutcome> outcomes;
  for (const FaultCase& fault : faults) {
    progress.begin(fault.id);
    outcomes.push_back(run.make(fault));
  }
  const std::string record = fault_record(run.run(), outcomes);
  write_file_atomically(run.folder() / "faults.json", record);
  (options.json ? std::cerr : std::cout)
      << fault_table(outcomes) << "files in " << run.folder().string() << '\n';
  if (options.json) std::cout << record;
  std::vector<Outcome> verdicts;
  verdicts.reserve(outcomes.size());
  for (const FaultOutcome& outcome : outcomes) verdicts.push_back(outcome.result.outcome);
  return exit_code(combine(verdicts));
}

int run(const Options& options) {
  const Catalog catalog = load_catalog(share_dir() / "catalog.json");
  const auto faults =
      read_faults(this_layout().root / "libexec" / "assay" / "faults" / "faults.json", catalog);
  if (options.list) {
    for (const FaultCase& fault : faults) std::cout << fault.id << "  " << fault.what << '\n';
    return kExitPass;
  }
  try {
    return make_all(options, catalog, chosen(faults, options.ids));
  } catch (const NoDevice& reason) {
    std::cerr << "assay-faults: " << reason.what() << '\n';
    return kExitNotApplicable;
  } catch (const GpuBusy& busy) {
    std::cerr << "assay-faults: " << busy.what() << '\n';
    return kExitInconclusive;
  }
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  CLI::App app(
      "Makes faults on a GPU and holds what the invariants say then against what they must say.",
      "assay-faults");
  assay::Options options;
  app.add_option("id", options.ids, "faults to make (default: all)");
  app.add_option("--out", options.out,
                 "folder that gets <run id>/ with the evidence and faults.json");
  app.add_option("--device", options.device, "UUID or index in PCI order")->envname("ASSAY_DEVICE");
  app.add_flag("--list", options.list, "list the faults and make none");
  app.add_flag("--json", options.json, "the table as JSON on stdout");
  app.footer(
      "Exits 0 when every fault was noticed, 1 when one was not, 75 when the healthy device "
      "already "
      "failed, 77 without a GPU.\nExample: assay-faults --list");
  return assay::run_verb(app, argc, argv, [&] { return assay::run(options); });
}
