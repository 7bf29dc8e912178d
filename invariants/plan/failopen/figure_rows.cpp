// SPDX-License-Identifier: Apache-2.0
// Figures that cannot be true, in a dossier that is sound otherwise.
#include <iterator>
#include <limits>

#include "invariants/plan/failopen/planted.h"

namespace assay {
namespace {

Fact& at(Dossier& dossier, const std::string& path) {
  const auto dot = path.find('.');
  const std::string key = dot == std::string::npos ? "" : path.substr(dot + 1);
  return dossier.entries.at(path.substr(0, dot)).facts.at(key);
}

/// Judges the example with `value` at `path`.
CameOf with_fact(PlantedTree& tree, const std::string& path, const Value& value) {
  return tree.judge([&](Dossier& dossier) { at(dossier, path).value = value; });
}

CameOf scaled(PlantedTree& tree, const std::string& path, double factor) {
  return tree.judge([&](Dossier& dossier) {
    Fact& fact = at(dossier, path);
    fact.value = *as_number(fact.value) * factor;
  });
}

constexpr std::int64_t kMinusOneAsU32 = 4294967295;
constexpr std::int64_t kBlank64 = 0x7ffffffffffffff0;

constexpr Planted kFigureRows[] = {
    {"F01", "zero throughput", "fail", 1, "dram_bw.read",
     [](PlantedTree& tree) { return with_fact(tree, "dram_bw.read", 0.0); }},
    {"F02", "a negative rate", "none", 2, "dram_bw.value.read",
     [](PlantedTree& tree) { return tree.judge_raw("/entries/dram_bw/value/read", "-3900.5"); }},
    {"F03", "NaN for a number", "none", 2, "planted.json:",
     [](PlantedTree& tree) { return tree.judge_raw("/entries/dram_bw/value/read", "NaN"); }},
    {"F04", "infinity, as 1e999", "none", 2, "planted.json:",
     [](PlantedTree& tree) { return tree.judge_raw("/entries/dram_bw/value/read", "1e999"); }},
    {"F05", "sentinel: -1 read as an unsigned number, 4294967295", "fail", 1,
     "device.regs_per_sm is 4294967295",
     [](PlantedTree& tree) { return with_fact(tree, "device.regs_per_sm", kMinusOneAsU32); }},
    {"F06", "sentinel: a 64-bit blank, 0x7ffffffffffffff0", "fail", 1,
     "memory_health.remapped_rows is",
     [](PlantedTree& tree) { return with_fact(tree, "memory_health.remapped_rows", kBlank64); }},
    {"F07", "sentinel: a 32-bit \"not supported\", 0x7ffffff2", "fail", 1,
     "device.max_threads_per_sm",
     [](PlantedTree& tree) {
       return with_fact(tree, "device.max_threads_per_sm", std::int64_t{0x7ffffff2});
     }},
    {"F08", "sentinel: a floating-point blank, 2^47", "fail", 1, "device.power_limit_w is",
     [](PlantedTree& tree) { return with_fact(tree, "device.power_limit_w", 140737488355328.0); }},
    {"F09", "sentinel: -1 for a clock", "none", 2, "device.value.memory_clock_khz",
     [](PlantedTree& tree) {
       return tree.judge_raw("/entries/device/value/memory_clock_khz", "-1");
     }},
    {"F10", "a unit slip of 1000: a rate", "fail", 1, "dram_bw.read",
     [](PlantedTree& tree) { return scaled(tree, "dram_bw.read", 1000.0); }},
    {"F11", "a unit slip of 1000: kHz for MHz, in a fact that no invariant reads", "fail", 1,
     "device.sm_clock_max_mhz is",
     [](PlantedTree& tree) { return scaled(tree, "device.sm_clock_max_mhz", 1000.0); }},
    {"F12", "a unit slip of 1/1000: kW for W", "fail", 1, "device.power_limit_w",
     [](PlantedTree& tree) { return scaled(tree, "device.power_limit_w", 0.001); }},
    {"F13", "a unit of another kind: cycles for GB/s", "fail", 1,
     "dram_bw.read is in cycles, want GB/s",
     [](PlantedTree& tree) {
       return tree.judge(
           [](Dossier& dossier) { at(dossier, "dram_bw.read").units = Unit::cycles; });
     }},
    {"F14", "a unit of the same kind: us for ns", "fail", 1, "latency.l2_ns is in us, want ns",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) { at(dossier, "latency.l2_ns").units = Unit::us; });
     }},
    {"F15", "DRAM faster than its pins", "fail", 1, "dram.peak",
     [](PlantedTree& tree) { return with_fact(tree, "dram_bw.read", 4900.0); }},
    {"F16", "a tensor core faster than it can be", "fail", 1, "mma.wgmma_f16_f32",
     [](PlantedTree& tree) { return scaled(tree, "mma.wgmma_f16_f32", 2.0); }},
    {"F17", "a DRAM figure that the L2 answered (A04)", "fail", 1, "dram.working_set",
     [](PlantedTree& tree) {
       return with_fact(tree, "dram_bw.working_set_bytes", std::int64_t{25165824});
     }},
    {"F18", "a copied row: two levels of memory alike", "fail", 1, "latency.order",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) {
         at(dossier, "latency.dram").value = at(dossier, "latency.l2").value;
       });
     }},
    {"F19", "two rows swapped", "fail", 1, "latency.order",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) {
         std::swap(at(dossier, "latency.l1"), at(dossier, "latency.l2"));
       });
     }},
    {"F20", "one SM of the device does not run", "fail", 1, "device.sm_census",
     [](PlantedTree& tree) { return with_fact(tree, "device.sm_count_alive", std::int64_t{131}); }},
    {"F21", "one wrong element of a tensor core's product", "fail", 1, "mma_tile.mma_sync_f16_f32",
     [](PlantedTree& tree) {
       return with_fact(tree, "mma_tile.mma_sync_f16_f32", std::int64_t{1});
     }},
    {"F22", "no SM computed the tiles that are all exact", "fail", 1, "mma_sync_f16_f32_sms",
     [](PlantedTree& tree) {
       return with_fact(tree, "mma_tile.mma_sync_f16_f32_sms", std::int64_t{0});
     }},
    {"F23", "one wrong word of memory", "fail", 1, "health.memory",
     [](PlantedTree& tree) { return with_fact(tree, "memory_health.errors", std::int64_t{1}); }},
    {"F24", "no memory tested, and no error found", "fail", 1, "health.tested",
     [](PlantedTree& tree) {
       return with_fact(tree, "memory_health.tested_bytes", std::int64_t{0});
     }},
    {"F25", "an error that ECC could not correct", "fail", 1, "health.ecc",
     [](PlantedTree& tree) {
       return with_fact(tree, "memory_health.ecc_uncorrected_delta", std::int64_t{1});
     }},
    {"F26", "132.9 SMs", "none", 2, "device.value.sm_count",
     [](PlantedTree& tree) { return tree.judge_raw("/entries/device/value/sm_count", "132.9"); }},
    {"F27", "a text for a number", "none", 2, "device.value.sm_count",
     [](PlantedTree& tree) { return with_fact(tree, "device.sm_count", std::string("132")); }},
    {"F28", "true for a number", "none", 2, "device.value.sm_count",
     [](PlantedTree& tree) { return with_fact(tree, "device.sm_count", true); }},
    {"F29", "a fifth of the bandwidth lost since the device was approved", "fail", 1,
     "drift.pinned",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) {
         for (auto& [key, fact] : dossier.entries.at("dram_bw").facts) {
           if (fact.units == Unit::gb_per_s) fact.value = 0.8 * *as_number(fact.value);
         }
       });
     }},
};

}  // namespace

std::vector<Planted> figure_rows() {
  return {std::begin(kFigureRows), std::end(kFigureRows)};
}

}  // namespace assay
