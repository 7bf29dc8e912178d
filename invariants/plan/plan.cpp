// SPDX-License-Identifier: Apache-2.0
// What does a certification run, in which order, and what does each step need?
#include "invariants/plan/plan.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

#include "invariants/catalog.h"
#include "invariants/plan/probe_list.h"

namespace assay {
namespace {

// Full takes five times the samples of quick; the deadline follows.
constexpr double kFullFactor = 5.0;
constexpr double kDefaultLockWait_s = 120.0;
// Eight GPUs that measure their peers one after another at level full take two minutes.
constexpr double kDefaultTurnWait_s = 600.0;
// Above the grace after SIGTERM and SIGKILL, so that ctest never kills a step that still reports.
constexpr double kReportSlack_s = 30.0;
constexpr double kHostTimeout_s = 60.0;

const char* const kDeviceFixture = "assay_device";
// For tests of others that need this device's certified dossier: candidates.
const char* const kProbesFixture = "assay_probes";
const char* const kCertificateFixture = "assay_certificate";

std::string probe_fixture(const std::string& probe) {
  return "assay_probe_" + probe;
}

double measuring_timeout_s(const PlannedProbe& probe) {
  const double turn_s = probe.turn == Turn::none ? 0.0 : kDefaultTurnWait_s;
  return turn_s + kDefaultLockWait_s + kFullFactor * probe.timeout_s + kReportSlack_s;
}

Step device_step(const PlannedProbe& device) {
  Step step;
  step.kind = StepKind::device;
  step.name = "device";
  step.arguments = {"device"};
  step.timeout_s = measuring_timeout_s(device);
  step.serial = true;
  step.fixtures_setup = {kDeviceFixture};
  step.labels = {"certify", "gpu"};
  return step;
}

Step probe_step(const PlannedProbe& probe) {
  Step step;
  step.kind = StepKind::probe;
  step.name = "probe." + probe.name;
  step.subject = probe.name;
  step.arguments = {"probe", probe.name};
  step.timeout_s = measuring_timeout_s(probe);
  step.serial = true;
  step.turn = probe.turn;
  step.may_skip = true;
  step.fixtures_setup = {probe_fixture(probe.name), kProbesFixture};
  step.fixtures_required = {kDeviceFixture};
  step.labels = {"certify", "gpu", "probe"};
  return step;
}

Step invariant_step(const PlannedInvariant& invariant) {
  Step step;
  step.kind = StepKind::invariant;
  step.name = "invariant." + invariant.id;
  step.subject = invariant.id;
  step.arguments = {"invariant", invariant.id};
  step.timeout_s = kHostTimeout_s;
  step.may_skip = true;
  step.fixtures_required = {kDeviceFixture};
  for (const auto& probe : invariant.probes) {
    if (probe != "device") {
      step.fixtures_required.push_back(probe_fixture(probe));
    }
  }
  step.labels = {"certify", "gpu", "invariant"};
  return step;
}

/// A judging step over the whole run: ordered behind the others, blocked by the device alone, so
/// that a crashed probe still gets its certificate.
Step closing_step(StepKind kind, const std::string& name, std::vector<std::string> depends) {
  Step step;
  step.kind = kind;
  step.name = name;
  step.arguments = {name};
  step.timeout_s = kHostTimeout_s;
  step.fixtures_required = {kDeviceFixture};
  step.depends = std::move(depends);
  step.labels = {"certify", "gpu"};
  return step;
}

/// A cleanup: it runs also when the device failed and nothing else did.
Step junit_step() {
  Step step;
  step.kind = StepKind::junit;
  step.name = "junit";
  step.arguments = {"junit"};
  step.timeout_s = kHostTimeout_s;
  step.fixtures_cleanup = {kDeviceFixture};
  step.labels = {"certify", "gpu"};
  return step;
}

}  // namespace

Plan read_plan(const std::filesystem::path& share) {
  Plan plan;
  plan.probes = read_probes(share / "probes.json");
  const Catalog catalog = load_catalog(share / "catalog.json");
  for (const auto& invariant : catalog.invariants) {
    PlannedInvariant planned{invariant.id, {}};
    for (const auto& probe : plan.probes) {
      if (std::find(invariant.probes.begin(), invariant.probes.end(), probe.name) !=
          invariant.probes.end()) {
        planned.probes.push_back(probe.name);
      }
    }
    if (planned.probes.size() != invariant.probes.size()) {
      throw DataError((share / "catalog.json").string() + ": invariant " + invariant.id +
                      ": needs a probe that is not in probes.json");
    }
    plan.invariants.push_back(std::move(planned));
  }
  return plan;
}

double probe_deadline_s(const PlannedProbe& probe, Level level) {
  return level == Level::full ? kFullFactor * probe.timeout_s : probe.timeout_s;
}

double lock_wait_s() {
  const char* text = std::getenv("ASSAY_LOCK_WAIT_S");
  if (text == nullptr) {
    return kDefaultLockWait_s;
  }
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(seconds >= 0.0 && seconds <= kDefaultLockWait_s)) {
    throw DataError(std::string("ASSAY_LOCK_WAIT_S: ") + text +
                    " is not a number of seconds from 0 to 120");
  }
  return seconds;
}

double turn_wait_s() {
  return std::getenv("ASSAY_LOCK_WAIT_S") == nullptr ? kDefaultTurnWait_s : lock_wait_s();
}

std::vector<Step> steps(const Plan& plan) {
  std::vector<Step> result;
  for (const auto& probe : plan.probes) {
    result.push_back(probe.name == "device" ? device_step(probe) : probe_step(probe));
  }
  for (const auto& invariant : plan.invariants) {
    result.push_back(invariant_step(invariant));
  }
  std::vector<std::string> before;
  before.reserve(result.size());
  for (const auto& step : result) {
    before.push_back(step.name);
  }
  result.push_back(closing_step(StepKind::certificate, "certificate", before));
  result.back().fixtures_setup = {kCertificateFixture};
  result.push_back(closing_step(StepKind::audit, "audit", {"certificate"}));
  result.push_back(junit_step());
  return result;
}

}  // namespace assay
