// SPDX-License-Identifier: Apache-2.0
// Files that are not what they seem.
#include <filesystem>
#include <iterator>

#include "invariants/plan/failopen/planted.h"

namespace assay {

namespace {

constexpr Planted kFileRows[] = {
    {"J01", "a key twice", "none", 2, "planted.json:",
     [](PlantedTree& tree) {
       return tree.judge_text("\"level\": \"quick\"", "\"level\": \"quick\", \"level\": \"full\"");
     }},
    {"J02", "a trailing comma", "none", 2, "planted.json:",
     [](PlantedTree& tree) {
       return tree.judge_text("\"redacted\": false", "\"redacted\": false,,");
     }},
    {"J03", "an unknown key", "none", 2, "surprise",
     [](PlantedTree& tree) {
       return tree.judge_text("\"level\": \"quick\"", "\"level\": \"quick\", \"surprise\": 1");
     }},
    {"J04", "a newer minor schema", "none", 2, "schema",
     [](PlantedTree& tree) {
       return tree.judge_text("\"schema\": \"1.0.0\"", "\"schema\": \"1.1.0\"");
     }},
    {"J05", "a newer major schema", "none", 2, "schema",
     [](PlantedTree& tree) {
       return tree.judge_text("\"schema\": \"1.0.0\"", "\"schema\": \"2.0.0\"");
     }},
    {"J06", "a half-written file", "none", 2, "planted.json:",
     [](PlantedTree& tree) {
       const std::string text = tree.example_text();
       return tree.judge_file(text.substr(0, text.size() / 2));
     }},
    {"J07", "an empty file", "none", 2,
     "planted.json:", [](PlantedTree& tree) { return tree.judge_file(""); }},
    {"J08", "nothing but null", "none", 2,
     "planted.json:", [](PlantedTree& tree) { return tree.judge_file("null\n"); }},
    {"J09", "two documents in one file", "none", 2, "planted.json:",
     [](PlantedTree& tree) { return tree.judge_file(tree.example_text() + "{}\n"); }},
    {"J10", "a decimal comma, as a locale writes it", "none", 2, "planted.json:",
     [](PlantedTree& tree) { return tree.judge_raw("/entries/dram_bw/value/read", "3900,5"); }},
    {"J11", "a document of another kind", "none", 2, "kind",
     [](PlantedTree& tree) {
       return tree.judge_text("\"kind\": \"dossier\"", "\"kind\": \"evidence\"");
     }},
    {"J12", "a level that does not exist", "none", 2, "level",
     [](PlantedTree& tree) {
       return tree.judge_text("\"level\": \"quick\"", "\"level\": \"fast\"");
     }},
    {"J13", "nested a hundred thousand deep", "none", 2,
     "planted.json:", [](PlantedTree& tree) { return tree.judge_file(std::string(100000, '[')); }},
    {"J14", "a folder where a file should be", "none", 2, "folder",
     [](PlantedTree& tree) {
       std::filesystem::create_directories(tree.work() / "folder");
       return tree.run({"certify", "--replay", "folder"});
     }},
    {"J15", "no such file", "none", 2, "absent.json",
     [](PlantedTree& tree) {
       return tree.run({"certify", "--replay", "absent.json"});
     }},
    {"J16", "a value and a reason for its absence", "none", 2, "reason",
     [](PlantedTree& tree) {
       return tree.judge_raw("/entries/fma_f32/reason", "\"contended: planted\"");
     }},
};

}  // namespace

std::vector<Planted> file_rows() {
  return {std::begin(kFileRows), std::end(kFileRows)};
}

}  // namespace assay
