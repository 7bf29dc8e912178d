// SPDX-License-Identifier: Apache-2.0
// One certification from the command line.
#include "invariants/plan/certification.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <unistd.h>

#include "dossiers/cli/progress.h"
#include "dossiers/exit_code.h"
#include "invariants/plan/junit_run.h"
#include "invariants/plan/run_folder.h"
#include "invariants/plan/steps.h"
#include "invariants/plan/supervisor.h"
#include "invariants/plan/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool is_invariant(const Step& step) {
  return step.kind == StepKind::invariant;
}

Program program_of(const CertifyOrder& order, const Step& step) {
  Program program;
  program.file = order.layout.step();
  program.arguments = step.arguments;
  program.environment = {{"ASSAY_DEVICE", order.device_uuid},
                         {"ASSAY_OUT", order.out.string()},
                         {"ASSAY_LEVEL", std::string(to_string(order.level))},
                         {"ASSAY_PINNED", order.pinned_file.string()},
                         {"ASSAY_BOOTSTRAP", order.bootstrap ? "1" : "0"}};
  program.deadline_s = step.timeout_s;
  program.output = ChildOutput::captured;
  program.echo_stderr = false;
  program.stop = order.stop;
  return program;
}

/// How many things are waited for: each step that is a process, and the invariants as one.
std::size_t processes(const std::vector<Step>& steps) {
  const auto invariants = std::count_if(steps.begin(), steps.end(), is_invariant);
  return steps.size() - static_cast<std::size_t>(invariants) + (invariants > 0 ? 1 : 0);
}

/// As if the step of this invariant had ended so.
Ended ended_as(const JudgedInvariant& judged, double seconds) {
  Ended ended;
  ended.exit_code = judged.code;
  ended.output = judged.line;
  ended.seconds = seconds;
  return ended;
}

JUnitCase blocked(const Step& step) {
  JUnitCase one;
  one.name = step.name;
  one.message = "not run: the device step failed";
  return one;
}

/// The run of the steps, with what is known while it goes on.
class Certification {
 public:
  explicit Certification(const CertifyOrder& order)
      : order_(order), steps_(steps_to_run(order.share)), progress_(processes(steps_)) {}
  Certified run();

 private:
  Ended run_step(const Step& step);
  void begin(const Step& device);
  void run_others();
  void judge_invariants_of(const std::vector<Step>& invariants);
  int code_of(const std::string& step) const;
  void write_junit() const;

  const CertifyOrder& order_;
  std::vector<Step> steps_;
  Progress progress_;
  std::vector<JUnitCase> cases_;
  std::vector<std::pair<std::string, int>> codes_;
  Certified result_;
  bool device_failed_ = false;
};

Ended Certification::run_step(const Step& step) {
  progress_.begin(step.name);
  Ended ended = supervise(program_of(order_, step));
  if (ended.stopped) {
    throw Interrupted(step.name + ": interrupted");
  }
  cases_.push_back(case_of(step, ended));
  codes_.emplace_back(step.name, ended.exit_code.value_or(kExitFail));
  return ended;
}

/// Leaves result_.folder empty when there is no run to go on with.
void Certification::begin(const Step& device) {
  const Ended ended = run_step(device);
  const int code = ended.exit_code.value_or(kExitFail);
  if (code != 0 && code != kExitFail) {
    result_.code = code;
    result_.problem = cases_.back().message;
    return;
  }
  const auto self = process_stamp(::getpid());
  if (!self) {
    throw std::runtime_error("/proc/self/stat: cannot read when this process started");
  }
  result_.folder = find_run(order_.out, *self, order_.device_uuid).folder;
  cases_.back().measurements = measured_numbers(result_.folder, "device");
  device_failed_ = code != 0;
}

void Certification::run_others() {
  for (auto step = steps_.begin() + 1; step != steps_.end();) {
    if (is_invariant(*step)) {
      const auto end = std::find_if_not(step, steps_.end(), is_invariant);
      judge_invariants_of({step, end});
      step = end;
      continue;
    }
    if (device_failed_ && step->kind == StepKind::probe) {
      cases_.push_back(blocked(*step));
    } else {
      run_step(*step);
    }
    if (step->kind == StepKind::probe && !device_failed_) {
      cases_.back().measurements = measured_numbers(result_.folder, step->subject);
    }
    ++step;
  }
}

/// The steps of the plan's invariants, which stand together, in the catalogue's order.
void Certification::judge_invariants_of(const std::vector<Step>& invariants) {
  progress_.begin("invariants");
  if (device_failed_) {
    for (const Step& step : invariants) {
      cases_.push_back(blocked(step));
    }
    return;
  }
  const auto begun = std::chrono::steady_clock::now();
  std::map<std::string, JudgedInvariant> judged;
  JudgedInvariant refused{"", kExitUsage, ""};
  try {
    for (auto& one : judge_invariants(judging_of(order_), result_.folder)) {
      judged.emplace(one.id, one);
    }
  } catch (const std::exception& error) {
    refused.line = error.what();
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  const double each = taken.count() / static_cast<double>(invariants.size());
  for (const Step& step : invariants) {
    const auto found = judged.find(step.subject);
    Ended ended = ended_as(found == judged.end() ? refused : found->second, each);
    ended.stderr_tail = refused.line;
    cases_.push_back(case_of(step, ended));
  }
}

int Certification::code_of(const std::string& step) const {
  const auto found = std::find_if(codes_.begin(), codes_.end(),
                                  [&](const auto& entry) { return entry.first == step; });
  return found == codes_.end() ? kExitFail : found->second;
}

void Certification::write_junit() const {
  JUnitSuite suite = suite_of(read_run(result_.folder / "run.json"));
  suite.cases = cases_;
  write_file_atomically(result_.folder / "junit.xml", junit_text(suite));
}

Certified Certification::run() {
  begin(steps_.front());
  if (result_.folder.empty()) {
    return result_;
  }
  run_others();
  write_junit();
  result_.code = code_of("certificate");
  if (result_.code == kExitUsage) {
    const auto found = std::find_if(cases_.begin(), cases_.end(),
                                    [](const JUnitCase& one) { return one.name == "certificate"; });
    result_.problem = found->message;
  } else if (result_.code == 0 && code_of("audit") != 0) {
    result_.code = kExitFail;
    result_.problem = "the audit failed: " + cases_.back().output;
  }
  return result_;
}

}  // namespace

Judging judging_of(const CertifyOrder& order) {
  Judging how;
  how.share = order.share;
  how.pinned_file = order.pinned_file;
  how.options.bootstrap = order.bootstrap;
  return how;
}

std::vector<Step> steps_to_run(const fs::path& share) {
  std::vector<Step> all = steps(read_plan(share));
  std::erase_if(all, [](const Step& step) { return step.kind == StepKind::junit; });
  return all;
}

JUnitCase case_of(const Step& step, const Ended& ended) {
  JUnitCase one;
  one.name = step.name;
  one.seconds = ended.seconds;
  one.output = ended.output;
  const bool skipped = step.may_skip && ended.exit_code == kExitNotApplicable;
  if (ended.exit_code == 0) {
    one.result = CaseResult::passed;
    return one;
  }
  one.result = skipped ? CaseResult::skipped : CaseResult::failed;
  const bool spoke = ended.exit_code.has_value() && ended.exit_code != kExitUsage;
  one.message = spoke ? last_line(ended.output) : "";
  if (one.message.empty()) {
    one.message = last_line(ended.stderr_tail);
  }
  if (one.message.empty() || !ended.exit_code) {
    one.message = describe(ended) + (one.message.empty() ? "" : ": " + one.message);
  }
  return one;
}

Certified certify_device(const CertifyOrder& order) {
  return Certification(order).run();
}

}  // namespace assay
