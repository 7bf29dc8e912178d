// SPDX-License-Identifier: Apache-2.0
// What a host's verdict is made of, how it is kept, and which tests of one ctest may run at once.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dossiers/json/json_reader.h"
#include "dossiers/schema/testing/follows_schema.h"
#include "dossiers/test_support.h"
#include "invariants/plan/graph.h"
#include "invariants/plan/host/host_record.h"
#include "invariants/plan/plan.h"

namespace assay {
namespace {

using Json = nlohmann::json;

HostDevice gpu(std::int64_t index, Outcome verdict, const std::string& reason = "") {
  HostDevice device;
  device.index = index;
  device.uuid = "GPU-e0a3b1e0-0000-4000-8000-00000000000" + std::to_string(index + 1);
  device.name = "NVIDIA H200";
  device.pci_bus_id = index == 0 ? "0000:41:00.0" : "0000:c1:00.0";
  device.driver = "580.159.04";
  device.numa_node = index;
  device.verdict = verdict;
  device.reason = reason;
  device.run_id = "example-20261129-02140" + std::to_string(index);
  device.folder = device.uuid + "/" + device.run_id;
  device.certificate_sha256 = std::string(64, index == 0 ? 'a' : 'b');
  return device;
}

HostRecord host(std::vector<HostDevice> devices, std::optional<std::int64_t> expected = {}) {
  HostRecord record;
  record.run_id = "example-20261129-021400";
  record.suite = {"0.1.0", "0123456789abcdef0123456789abcdef01234567", false};
  record.created_utc = "2026-11-29T02:14:00Z";
  record.expected = expected;
  record.devices = std::move(devices);
  judge_host(record);
  return record;
}

HostRecord example_host() {
  HostRecord record = host(
      {gpu(0, Outcome::pass),
       gpu(1, Outcome::fail, "latency.order: latency.dram 250 cycles is not >= 1.4 x latency.l2")},
      2);
  record.paths = {{0, 1, "between NUMA nodes"}};
  record.peers = {{"peer_read", 0, 1, 395.2, Unit::gb_per_s, ""},
                  {"peer_read", 1, 0, std::nullopt, Unit::gb_per_s, "contended: pid 4711"}};
  return record;
}

TEST(Host, IsAsBadAsItsWorstGpu) {
  const std::vector<Outcome> worst_first{Outcome::fail,         Outcome::no_evidence,
                                         Outcome::inconclusive, Outcome::not_applicable,
                                         Outcome::waived,       Outcome::pass};
  for (std::size_t a = 0; a < worst_first.size(); ++a) {
    for (std::size_t b = a; b < worst_first.size(); ++b) {
      EXPECT_EQ(host({gpu(0, worst_first[b]), gpu(1, worst_first[a])}).verdict, worst_first[a]);
    }
  }
}

TEST(Host, NamesTheGpuThatStandsAgainstIt) {
  const HostRecord record = example_host();
  EXPECT_EQ(record.verdict, Outcome::fail);
  EXPECT_TRUE(
      holds(record.reason, "1 of 2 GPUs fail: " + record.devices[1].uuid + ": latency.order"));
  EXPECT_EQ(host({gpu(0, Outcome::pass), gpu(1, Outcome::pass)}).reason, "");
}

TEST(Host, FewerGpusThanAskedForAreNeverAPass) {
  const HostRecord one = host({gpu(0, Outcome::pass)}, 2);
  EXPECT_EQ(one.verdict, Outcome::no_evidence);
  EXPECT_EQ(one.reason, "1 of 2 GPUs were found");
  EXPECT_EQ(host({}, 8).verdict, Outcome::no_evidence);
  EXPECT_EQ(host({}).verdict, Outcome::no_evidence);
  EXPECT_EQ(host({gpu(0, Outcome::fail)}, 2).verdict, Outcome::fail);
  EXPECT_EQ(host({gpu(0, Outcome::inconclusive)}, 2).verdict, Outcome::no_evidence);
  EXPECT_EQ(host({gpu(0, Outcome::pass), gpu(1, Outcome::pass)}, 1).verdict, Outcome::pass);
}

TEST(Host, TakesEachRowOfThePeerMatrixFromTheGpuThatMeasuredIt) {
  Dossier dossier;
  Fact rate;
  rate.value = 395.2;
  rate.units = Unit::gb_per_s;
  Fact none;
  none.units = Unit::gb_per_s;
  none.reason = NullReason{NullKind::not_supported, "no access"};
  dossier.entries["peer_read"].facts = {{"1>0", rate}, {"0>1", rate}, {"1>2", none}, {"x", rate}};
  dossier.entries["dram_bw"].facts = {{"1>0", rate}};
  std::vector<PeerCell> peers;
  add_peers(dossier, 1, peers);
  ASSERT_EQ(peers.size(), 2u);
  EXPECT_EQ(peers[0].to, 0);
  EXPECT_EQ(peers[0].value, 395.2);
  EXPECT_EQ(peers[1].to, 2);
  EXPECT_EQ(peers[1].reason, "not supported: no access");
}

TEST(Host, SummaryBeginsWithTheVerdictAndShowsTheMatrix) {
  const std::string text = host_summary(example_host());
  EXPECT_EQ(text.rfind("host     fail: 1 of 2 GPUs fail", 0), 0u) << text;
  for (const char* part :
       {"GPUs     2 of 2 asked for", "0-1 between NUMA nodes", "peer_read, GB/s", "395.2"}) {
    EXPECT_TRUE(holds(text, part));
  }
}

TEST(HostFile, ExampleSchemaAndCodeSayTheSame) {
  const auto file = examples_dir() / "host.json";
  const std::string text = host_text(example_host());
  EXPECT_EQ(read_file(file), text);
  EXPECT_TRUE(is_valid("host", Json::parse(text)));
  EXPECT_EQ(host_text(read_host(file)), text);
}

std::string refused(const Json& document) {
  const TempFolder folder;
  const auto file = folder.write("host.json", document.dump(2));
  return refusal<DataError>([&] { return read_host(file); });
}

TEST(HostFile, WhatIsNoHostIsRefusedByNameAndLine) {
  const Json sound = Json::parse(host_text(example_host()));
  const auto edited = [&](const std::string& pointer, const Json& value) {
    Json document = sound;
    document[Json::json_pointer(pointer)] = value;
    return refused(document);
  };
  EXPECT_EQ(refused(sound), "");
  EXPECT_TRUE(holds(edited("/verdict", "pass"), "verdict: the devices give fail"));
  EXPECT_TRUE(holds(edited("/verdict", "good"), "want pass, fail"));
  EXPECT_TRUE(holds(edited("/expected", 0), "expected"));
  EXPECT_TRUE(
      holds(edited("/devices/0/certificate_sha256", nullptr), "a pass without a certificate"));
  EXPECT_TRUE(holds(edited("/devices/1/uuid", sound["devices"][0]["uuid"]), "one GPU twice"));
  EXPECT_TRUE(holds(edited("/devices/1/index", 0), "one GPU twice"));
  EXPECT_TRUE(holds(edited("/peers/0/value", nullptr), "want a value, or null and a reason"));
  EXPECT_TRUE(holds(edited("/peers/0/units", "GB"), "no known unit"));
  EXPECT_TRUE(holds(edited("/extra", 1), "extra"));
  EXPECT_TRUE(holds(edited("/schema", "9.0.0"), "9.0.0"));
}

TEST(HostFile, SchemaRefusesWhatTheReaderRefuses) {
  Json document = Json::parse(host_text(example_host()));
  document["devices"][0]["extra"] = 1;
  EXPECT_FALSE(is_valid("host", document));
  EXPECT_NE(refused(document), "");
}

Plan plan_with_turns() {
  Plan plan;
  plan.probes = {{"device", 30.0},
                 {"fma", 60.0},
                 {"launch", 60.0, Level::quick, Turn::host_link},
                 {"peers", 60.0, Level::quick, Turn::every_gpu}};
  plan.invariants = {{"fma.ratio", {"fma"}}};
  return plan;
}

const Step& step(const std::vector<Step>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Step& one) { return one.name == name; });
  EXPECT_NE(found, all.end()) << name;
  return *found;
}

bool share_a_lock(const Step& a, const Step& b) {
  return std::any_of(a.resource_locks.begin(), a.resource_locks.end(), [&](const auto& lock) {
    return std::count(b.resource_locks.begin(), b.resource_locks.end(), lock) > 0;
  });
}

TEST(HostSteps, OnlyWhatSharesSomethingExcludesEachOther) {
  const auto all = steps_of_host(plan_with_turns(), {"GPU-1", "GPU-2"}, 0);
  for (const Step& one : all) {
    EXPECT_FALSE(one.serial) << one.name;
  }
  const auto exclude = [&](const char* a, const char* b) {
    return share_a_lock(step(all, a), step(all, b));
  };
  EXPECT_FALSE(exclude("GPU-1.probe.fma", "GPU-2.probe.fma"));
  EXPECT_FALSE(exclude("GPU-1.probe.fma", "GPU-2.probe.launch"));
  EXPECT_TRUE(exclude("GPU-1.probe.fma", "GPU-1.probe.launch"));
  EXPECT_TRUE(exclude("GPU-1.probe.launch", "GPU-2.probe.launch"));
  EXPECT_TRUE(exclude("GPU-1.probe.peers", "GPU-2.probe.fma"));
  EXPECT_TRUE(exclude("GPU-1.probe.peers", "GPU-2.probe.launch"));
  EXPECT_TRUE(exclude("GPU-1.probe.fma", "GPU-1.invariant.fma.ratio"));
}

TEST(HostSteps, EachGpuHasItsOwnFixturesLabelAndDevice) {
  const auto all = steps_of_host(plan_with_turns(), {"GPU-1", "GPU-2"}, 3);
  EXPECT_EQ(step(all, "GPU-1.probe.fma").fixtures_required,
            std::vector<std::string>{"assay_device.GPU-1"});
  EXPECT_EQ(step(all, "GPU-2.invariant.fma.ratio").environment,
            std::vector<std::string>{"ASSAY_DEVICE=GPU-2"});
  EXPECT_EQ(step(all, "GPU-2.audit").depends, std::vector<std::string>{"GPU-2.certificate"});
  EXPECT_EQ(step(all, "GPU-2.device").labels.back(), "GPU-2");
  const Step& last = all.back();
  EXPECT_EQ(last.arguments, (std::vector<std::string>{"host", "3", "GPU-1", "GPU-2"}));
  EXPECT_EQ(last.depends.size() + 1, all.size());
  EXPECT_TRUE(last.fixtures_required.empty());
  EXPECT_FALSE(last.may_skip);
  const std::string text = graph_text(all, "/odd [path]/assay-step");
  EXPECT_TRUE(holds(text, "add_test([==[host]==] [==[/odd [path]/assay-step]==] [==[host]==]"));
  EXPECT_TRUE(holds(text, "RESOURCE_LOCK [==[assay_host_link;assay_gpu_GPU-1]==]"));
  EXPECT_TRUE(holds(text, "ENVIRONMENT [==[ASSAY_DEVICE=GPU-2]==]"));
}

}  // namespace
}  // namespace assay
