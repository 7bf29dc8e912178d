// SPDX-License-Identifier: Apache-2.0
// The tree in which conditions are planted.
#include "invariants/plan/failopen/planted.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "invariants/plan/graph.h"
#include "invariants/plan/plan.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array kProbes = {"device", "latency", "launch"};
constexpr std::array kInvariants = {"device.sm_census", "latency.order", "launch.range",
                                    "drift.pinned"};
// What the three probes measure.
constexpr std::array kEntries = {"device", "latency", "op_latency", "launch_overhead"};

template <typename List>
bool lists(const List& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

Json read(const fs::path& file) {
  return Json::parse(PlantedTree::text_of(file));
}

void write(const Json& json, const fs::path& file) {
  std::ofstream(file) << json.dump(2) << '\n';
}

/// Keeps the items of `array` for which `wanted` is true.
template <typename Wanted>
void keep(Json& array, Wanted wanted) {
  Json kept = Json::array();
  for (const auto& item : array) {
    if (wanted(item)) kept.push_back(item);
  }
  array = kept;
}

void shrink_catalog(const fs::path& file) {
  Json catalog = read(file);
  keep(catalog["invariants"], [](const Json& item) { return lists(kInvariants, item["id"]); });
  for (auto& invariant : catalog["invariants"]) {
    keep(invariant["probes"], [](const Json& probe) { return lists(kProbes, probe); });
    // Drift's own edits are of facts that the small plan does not measure.
    if (invariant["check"]["kind"] == "drift") {
      keep(invariant["breaks"],
           [](const Json& item) { return item.dump().find("dram_bw") == std::string::npos; });
      invariant["breaks"].push_back(
          {{"name", "gone"}, {"edit", {{"drop", "latency.l2"}}}, {"expect", "no_evidence"}});
    }
  }
  write(catalog, file);
}

void shrink_list(const fs::path& file) {
  Json list = read(file);
  keep(list["invariants"], [](const Json& item) { return lists(kInvariants, item["id"]); });
  keep(list["entries"], [](const Json& path) {
    const std::string text = path;
    return lists(kEntries, text.substr(0, text.find('.')));
  });
  write(list, file);
}

void shrink_probes(const fs::path& file) {
  Json probes = read(file);
  keep(probes, [](const Json& probe) { return lists(kProbes, probe["name"]); });
  for (auto& probe : probes) probe["cuda_major"] = 13;  // the fake driver's
  write(probes, file);
}

void shrink_pin(const fs::path& file) {
  Dossier pin = read_dossier(file);
  std::erase_if(pin.entries, [](const auto& entry) { return !lists(kEntries, entry.first); });
  std::erase_if(pin.probes, [](const auto& probe) { return !lists(kProbes, probe.first); });
  std::erase_if(pin.sample_digests, [](const auto& one) { return !lists(kEntries, one.first); });
  write_dossier(pin, file);
}

/// The verdict that a certificate's text states; "none" for anything else.
std::string verdict_of(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("statement")) return "none";
  return json["statement"].value("verdict", "none");
}

}  // namespace

void PlantedTree::use_small_plan() {
  shrink_catalog(share() / "catalog.json");
  for (const char* level : {"quick.json", "full.json"}) shrink_list(share() / "mustpass" / level);
  shrink_probes(share() / "probes.json");
  shrink_pin(share() / "pinned" / "example.json");
  std::ofstream(share() / "graph.cmake") << graph_text(steps(read_plan(share())));
}

CameOf PlantedTree::came_of(const Said& said, const std::string& out) const {
  CameOf came{"none", said.code, said.out + said.err};
  for (const auto& run : runs(work_ / out)) {
    if (fs::exists(run / "certificate.json")) {
      came.verdict = verdict_of(text_of(run / "certificate.json"));
    }
  }
  return came;
}

CameOf PlantedTree::run(const std::vector<std::string>& arguments) {
  return came_of(assay(arguments), "out");
}

CameOf PlantedTree::certify(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"certify", "--out", "out"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}

CameOf PlantedTree::run_ctest(const std::vector<std::string>& more) {
  const Said prepared = assay({"certify", "--prepare", "--out", "mine"});
  EXPECT_EQ(prepared.code, 0) << prepared.err;
  std::vector<std::string> arguments = {"--no-tests=error", "--test-dir", "mine"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return came_of(ctest(arguments), "mine/out");
}

CameOf PlantedTree::judge_file(const std::string& text) {
  std::ofstream(work_ / "planted.json", std::ios::binary) << text;
  const Said said = assay({"certify", "--replay", "planted.json", "--json"});
  return {verdict_of(said.out), said.code, said.out + said.err};
}

CameOf PlantedTree::judge(const std::function<void(Dossier&)>& edit) {
  Dossier dossier = example();
  edit(dossier);
  return judge_file(dossier_text(dossier));
}

CameOf PlantedTree::judge_raw(const std::string& pointer, const std::string& raw) {
  const std::string mark = "planted here";
  Json json = Json::parse(example_text());
  json[Json::json_pointer(pointer)] = mark;
  std::string text = json.dump(2);
  return judge_file(text.replace(text.find('"' + mark + '"'), mark.size() + 2, raw));
}

CameOf PlantedTree::judge_text(const std::string& from, const std::string& to) {
  std::string text = example_text();
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the example has no " << from;
  return judge_file(text.replace(at, from.size(), to));
}

CameOf PlantedTree::verify(const std::function<void(const fs::path& run)>& edit) {
  use_small_plan();
  const CameOf sound = certify();
  EXPECT_EQ(sound.code, 0) << sound.text;
  edit(only_run());
  return run_verify();
}

CameOf PlantedTree::run_verify() {
  const Said said = assay({"judge", "--verify", (only_run() / "certificate.json").string()});
  return {"none", said.code, said.out + said.err};
}

void PlantedTree::edit_share(const std::string& name, const std::string& from,
                             const std::string& to) {
  std::string text = text_of(share() / name);
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << name << " has no " << from;
  std::ofstream(share() / name) << text.replace(at, from.size(), to);
}

Dossier PlantedTree::example() const {
  return read_dossier(share() / "pinned" / "example.json");
}

std::string PlantedTree::example_text() const {
  return text_of(share() / "pinned" / "example.json");
}

fs::path PlantedTree::only_run(const std::string& out) const {
  const auto all = runs(work_ / out);
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? fs::path() : all.front();
}

}  // namespace assay
