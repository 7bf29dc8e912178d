// SPDX-License-Identifier: Apache-2.0
// Probes that crash, hang, fill the disk or lie, in a whole certification.
#include <filesystem>
#include <iterator>

#include "invariants/plan/failopen/planted.h"

namespace assay {
namespace {

/// A certification in which the probe `latency` misbehaves.
CameOf with_latency(PlantedTree& tree, const std::string& mode) {
  tree.use_small_plan();
  tree.tell("latency", mode);
  return tree.certify();
}

constexpr Planted kProcessRows[] = {
    {"P01", "a probe aborts", "no_evidence", 1, "signal 6",
     [](PlantedTree& tree) { return with_latency(tree, "crash"); }},
    {"P02", "a probe is killed (SIGKILL, as out of host memory)", "no_evidence", 1, "signal 9",
     [](PlantedTree& tree) { return with_latency(tree, "kill"); }},
    {"P03", "a probe touches memory that is not there (SIGSEGV)", "no_evidence", 1, "signal 11",
     [](PlantedTree& tree) { return with_latency(tree, "segv"); }},
    {"P04", "a probe hangs", "no_evidence", 1, "timed out",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       tree.limit_probes(1);
       tree.tell("latency", "hang");
       return tree.certify();
     }},
    {"P05", "a probe prints PASS and exits 1", "no_evidence", 1, "exited with 1",
     [](PlantedTree& tree) { return with_latency(tree, "pass_text"); }},
    {"P06", "a probe exits 0 and leaves no evidence", "no_evidence", 1, "no evidence",
     [](PlantedTree& tree) { return with_latency(tree, "silent"); }},
    {"P07", "a probe writes its evidence and then crashes", "no_evidence", 1, "signal 6",
     [](PlantedTree& tree) { return with_latency(tree, "then_crash"); }},
    {"P08", "a probe writes \"measured\" and exits 1", "no_evidence", 1, "exited with 1",
     [](PlantedTree& tree) { return with_latency(tree, "lies"); }},
    {"P09", "a probe exits 77 with a failure written", "no_evidence", 1, "exited with 77",
     [](PlantedTree& tree) { return with_latency(tree, "skip_failed"); }},
    {"P10", "a probe exits with a code that nobody defined", "no_evidence", 1, "exited with 3",
     [](PlantedTree& tree) { return with_latency(tree, "exit3"); }},
    {"P11", "evidence half written", "no_evidence", 1,
     "evidence/latency.json:", [](PlantedTree& tree) { return with_latency(tree, "truncated"); }},
    {"P12", "evidence without a byte", "no_evidence", 1,
     "evidence/latency.json:", [](PlantedTree& tree) { return with_latency(tree, "empty"); }},
    {"P13", "evidence with NaN in it", "no_evidence", 1,
     "evidence/latency.json:", [](PlantedTree& tree) { return with_latency(tree, "nan"); }},
    {"P14", "evidence without a fact", "no_evidence", 1, "is missing from the evidence",
     [](PlantedTree& tree) { return with_latency(tree, "facts_none"); }},
    {"P15", "stale evidence: another run's", "none", 2, "run_id",
     [](PlantedTree& tree) { return with_latency(tree, "other_run"); }},
    {"P16", "stale evidence: another device's", "none", 2, "device.uuid",
     [](PlantedTree& tree) { return with_latency(tree, "other_device"); }},
    {"P17", "stale evidence: another driver's", "none", 2, "device.driver",
     [](PlantedTree& tree) { return with_latency(tree, "other_driver"); }},
    {"P18", "stale evidence: another build's", "none", 2, "suite",
     [](PlantedTree& tree) { return with_latency(tree, "other_build"); }},
    {"P19", "clock jump: evidence older than its run", "no_evidence", 1, "clock went back",
     [](PlantedTree& tree) { return with_latency(tree, "clock_back"); }},
    {"P20", "out of device memory", "no_evidence", 1, "out of memory",
     [](PlantedTree& tree) { return with_latency(tree, "out_of_memory"); }},
    {"P21", "busy GPU: the probe says so", "inconclusive", 75, "trainer",
     [](PlantedTree& tree) { return with_latency(tree, "inconclusive"); }},
    {"P22", "busy GPU: the probe measured all the same", "inconclusive", 75,
     "probe latency ran beside foreign work",
     [](PlantedTree& tree) { return with_latency(tree, "contended_values"); }},
    {"P23", "throttled: the probe measured all the same", "inconclusive", 75, "HW thermal",
     [](PlantedTree& tree) { return with_latency(tree, "throttled_values"); }},
    {"P24", "no machine code for the device, in one probe", "no_evidence", 1, "no code for sm_90",
     [](PlantedTree& tree) { return with_latency(tree, "not_applicable"); }},
    {"P25", "no machine code for the device, in any probe", "not_applicable", 77,
     "no code for sm_90",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       for (const char* probe : {"device", "latency", "launch"}) {
         tree.tell(probe, "not_applicable");
       }
       return tree.certify();
     }},
    {"P26", "a probe's program is missing", "no_evidence", 1, "latency",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       std::filesystem::remove(tree.root() / "libexec" / "assay" / "probes" / "latency");
       return tree.certify();
     }},
    {"P27", "the device's own probe crashes", "no_evidence", 1, "probe device failed",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       tree.tell("device", "crash");
       return tree.certify();
     }},
    {"P28", "a probe measures two levels of memory in each other's place", "fail", 1,
     "latency.order",
     [](PlantedTree& tree) { return with_latency(tree, "swap=latency.l1,latency.l2"); }},
    {"P29", "a probe's figures are ns for us", "fail", 1, "launch.range",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       tree.tell("launch", "scale=launch_overhead.enqueue,1000");
       return tree.certify();
     }},
};

}  // namespace

std::vector<Planted> process_rows() {
  return {std::begin(kProcessRows), std::end(kProcessRows)};
}

}  // namespace assay
