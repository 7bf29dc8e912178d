// SPDX-License-Identifier: Apache-2.0
// What does each test of the graph do?
#include "invariants/plan/steps.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <system_error>
#include <unistd.h>

#include "dossiers/exit_code.h"
#include "invariants/plan/device_choice.h"
#include "invariants/plan/facts_text.h"
#include "invariants/plan/junit_run.h"
#include "invariants/plan/measure.h"
#include "invariants/plan/plan.h"
#include "invariants/plan/probe_list.h"
#include "invariants/plan/run_folder.h"
#include "invariants/plan/text.h"
#include "invariants/plan/wall_clock.h"
#include "invariants/share.h"
#include "invariants/summary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void print(const std::string& text) {
  std::cout << text;
}

/// Values first: ctest cuts the output of a test that passed after its first kilobyte.
void print_result(const std::string& probe, const ProbeResult& result) {
  if (result.evidence) {
    const Measurements& measurements = result.evidence->measurements;
    print(facts_text(measurements));
    if (std::getenv("DASHBOARD_TEST_FROM_CTEST") != nullptr) {
      print(ctest_measurements(measurements));
    }
  }
  std::string line = probe + ": " + std::string(to_string(result.status));
  print(line + (result.reason.empty() ? "" : ": " + result.reason) + "\n");
}

PlannedProbe planned(const std::vector<PlannedProbe>& probes, const std::string& name) {
  const auto found = std::find_if(probes.begin(), probes.end(),
                                  [&](const PlannedProbe& probe) { return probe.name == name; });
  if (found == probes.end()) {
    throw DataError("no probe `" + name + "` in the run plan");
  }
  return *found;
}

ProbeResult measure_in(const StepContext& context, const fs::path& folder, const Run& run,
                       const PlannedProbe& probe) {
  ProbeOrder order;
  order.layout = context.layout;
  order.probe = probe;
  order.run_id = run.run_id;
  order.device = run.device;
  order.level = run.level;
  order.folder = folder / "evidence";
  return measure(order);
}

Run new_run(const StepContext& context, const std::vector<PlannedProbe>& probes) {
  const ProcessStamp parent = parent_stamp();
  Run run;
  run.run_id = new_run_id();
  run.suite = this_suite();
  run.created_utc = utc_now();
  run.level = context.level;
  run.device = choose_device(context.device);
  for (const auto& probe : probes) {
    run.probes.push_back(probe.name);
  }
  run.parent_pid = parent.pid;
  run.parent_start = parent.start;
  return run;
}

std::string number_text(const std::optional<double>& number) {
  return number ? compact(*number) : "none";
}

/// The claim, its two numbers and the margin, on one line.
std::string verdict_line(const Verdict& verdict) {
  std::string line = verdict.id + " " + std::string(to_string(verdict.outcome)) + ": " +
                     verdict.claim + "; measured " + number_text(verdict.measured) + ", allowed " +
                     number_text(verdict.low) + " to " + number_text(verdict.high) + ", margin " +
                     number_text(verdict.margin);
  return line + (verdict.reason.empty() ? "" : "; " + verdict.reason) + "\n";
}

JudgedInvariant leave_verdict(const Certificate& certificate, const Verdict& verdict,
                              const fs::path& folder) {
  VerdictFile document;
  document.run_id = certificate.run_id;
  document.suite = certificate.suite;
  document.verdict = verdict;
  write_verdict(document, folder / "verdicts" / (verdict.id + ".json"));
  return {verdict.id, exit_code(verdict.outcome), verdict_line(verdict)};
}

}  // namespace

Judging judging_of(const StepContext& context) {
  Judging how;
  how.share = context.share;
  how.pinned_file = context.pinned_file;
  how.options.bootstrap = context.bootstrap;
  return how;
}

StepContext step_context() {
  StepContext context;
  context.layout = this_layout();
  context.share = share_dir();
  const std::string out = variable("ASSAY_OUT");
  context.out = fs::absolute(out.empty() ? "out" : out);
  context.device = variable("ASSAY_DEVICE");
  if (const std::string level = variable("ASSAY_LEVEL"); !level.empty()) {
    const auto known = level_from(level);
    if (!known) {
      throw DataError("ASSAY_LEVEL: `" + level + "` is no level; allowed: quick, full");
    }
    context.level = *known;
  }
  context.pinned_file = variable("ASSAY_PINNED");
  const std::string bootstrap = variable("ASSAY_BOOTSTRAP");
  if (!bootstrap.empty() && bootstrap != "0" && bootstrap != "1") {
    throw DataError("ASSAY_BOOTSTRAP: `" + bootstrap + "` is not 0 or 1");
  }
  context.bootstrap = bootstrap == "1";
  return context;
}

int run_device_step(const StepContext& context) {
  require_wall_clock(context.share);
  const auto probes = read_probes(context.share / "probes.json");
  const Run run = new_run(context, probes);
  require_driver(probes, run.device);
  const fs::path folder = create_run(context.out, run);
  const ProbeResult result = measure_in(context, folder, run, planned(probes, "device"));
  print_result("device", result);
  print("run " + folder.string() + "\n");
  if (result.usage_error) {
    return exit_code(result);
  }
  // A spoiled window or missing code is for the certificate to say, with the rest measured; ctest
  // would run nothing more if this step did not pass.
  return result.status == ProbeStatus::failed ? 1 : 0;
}

int run_probe_step(const StepContext& context, const std::string& probe) {
  const PlannedProbe wanted = planned(read_probes(context.share / "probes.json"), probe);
  const FoundRun found = find_run(context.out, parent_stamp(), context.device);
  const ProbeResult result = measure_in(context, found.folder, found.run, wanted);
  print_result(probe, result);
  return exit_code(result);
}

int run_invariant_step(const StepContext& context, const std::string& id) {
  const FoundRun found = find_run(context.out, parent_stamp(), context.device);
  const Certificate certificate = judge(judging_of(context), merge_run(found.folder));
  const Verdict* verdict = find_verdict(certificate, id);
  if (verdict == nullptr) {
    throw DataError("no invariant `" + id + "` in the catalogue");
  }
  const JudgedInvariant judged = leave_verdict(certificate, *verdict, found.folder);
  print(judged.line);
  return judged.code;
}

std::vector<JudgedInvariant> judge_invariants(const Judging& how, const fs::path& folder) {
  const Certificate certificate = judge(how, merge_run(folder));
  std::vector<JudgedInvariant> judged;
  judged.reserve(certificate.verdicts.size());
  for (const Verdict& verdict : certificate.verdicts) {
    judged.push_back(leave_verdict(certificate, verdict, folder));
  }
  return judged;
}

int run_certificate_step(const StepContext& context) {
  const FoundRun found = find_run(context.out, parent_stamp(), context.device);
  write_dossier(merge_run(found.folder), found.folder / "dossier.json");
  // Judged as it was written: the certificate speaks of the file, not of this process's memory.
  const Dossier dossier = read_dossier(found.folder / "dossier.json");
  const Certificate certificate = judge(judging_of(context), dossier);
  write_file_atomically(found.folder / "certificate.json", certificate_text(certificate));
  write_file_atomically(found.folder / "summary.txt", summary_text(certificate));
  SummaryOptions options;
  options.colour = wants_colour(STDOUT_FILENO);
  print(summary_text(certificate, options));
  print("certificate " + (found.folder / "certificate.json").string() + "\n");
  return exit_code(certificate.verdict);
}

int run_audit_step(const StepContext& context) {
  const FoundRun found = find_run(context.out, parent_stamp(), context.device);
  const Audit audit = audit_again(judging_of(context), found.folder);
  for (const auto& problem : audit.problems) {
    print("audit: " + problem + "\n");
  }
  print("audit " + std::string(audit.pass() ? "pass" : "fail") + ": " +
        std::to_string(audit.probes_accounted) + " of " + std::to_string(audit.planned_probes) +
        " probes accounted for, " + std::to_string(audit.verdicts_confirmed) + " of " +
        std::to_string(audit.wanted_verdicts) + " verdicts confirmed\n");
  return audit.pass() ? 0 : 1;
}

int run_junit_step(const StepContext& context) {
  const FoundRun found = find_run(context.out, parent_stamp(), context.device);
  const JUnitSuite suite =
      junit_of_run(steps(read_plan(context.share)), judging_of(context), found.folder);
  write_file_atomically(found.folder / "junit.xml", junit_text(suite));
  print("junit " + (found.folder / "junit.xml").string() + "\n");
  return kExitPass;
}

}  // namespace assay
