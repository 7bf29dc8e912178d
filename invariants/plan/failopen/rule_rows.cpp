// SPDX-License-Identifier: Apache-2.0
// Rules, waivers, approved dossiers and certificates that are broken, old or edited.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "dossiers/json/json_reader.h"
#include "invariants/plan/failopen/planted.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

const std::string kRead = "dram_bw.read";

/// A waiver for dram.peak, the failure that `too_fast` plants.
std::string waiver(const std::string& invariant, const std::string& name, const std::string& max,
                   const std::string& expires) {
  return R"({"schema": "1.0.0", "kind": "waivers", "waivers": [{"id": "w1", "invariant": ")" +
         invariant + R"(", "device": {"name": ")" + name +
         R"("}, "driver": {"min": "1", "max": ")" + max +
         R"("}, "issue": "https://example.org/1", "author": "a", "expires": ")" + expires +
         R"("}]})";
}

/// One SM is missing: only device.sm_census fails, where drift is left out.
CameOf lacks_an_sm(PlantedTree& tree, const std::string& waivers) {
  tree.use_small_plan();
  fs::remove_all(tree.share() / "pinned");
  fs::create_directories(tree.share() / "pinned");
  std::ofstream(tree.share() / "waivers.json") << waivers;
  tree.tell("device", "scale=device.sm_count_alive,0.992424242424242424");
  return tree.certify({"--bootstrap"});
}

void append(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::app) << text;
}

void replace_in(const fs::path& file, const std::string& from, const std::string& to) {
  std::string text = read_file(file);
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << file << " has no " << from;
  std::ofstream(file) << text.replace(at, from.size(), to);
}

CameOf empty_pins(PlantedTree& tree) {
  tree.use_small_plan();
  fs::remove_all(tree.share() / "pinned");
  return tree.certify();
}

constexpr Planted kRuleRows[] = {
    {"R01", "an empty catalogue", "none", 2, "at least one invariant",
     [](PlantedTree& tree) {
       std::ofstream(tree.share() / "catalog.json")
           << R"({"schema": "1.0.0", "kind": "catalog", "version": "1",
                    "facts": {"device": ["device.*"]}, "units": {"B": ["device.*_bytes"]},
                    "invariants": []})";
       return tree.certify();
     }},
    {"R02", "the must-pass list is missing", "none", 2, "quick.json",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       fs::remove(tree.share() / "mustpass" / "quick.json");
       return tree.certify();
     }},
    {"R03", "a must-pass list that wants nothing", "none", 2, "needs at least one",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       std::ofstream(tree.share() / "mustpass" / "quick.json")
           << R"({"schema": "1.0.0", "kind": "mustpass", "id": "none", "version": "1",
                    "level": "quick", "entries": [], "invariants": []})";
       return tree.certify();
     }},
    {"R04", "an unknown invariant in the must-pass list", "none", 2, "latency.ordre",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       tree.edit_share("mustpass/quick.json", "latency.order", "latency.ordre");
       return tree.certify();
     }},
    {"R05", "the list of another level", "none", 2, "quick.json",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       fs::copy_file(tree.share() / "mustpass" / "full.json",
                     tree.share() / "mustpass" / "quick.json",
                     fs::copy_options::overwrite_existing);
       return tree.certify();
     }},
    {"R06", "an invariant twice in the catalogue", "none", 2, "is there twice",
     [](PlantedTree& tree) {
       tree.edit_share("catalog.json", "\"id\": \"clock.agreement\"",
                       "\"id\": \"device.sm_census\"");
       return tree.certify();
     }},
    {"R07", "the waiver has expired", "fail", 1, "expired on 2026-01-01",
     [](PlantedTree& tree) {
       return lacks_an_sm(tree,
                          waiver("device.sm_census", "NVIDIA Pretend H200", "999", "2026-01-01"));
     }},
    {"R08", "the waiver is of another device", "fail", 1, "device.sm_census",
     [](PlantedTree& tree) {
       return lacks_an_sm(tree, waiver("device.sm_census", "NVIDIA H100", "999", "2099-01-01"));
     }},
    {"R09", "the waiver is for older drivers", "fail", 1, "device.sm_census",
     [](PlantedTree& tree) {
       return lacks_an_sm(
           tree, waiver("device.sm_census", "NVIDIA Pretend H200", "579.99", "2099-01-01"));
     }},
    {"R10", "the waiver is for another invariant", "fail", 1, "device.sm_census",
     [](PlantedTree& tree) {
       return lacks_an_sm(tree,
                          waiver("latency.order", "NVIDIA Pretend H200", "999", "2099-01-01"));
     }},
    {"R11", "a waiver without an end", "none", 2, "expires",
     [](PlantedTree& tree) {
       return lacks_an_sm(tree, waiver("device.sm_census", "NVIDIA Pretend H200", "999", "never"));
     }},
    {"R12", "the waivers are missing", "none", 2, "waivers.json",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       fs::remove(tree.share() / "waivers.json");
       return tree.certify();
     }},
    {"R13", "no approved dossier", "no_evidence", 1, "no pinned dossier", empty_pins},
    {"R14", "the approved dossier is half written", "none", 2, "example.json:",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       const std::string text = tree.example_text();
       std::ofstream(tree.share() / "pinned" / "example.json") << text.substr(0, 900);
       return tree.certify();
     }},
    {"R15", "the approved dossier is of another product", "no_evidence", 1, "another product",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       Dossier other = tree.example();
       other.device.name = "NVIDIA H100";
       write_dossier(other, tree.work() / "other.json");
       return tree.certify({"--pinned", "other.json"});
     }},
    {"R16", "the approved dossier that was named is not there", "none", 2, "nowhere.json",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       return tree.certify({"--pinned", "nowhere.json"});
     }},
    {"R17", "certificate: its verdicts edited", "none", 1, "seal",
     [](PlantedTree& tree) {
       return tree.verify([](const fs::path& run) {
         replace_in(run / "certificate.json", "\"outcome\": \"pass\"", "\"outcome\": \"waived\"");
       });
     }},
    {"R18", "certificate: half written", "none", 2, "certificate.json",
     [](PlantedTree& tree) {
       return tree.verify([](const fs::path& run) {
         const std::string text = read_file(run / "certificate.json");
         std::ofstream(run / "certificate.json") << text.substr(0, text.size() / 2);
       });
     }},
    {"R19", "certificate: the dossier beside it edited", "none", 1, "not verified",
     [](PlantedTree& tree) {
       return tree.verify([](const fs::path& run) {
         replace_in(run / "dossier.json", "\"sm_count\": 132", "\"sm_count\": 131");
       });
     }},
    {"R20", "certificate: the dossier beside it is gone", "none", 2, "dossier.json",
     [](PlantedTree& tree) {
       return tree.verify([](const fs::path& run) { fs::remove(run / "dossier.json"); });
     }},
    {"R21", "samples without values: the file that holds them is gone", "none", 1,
     "samples/latency.json",
     [](PlantedTree& tree) {
       return tree.verify(
           [](const fs::path& run) { fs::remove(run / "samples" / "latency.json"); });
     }},
    {"R22", "samples edited after the seal", "none", 1, "samples/latency.json",
     [](PlantedTree& tree) {
       return tree.verify([](const fs::path& run) { append(run / "samples/latency.json", " "); });
     }},
    {"R23", "evidence edited after the seal", "none", 1, "evidence",
     [](PlantedTree& tree) {
       return tree.verify([](const fs::path& run) {
         replace_in(run / "evidence" / "launch.json", "\"seconds\": 0.5", "\"seconds\": 0.25");
       });
     }},
    {"R24", "the catalogue changed since the seal", "none", 1, "catalog",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       const CameOf sound = tree.certify();
       EXPECT_EQ(sound.code, 0) << sound.text;
       tree.edit_share("catalog.json", "Launches take microseconds", "Launches take seconds");
       return tree.run_verify();
     }},
    {"R25", "an unknown invariant asked for", "none", 2, "did you mean",
     [](PlantedTree& tree) {
       return tree.run({"explain", "latency.ordre"});
     }},
};

}  // namespace

std::vector<Planted> rule_rows() {
  return {std::begin(kRuleRows), std::end(kRuleRows)};
}

}  // namespace assay
