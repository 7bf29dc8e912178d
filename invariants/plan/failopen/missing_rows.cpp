// SPDX-License-Identifier: Apache-2.0
// Figures that are not there, and windows in which nothing could be measured.
#include <iterator>

#include "invariants/plan/failopen/planted.h"

namespace assay {
namespace {

/// Judges the example with dram_bw.read null for that reason.
CameOf null_read(PlantedTree& tree, NullKind kind) {
  return tree.judge([kind](Dossier& dossier) {
    auto& facts = dossier.entries.at("dram_bw").facts;
    const Fact old = facts.at("read");
    facts.at("read") = absent(old.units, old.method, {kind, "planted"});
  });
}

CameOf with_conditions(PlantedTree& tree, void (*edit)(Conditions&)) {
  return tree.judge(
      [edit](Dossier& dossier) { edit(dossier.probes.at("dram_bandwidth").conditions.value()); });
}

Fact& read_of(Dossier& dossier) {
  return dossier.entries.at("dram_bw").facts.at("read");
}

void null_all(Dossier& dossier, NullKind kind) {
  for (auto& [entry, measurement] : dossier.entries) {
    for (auto& [key, fact] : measurement.facts) {
      fact = absent(fact.units, fact.method, {kind, "planted"});
    }
  }
  dossier.sample_digests.clear();
}

constexpr Planted kMissingRows[] = {
    {"N01", "a fact is missing", "no_evidence", 1, "dram_bw.read is missing",
     [](PlantedTree& tree) {
       return tree.judge(
           [](Dossier& dossier) { dossier.entries.at("dram_bw").facts.erase("read"); });
     }},
    {"N02", "a family of facts is missing", "no_evidence", 1, "latency.l2 is missing",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) {
         dossier.entries.erase("latency");
         dossier.sample_digests.erase("latency");
       });
     }},
    {"N03", "no facts at all", "no_evidence", 1, "is missing",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) {
         dossier.entries.clear();
         dossier.sample_digests.clear();
       });
     }},
    {"N04", "no record of a probe, nor its facts", "no_evidence", 1,
     "no record of the probe launch",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) {
         dossier.probes.erase("launch");
         dossier.entries.erase("launch_overhead");
         dossier.sample_digests.erase("launch_overhead");
       });
     }},
    {"N05", "a probe failed; its facts are still there", "no_evidence", 1, "probe latency failed",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) {
         ProbeRecord& record = dossier.probes.at("latency");
         record.status = ProbeStatus::failed;
         record.reason = "planted";
         record.exit_code = 1;
       });
     }},
    {"N06", "null: contended", "inconclusive", 75, "dram_bw.read: contended",
     [](PlantedTree& tree) { return null_read(tree, NullKind::contended); }},
    {"N07", "null: throttled", "inconclusive", 75, "dram_bw.read: throttled",
     [](PlantedTree& tree) { return null_read(tree, NullKind::throttled); }},
    {"N08", "null: unsteady", "inconclusive", 75, "dram_bw.read: unsteady",
     [](PlantedTree& tree) { return null_read(tree, NullKind::unsteady); }},
    {"N09", "null: clock lost", "inconclusive", 75, "dram_bw.read: clock lost",
     [](PlantedTree& tree) { return null_read(tree, NullKind::clock_lost); }},
    {"N10", "null: not supported, and it was measured when approved", "no_evidence", 1,
     "dram_bw.read: not supported",
     [](PlantedTree& tree) { return null_read(tree, NullKind::not_supported); }},
    {"N11", "null: no code, and it was measured when approved", "no_evidence", 1,
     "dram_bw.read: no code", [](PlantedTree& tree) { return null_read(tree, NullKind::no_code); }},
    {"N12", "null: blank", "inconclusive", 75, "dram_bw.read: blank",
     [](PlantedTree& tree) { return null_read(tree, NullKind::blank); }},
    {"N13", "null: not available", "inconclusive", 75, "dram_bw.read: not available",
     [](PlantedTree& tree) { return null_read(tree, NullKind::not_available); }},
    {"N14", "null: out of range", "inconclusive", 75, "dram_bw.read: out of range",
     [](PlantedTree& tree) { return null_read(tree, NullKind::out_of_range); }},
    {"N15", "null: no permission", "inconclusive", 75, "dram_bw.read: no permission",
     [](PlantedTree& tree) { return null_read(tree, NullKind::no_permission); }},
    {"N16", "null without a reason", "inconclusive", 75, "dram_bw.read: unstated",
     [](PlantedTree& tree) { return null_read(tree, NullKind::unstated); }},
    {"N17", "everything skipped: every fact \"not supported\"", "not_applicable", 77,
     "not supported",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) { null_all(dossier, NullKind::not_supported); });
     }},
    {"N18", "busy GPU: foreign work in a window, its figures still there", "inconclusive", 75,
     "probe dram_bandwidth ran beside foreign work",
     [](PlantedTree& tree) {
       return with_conditions(tree, [](Conditions& now) { now.contended = true; });
     }},
    {"N19", "throttled by heat, its figures still there", "inconclusive", 75,
     "probe dram_bandwidth ran throttled: HW thermal",
     [](PlantedTree& tree) {
       return with_conditions(tree, [](Conditions& now) {
         now.throttle_mask = 0x44;
         now.throttle_reasons = {"power cap", "HW thermal"};
       });
     }},
    {"N20", "held down by another board (sync boost)", "inconclusive", 75, "sync boost",
     [](PlantedTree& tree) {
       return with_conditions(tree, [](Conditions& now) {
         now.throttle_mask = 0x10;
         now.throttle_reasons = {"sync boost"};
       });
     }},
    {"N21", "samples that spread too far", "inconclusive", 75, "dram_bw.read spreads",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) { read_of(dossier).rel_spread = 0.5; });
     }},
    {"N22", "too few samples to know their spread", "inconclusive", 75, "too few",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) {
         read_of(dossier).rel_spread.reset();
         read_of(dossier).samples = 2;
       });
     }},
    {"N23", "a figure of low confidence", "inconclusive", 75, "low confidence",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) { read_of(dossier).confidence = Confidence::low; });
     }},
    {"N24", "a measured number without the clock it was taken at", "none", 2, "clock_ghz",
     [](PlantedTree& tree) { return tree.judge_raw("/entries/dram_bw/clock_ghz", "null"); }},
    {"N25", "a product that nobody approved", "no_evidence", 1, "no pinned dossier",
     [](PlantedTree& tree) {
       return tree.judge([](Dossier& dossier) { dossier.device.name = "NVIDIA H999"; });
     }},
};

}  // namespace

std::vector<Planted> missing_rows() {
  return {std::begin(kMissingRows), std::end(kMissingRows)};
}

}  // namespace assay
