// SPDX-License-Identifier: Apache-2.0
// A run as JUnit, from the files that its steps left.
#include "invariants/plan/junit_run.h"

#include <exception>
#include <optional>
#include <system_error>

#include "dossiers/exit_code.h"
#include "invariants/plan/facts_text.h"
#include "invariants/plan/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

void set_result(JUnitCase& one, int code, bool may_skip, const std::string& message) {
  if (code == kExitPass) {
    one.result = CaseResult::passed;
    return;
  }
  one.result = may_skip && code == kExitNotApplicable ? CaseResult::skipped : CaseResult::failed;
  one.message = message;
}

std::string end_of(const ProbeRecord& record) {
  if (record.timed_out) return "no end within its deadline";
  if (record.signal) return "signal " + std::to_string(*record.signal);
  return "";
}

/// What is known of a run, read once.
class RunFiles {
 public:
  RunFiles(const Judging& how, const fs::path& folder) : how_(how), folder_(folder) {
    try {
      dossier_ = merge_run(folder);
      certificate_ = judge(how, *dossier_);
    } catch (const std::exception& error) {
      refused_ = error.what();
    }
  }
  JUnitCase case_of(const Step& step) const;

 private:
  void add_probe(const std::string& probe, bool may_skip, JUnitCase& one) const;
  void add_invariant(const Step& step, JUnitCase& one) const;
  void add_certificate(JUnitCase& one) const;
  void add_audit(JUnitCase& one) const;

  const Judging& how_;
  const fs::path& folder_;
  std::optional<Dossier> dossier_;
  std::optional<Certificate> certificate_;
  std::string refused_;  ///< why there is neither
};

void RunFiles::add_probe(const std::string& probe, bool may_skip, JUnitCase& one) const {
  one.measurements = measured_numbers(folder_, probe);
  const auto found = dossier_->probes.find(probe);
  if (found == dossier_->probes.end()) {
    one.message = "not in this run's plan";
    return;
  }
  const ProbeRecord& record = found->second;
  one.seconds = record.seconds;
  std::string message = record.reason;
  for (const std::string& more : {end_of(record), last_line(record.stderr_tail)}) {
    if (!more.empty() && message.find(more) == std::string::npos) {
      message += (message.empty() ? "" : ": ") + more;
    }
  }
  // The device's own window may be spoiled, and its step passes: the certificate says so.
  const bool passes = !may_skip && record.status != ProbeStatus::failed;
  set_result(one, passes ? kExitPass : exit_code_of(record.status), may_skip, message);
}

void RunFiles::add_invariant(const Step& step, JUnitCase& one) const {
  const Verdict* verdict = find_verdict(*certificate_, step.subject);
  if (verdict == nullptr) {
    one.message = "no invariant of the catalogue";
    return;
  }
  one.output = verdict->claim + "\n";
  const std::string said = std::string(to_string(verdict->outcome)) +
                           (verdict->reason.empty() ? "" : ": ") + verdict->reason;
  std::error_code absent;
  if (!fs::exists(folder_ / "verdicts" / (step.subject + ".json"), absent)) {
    one.message = "its step did not run; the evidence says " + said;
    return;
  }
  set_result(one, exit_code(verdict->outcome), step.may_skip, said);
}

void RunFiles::add_certificate(JUnitCase& one) const {
  std::error_code absent;
  if (!fs::exists(folder_ / "certificate.json", absent)) {
    one.message = "no certificate was made";
    return;
  }
  one.output = certificate_->headline + "\n";
  set_result(one, exit_code(certificate_->verdict), false, certificate_->headline);
}

void RunFiles::add_audit(JUnitCase& one) const {
  const Audit audit = audit_again(how_, folder_);
  for (const std::string& problem : audit.problems) {
    one.output += problem + "\n";
  }
  const std::string first =
      audit.problems.empty() ? "nothing was executed" : audit.problems.front();
  set_result(one, audit.pass() ? kExitPass : kExitFail, false, first);
}

JUnitCase RunFiles::case_of(const Step& step) const {
  JUnitCase one;
  one.name = step.name;
  if (!certificate_) {
    one.message = refused_;
    return one;
  }
  try {
    switch (step.kind) {
      case StepKind::device:
        add_probe("device", false, one);
        break;
      case StepKind::probe:
        add_probe(step.subject, step.may_skip, one);
        break;
      case StepKind::invariant:
        add_invariant(step, one);
        break;
      case StepKind::certificate:
        add_certificate(one);
        break;
      default:
        add_audit(one);
    }
  } catch (const std::exception& error) {
    one.result = CaseResult::failed;
    one.message = error.what();
  }
  return one;
}

}  // namespace

JUnitSuite suite_of(const Run& run) {
  JUnitSuite suite;
  suite.name = "assay";
  suite.timestamp = run.created_utc;
  suite.properties = {{"run_id", run.run_id},
                      {"device", run.device.name},
                      {"uuid", run.device.uuid},
                      {"driver", run.device.driver},
                      {"level", std::string(to_string(run.level))}};
  return suite;
}

std::vector<std::pair<std::string, std::string>> measured_numbers(const fs::path& folder,
                                                                  const std::string& probe) {
  try {
    return numbers(read_evidence(folder / "evidence" / (probe + ".json")).measurements);
  } catch (const std::exception&) {
    return {};  // the step that read it has said why
  }
}

JUnitSuite junit_of_run(const std::vector<Step>& planned, const Judging& how,
                        const fs::path& folder) {
  JUnitSuite suite = suite_of(read_run(folder / "run.json"));
  const RunFiles files(how, folder);
  for (const Step& step : planned) {
    if (step.kind != StepKind::junit && step.kind != StepKind::host) {
      suite.cases.push_back(files.case_of(step));
    }
  }
  return suite;
}

}  // namespace assay
