// SPDX-License-Identifier: Apache-2.0
// Devices, drivers, disks, clocks and locales that are not as they should be.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "invariants/plan/device_choice.h"
#include "invariants/plan/failopen/planted.h"
#include "invariants/plan/gpu_lock.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

CameOf with_variable(PlantedTree& tree, const std::string& variable, const std::string& value,
                     const std::vector<std::string>& more = {}) {
  tree.use_small_plan();
  tree.set(variable, value);
  return tree.certify(more);
}

/// `assay <arguments>` after the shell commands `before`, with its output sent to `after`.
CameOf in_shell(PlantedTree& tree, const std::vector<std::string>& arguments,
                const std::string& before, const std::string& after = "") {
  Program program = tree.assay_program(arguments);
  program.arguments[1] = before + "cd \"$0\" && exec \"$@\" " + after;
  const Ended ended = supervise(program);
  return tree.came_of({ended.exit_code.value_or(-1), ended.output, ended.stderr_tail}, "out");
}

CameOf held(PlantedTree& tree) {
  tree.use_small_plan();
  tree.set("ASSAY_LOCK_WAIT_S", "0.1");
  const GpuLock holder(choose_device("").uuid, 0.0);
  return tree.certify();
}

constexpr Planted kHostRows[] = {
    {"H01", "no driver", "none", 77, "not certified",
     [](PlantedTree& tree) {
       return with_variable(tree, "ASSAY_LIBCUDA", "/nonexistent/libcuda.so.1");
     }},
    {"H02", "a driver and no GPU", "none", 77, "not certified",
     [](PlantedTree& tree) { return with_variable(tree, "ASSAY_FAKE_GPUS", "0"); }},
    {"H03", "a driver that does not start", "none", 77, "CUDA_ERROR_UNKNOWN",
     [](PlantedTree& tree) { return with_variable(tree, "ASSAY_FAKE_CUINIT", "999"); }},
    {"H04", "a library that is no driver", "none", 77, "not certified",
     [](PlantedTree& tree) { return with_variable(tree, "ASSAY_LIBCUDA", ASSAY_FAKE_EMPTY_FILE); }},
    {"H05", "libcuda without NVML: the driver's version is not known", "inconclusive", 75,
     "the driver's version is not known",
     [](PlantedTree& tree) {
       return with_variable(tree, "ASSAY_LIBNVML", "/nonexistent/libnvidia-ml.so");
     }},
    {"H06", "two GPUs, none chosen", "none", 2, "several devices",
     [](PlantedTree& tree) { return with_variable(tree, "ASSAY_FAKE_GPUS", "2"); }},
    {"H07", "an unknown UUID", "none", 2, "neither an index",
     [](PlantedTree& tree) {
       return with_variable(tree, "ASSAY_FAKE_GPUS", "2",
                            {"--device", "GPU-00000000-0000-0000-0000-00000000dead"});
     }},
    {"H08", "an index out of range", "none", 2, "out of range",
     [](PlantedTree& tree) {
       return with_variable(tree, "ASSAY_FAKE_GPUS", "2", {"--device", "2"});
     }},
    {"H09", "the beginning of two UUIDs", "none", 2, "several UUIDs",
     [](PlantedTree& tree) {
       tree.set("ASSAY_FAKE_SCENARIO", "same_prefix");
       return with_variable(tree, "ASSAY_FAKE_GPUS", "2", {"--device", "GPU-ab112233"});
     }},
    {"H10", "a MIG slice, held against the whole GPU's dossier", "no_evidence", 1,
     "no pinned dossier",
     [](PlantedTree& tree) { return with_variable(tree, "ASSAY_FAKE_SCENARIO", "mig"); }},
    {"H11", "two runs at once on one GPU, the other one holds it", "none", 75,
     "another assay run holds the GPU", held},
    {"H12", "the folder of the locks is a link", "none", 2, "not a folder of this user",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       fs::create_directories(tree.base() / "elsewhere");
       fs::create_symlink(tree.base() / "elsewhere",
                          tree.base() / ("assay-" + std::to_string(::getuid())));
       return tree.certify();
     }},
    {"H13", "disk full from the start", "none", 2, "run.json",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       return in_shell(tree, {"certify", "--out", "out"}, "trap '' XFSZ; ulimit -f 0; ");
     }},
    {"H14", "disk full when the certificate is written", "none", 2,
     "certificate.json: cannot write",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       return in_shell(tree, {"certify", "--out", "out"}, "trap '' XFSZ; ulimit -f 24; ");
     }},
    {"H15", "nobody takes the output (/dev/full)", "none", 2, "standard output",
     [](PlantedTree& tree) {
       return in_shell(
           tree,
           {"certify", "--json", "--replay", (tree.share() / "pinned" / "example.json").string()},
           "", ">/dev/full");
     }},
    {"H16", "a folder that cannot be written", "none", 2, "/proc/assay",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       return tree.run({"certify", "--out", "/proc/assay"});
     }},
    {"H17", "a file where the folder should be", "none", 2, "cannot make the folder",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       std::ofstream(tree.work() / "out") << "in the way";
       return tree.certify();
     }},
    {"H18", "the folder is a link to nowhere", "none", 2, "cannot make the folder",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       fs::create_symlink(tree.work() / "nowhere" / "at" / "all", tree.work() / "out");
       return tree.certify();
     }},
    {"H19", "system clock set back before the installation", "none", 2, "the system clock",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       fs::last_write_time(tree.share() / "waivers.json",
                           fs::file_time_type::clock::now() + std::chrono::hours(24 * 3650));
       return tree.certify();
     }},
    {"H20", "a locale with a decimal comma, and a fault", "fail", 1, "latency.order",
     [](PlantedTree& tree) {
       tree.tell("latency", "swap=latency.l1,latency.l2");
       return with_variable(tree, "LC_ALL", "de_DE.UTF-8");
     }},
    {"H21", "a level that does not exist, from the environment", "none", 2, "fast",
     [](PlantedTree& tree) { return with_variable(tree, "ASSAY_LEVEL", "fast"); }},
    {"H22", "a time to wait that is no number", "none", 2, "ASSAY_LOCK_WAIT_S",
     [](PlantedTree& tree) { return with_variable(tree, "ASSAY_LOCK_WAIT_S", "nan"); }},
    {"H23", "the run killed half way", "none", 137, "",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       tree.tell("latency", "hang");
       return in_shell(tree, {"certify", "--out", "out"}, "timeout -s KILL 1 sh -c '",
                       "' \"$0\" \"$@\"; exit $?");
     }},
    {"H24", "a plan without the probe that an invariant needs", "none", 2,
     "needs a probe that is not in probes.json",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       tree.edit_share("probes.json", "\"latency\"", "\"latency_renamed\"");
       return tree.certify();
     }},
    {"H25", "a driver older than the toolkit that built the probes", "none", 2,
     "offers CUDA 12.4; this build needs 13.0 or newer",
     [](PlantedTree& tree) { return with_variable(tree, "ASSAY_FAKE_DRIVER_CUDA", "12040"); }},
    {"H26", "a GPU of an architecture that the build has no code for", "not_applicable", 77,
     "no code for sm_90",
     [](PlantedTree& tree) {
       for (const char* probe : {"device", "latency", "launch"}) {
         tree.tell(probe, "not_applicable");
       }
       return with_variable(tree, "ASSAY_PINNED", "");
     }},
    {"H27", "started where nothing can be written, and no folder given", "none", 2, "out",
     [](PlantedTree& tree) {
       tree.use_small_plan();
       // Root writes where it likes; a link to a device's folder stops also root.
       fs::create_symlink("/proc", tree.work() / "prefix");
       Program program = tree.assay_program({"certify"});
       program.arguments[2] = (tree.work() / "prefix").string();
       const Ended ended = supervise(program);
       return tree.came_of(Said{ended.exit_code.value_or(-1), ended.output, ended.stderr_tail},
                           "out");
     }},
};

}  // namespace

std::vector<Planted> host_rows() {
  return {std::begin(kHostRows), std::end(kHostRows)};
}

}  // namespace assay
