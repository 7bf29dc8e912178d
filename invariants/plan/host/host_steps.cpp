// SPDX-License-Identifier: Apache-2.0
// The steps of one plan for several GPUs of a host, in one ctest.
#include "invariants/plan/plan.h"

namespace assay {
namespace {

constexpr const char* kLinkLock = "assay_host_link";
constexpr double kJudgeHost_s = 120.0;

std::string gpu_lock_name(const std::string& uuid) {
  return "assay_gpu_" + uuid;
}

void add_suffix(std::vector<std::string>& names, const std::string& suffix) {
  for (std::string& name : names) {
    name += suffix;
  }
}

/// RUN_SERIAL would hold up the other GPUs: what a step has alone is named instead.
std::vector<std::string> locks_of(const Step& step, const std::string& uuid,
                                  const std::vector<std::string>& uuids) {
  std::vector<std::string> locks;
  if (step.turn != Turn::none) {
    locks.emplace_back(kLinkLock);
  }
  if (step.turn == Turn::every_gpu) {
    for (const std::string& other : uuids) {
      locks.push_back(gpu_lock_name(other));
    }
  } else if (step.serial || step.kind == StepKind::invariant) {
    locks.push_back(gpu_lock_name(uuid));  // judging beside its own GPU's probes disturbs them
  }
  return locks;
}

Step step_of(Step step, const std::string& uuid, const std::vector<std::string>& uuids) {
  step.resource_locks = locks_of(step, uuid, uuids);
  step.serial = false;
  step.name = uuid + "." + step.name;
  for (std::string& name : step.depends) {
    name = uuid + "." + name;
  }
  for (auto* fixtures : {&step.fixtures_setup, &step.fixtures_required, &step.fixtures_cleanup}) {
    add_suffix(*fixtures, "." + uuid);
  }
  step.labels.push_back(uuid);
  step.environment = {"ASSAY_DEVICE=" + uuid};
  return step;
}

/// Needs no fixture: a host whose GPUs all failed has a verdict, too.
Step host_step(const std::vector<std::string>& uuids, std::int64_t expected,
               std::vector<std::string> depends) {
  Step step;
  step.kind = StepKind::host;
  step.name = "host";
  step.arguments = {"host", std::to_string(expected)};
  step.arguments.insert(step.arguments.end(), uuids.begin(), uuids.end());
  step.timeout_s = kJudgeHost_s;
  step.depends = std::move(depends);
  step.labels = {"certify", "gpu"};
  return step;
}

}  // namespace

std::vector<Step> steps_of_host(const Plan& plan, const std::vector<std::string>& uuids,
                                std::int64_t expected) {
  const std::vector<Step> one = steps(plan);
  std::vector<Step> all;
  std::vector<std::string> names;
  for (const std::string& uuid : uuids) {
    for (const Step& step : one) {
      all.push_back(step_of(step, uuid, uuids));
      names.push_back(all.back().name);
    }
  }
  all.push_back(host_step(uuids, expected, std::move(names)));
  return all;
}

}  // namespace assay
