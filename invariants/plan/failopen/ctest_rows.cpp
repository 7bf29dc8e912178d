// SPDX-License-Identifier: Apache-2.0
// ctest's own ways to be green: what it counts as skipped, disabled, not found.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "invariants/plan/failopen/planted.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// ctest over the prepared folder, with `properties` set on the test `name` by its user.
CameOf with_property(PlantedTree& tree, const std::string& name, const std::string& properties,
                     const std::vector<std::string>& more = {}) {
  tree.use_small_plan();
  tree.edit_share("graph.cmake", "# The test graph", "# The planted test graph");
  std::ofstream(tree.share() / "graph.cmake", std::ios::app)
      << "set_tests_properties(" << name << " PROPERTIES " << properties << ")\n";
  return tree.run_ctest(more);
}

constexpr Planted kCtestRows[] = {
    {"C01", "a filter that matches no test", "none", 8, "No tests were found",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       return tree.run_ctest({"-R", "no.such.test"});
     }},
    {"C02", "a folder in which ctest finds nothing", "none", 8, "No tests were found",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       std::ofstream(tree.share() / "graph.cmake") << "";
       return tree.run_ctest();
     }},
    {"C03", "no GPU", "none", 8, "Not Run",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       tree.set("ASSAY_LIBCUDA", "/nonexistent/libcuda.so.1");
       return tree.run_ctest();
     }},
    {"C04", "everything skipped", "not_applicable", 8, "certificate (Failed)",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       for (const char* probe : {"device", "latency", "launch"}) {
         tree.tell(probe, "not_applicable");
       }
       return tree.run_ctest();
     }},
    {"C05", "the setup that begins the run is disabled: ctest runs what needs it", "none", 8,
     "certificate (Failed)",
     [](PlantedTree& tree) { return with_property(tree, "device", "DISABLED TRUE"); }},
    {"C06", "the setup that begins the run is skipped: ctest runs what needs it", "none", 8,
     "certificate (Failed)",
     [](PlantedTree& tree) {
       tree.set("ASSAY_LIBCUDA", "/nonexistent/libcuda.so.1");
       return with_property(tree, "device", "SKIP_RETURN_CODE 77");
     }},
    {"C07", "the setup left out by -FS", "none", 8, "certificate (Failed)",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       return tree.run_ctest({"-R", "^certificate$", "-FS", ".*"});
     }},
    {"C08", "a probe's test disabled", "no_evidence", 8, "certificate (Failed)",
     [](PlantedTree& tree) { return with_property(tree, "probe.latency", "DISABLED TRUE"); }},
    {"C09", "a probe's test killed by ctest's own deadline", "no_evidence", 8, "Timeout",
     [](PlantedTree& tree) {
       tree.tell("latency", "hang");
       return with_property(tree, "probe.latency", "TIMEOUT 1");
     }},
    {"C10", "the certificate's test disabled", "none", 8, "audit (Failed)",
     [](PlantedTree& tree) { return with_property(tree, "certificate", "DISABLED TRUE"); }},
    {"C11", "a probe crashes", "no_evidence", 8, "certificate (Failed)",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       tree.tell("latency", "crash");
       return tree.run_ctest();
     }},
    {"C12", "an invariant fails", "fail", 8, "invariant.latency.order (Failed)",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       tree.tell("latency", "swap=latency.l1,latency.l2");
       return tree.run_ctest();
     }},
};

}  // namespace

std::vector<Planted> ctest_rows() {
  return {std::begin(kCtestRows), std::end(kCtestRows)};
}

}  // namespace assay
