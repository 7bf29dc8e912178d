// SPDX-License-Identifier: Apache-2.0
// The plan's order, fixtures and skip codes: what makes a failed device stop everything and a
// skipped one impossible.
#include "invariants/plan/plan.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "dossiers/test_support.h"
#include "invariants/plan/graph.h"
#include "invariants/plan/probe_list.h"

namespace assay {
namespace {

Plan sample_plan() {
  Plan plan;
  plan.probes = {{"device", 30.0}, {"latency", 60.0}, {"fma", 60.0}};
  plan.invariants = {{"latency.order", {"latency"}}, {"fma.ratio", {"device", "fma"}}};
  return plan;
}

const Step& find(const std::vector<Step>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Step& step) { return step.name == name; });
  EXPECT_NE(found, all.end()) << name;
  return *found;
}

bool has(const std::vector<std::string>& items, const std::string& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

TEST(Plan, RunsTheDeviceFirstAndTheAuditLastOfWhatJudges) {
  const auto all = steps(sample_plan());
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& step : all) {
    names.push_back(step.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"device", "probe.latency", "probe.fma",
                                             "invariant.latency.order", "invariant.fma.ratio",
                                             "certificate", "audit", "junit"}));
}

TEST(Plan, NeverLetsDeviceCertificateOrAuditSkip) {
  for (const auto& step : steps(sample_plan())) {
    const bool measuring_or_judging_one =
        step.kind == StepKind::probe || step.kind == StepKind::invariant;
    EXPECT_EQ(step.may_skip, measuring_or_judging_one) << step.name;
  }
}

TEST(Plan, PutsEverythingBehindTheDevice) {
  for (const auto& step : steps(sample_plan())) {
    if (step.kind == StepKind::junit) {  // runs behind it, whatever came of it
      EXPECT_TRUE(has(step.fixtures_cleanup, "assay_device"));
      continue;
    }
    EXPECT_EQ(has(step.fixtures_required, "assay_device"), step.name != "device") << step.name;
    EXPECT_TRUE(has(step.labels, "gpu") && has(step.labels, "certify")) << step.name;
  }
}

TEST(Plan, GivesAnInvariantTheProbesItNeeds) {
  const auto all = steps(sample_plan());
  EXPECT_EQ(find(all, "invariant.fma.ratio").fixtures_required,
            (std::vector<std::string>{"assay_device", "assay_probe_fma"}));
  EXPECT_EQ(find(all, "probe.fma").fixtures_setup,
            (std::vector<std::string>{"assay_probe_fma", "assay_probes"}));
}

TEST(Plan, OrdersTheCertificateBehindAllWithoutNeedingThemToPass) {
  const auto all = steps(sample_plan());
  const Step& certificate = find(all, "certificate");
  EXPECT_EQ(certificate.fixtures_required, std::vector<std::string>{"assay_device"});
  EXPECT_TRUE(has(certificate.depends, "probe.latency"));
  EXPECT_TRUE(has(certificate.depends, "invariant.fma.ratio"));
  EXPECT_EQ(find(all, "audit").depends, std::vector<std::string>{"certificate"});
}

TEST(Plan, OthersCanWaitForTheCertificateAndWhatItIsMadeOf) {
  const auto all = steps(sample_plan());
  EXPECT_EQ(find(all, "certificate").fixtures_setup, std::vector<std::string>{"assay_certificate"});
  for (const auto& step : all) {
    EXPECT_EQ(has(step.fixtures_setup, "assay_probes"), step.kind == StepKind::probe) << step.name;
  }
}

TEST(Plan, GivesCTestMoreTimeThanTheSupervisorAtEachLevel) {
  const auto all = steps(sample_plan());
  const PlannedProbe latency{"latency", 60.0};
  EXPECT_GT(find(all, "probe.latency").timeout_s,
            probe_deadline_s(latency, Level::full) + lock_wait_s() + 12.0);
  EXPECT_GT(probe_deadline_s(latency, Level::full), probe_deadline_s(latency, Level::quick));
}

TEST(Plan, ReadsWhatAProbeSharesFromItsOwnLine) {
  const TempFolder folder;
  const auto file = folder.write("probes.json", R"([{"name": "device", "timeout_s": 60},
    {"name": "launch", "timeout_s": 60, "turn": "host_link"},
    {"name": "peers", "timeout_s": 60, "level": "full", "turn": "every_gpu"}])");
  const auto probes = read_probes(file);
  ASSERT_EQ(probes.size(), 3u);
  EXPECT_EQ(probes[0].turn, Turn::none);
  EXPECT_EQ(probes[1].turn, Turn::host_link);
  EXPECT_EQ(probes[2].turn, Turn::every_gpu);
  const auto bad =
      folder.write("bad.json", R"([{"name": "device", "timeout_s": 60, "turn": "mine"}])");
  EXPECT_TRUE(holds(refusal<DataError>([&] { return read_probes(bad); }),
                    "turn: allowed: host_link, every_gpu"));
}

TEST(Plan, GivesAProbeThatWaitsForItsTurnTheTimeToWait) {
  Plan plan = sample_plan();
  const double alone_s = find(steps(plan), "probe.fma").timeout_s;
  plan.probes.back().turn = Turn::host_link;
  const Step step = find(steps(plan), "probe.fma");
  EXPECT_EQ(step.turn, Turn::host_link);
  EXPECT_GE(step.timeout_s, alone_s + turn_wait_s());
}

TEST(Plan, RefusesALockWaitThatIsNoTime) {
  for (const char* bad : {"", "soon", "-1", "nan", "1e9", "3s"}) {
    ::setenv("ASSAY_LOCK_WAIT_S", bad, 1);
    EXPECT_THROW(lock_wait_s(), DataError) << bad;
  }
  ::setenv("ASSAY_LOCK_WAIT_S", "1.5", 1);
  EXPECT_DOUBLE_EQ(lock_wait_s(), 1.5);
  EXPECT_DOUBLE_EQ(turn_wait_s(), 1.5);
  ::unsetenv("ASSAY_LOCK_WAIT_S");
}

TEST(Graph, HoldsNoAbsolutePath) {
  const std::string text = graph_text(steps(sample_plan()));
  EXPECT_EQ(text.find("\"/"), std::string::npos);
  EXPECT_NE(text.find("${CMAKE_CURRENT_LIST_DIR}/../../libexec/assay/assay-step"),
            std::string::npos);
}

TEST(Graph, WritesEachTestOnce) {
  const std::string text = graph_text(steps(sample_plan()));
  for (const char* name : {"device", "probe.fma", "invariant.latency.order", "audit"}) {
    const std::string command = std::string("add_test([==[") + name + "]==]";
    const auto at = text.find(command);
    ASSERT_NE(at, std::string::npos) << name;
    EXPECT_EQ(text.find(command, at + 1), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace assay
