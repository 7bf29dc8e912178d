// SPDX-License-Identifier: Apache-2.0
// A probe for machines without a GPU: answers from a dossier, or misbehaves as it is told.
//
// Its name is its file's name. ASSAY_FAKE_DOSSIER and ASSAY_FAKE_CATALOG say what it "measures";
// ASSAY_FAKE_PROBE_<NAME> (upper case) may hold one of: crash segv hang inconclusive
// not_applicable failed usage silent truncated other_run other_device lies swap=<path>,<path>,
// kill (SIGKILL) pass_text (prints PASS, exits 1) exit3 empty (a file without a byte) nan
// facts_none then_crash (whole evidence, then abort) skip_failed (a failure written, exit 77)
// out_of_memory wrong=<path> (1 instead of 0, and a note that names SM 17),
// in_round=<n>:<file>:<mode> (only the n-th time that it is started, counted in the file),
// other_driver other_build clock_back contended_values throttled_values scale=<path>,<factor>,
// on=<uuid>:<mode> (on that device alone).
// ASSAY_FAKE_INTERVALS=<file>: each probe adds "<probe> <uuid> <begin> <end>" to the file, in ns of
// the steady clock; those that share something with other GPUs take a quarter of a second.
// ASSAY_FAKE_MEET=<folder>:<ms>: each probe waits so long for another one that is running, and
// leaves the file "met" in the folder when there is one.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>

#include "dossiers/dossier.h"
#include "dossiers/evidence.h"
#include "dossiers/json/json_reader.h"
#include "invariants/catalog.h"
#include "invariants/plan/device_choice.h"
#include "invariants/plan/run_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

std::string mode_of(const std::string& probe, const std::string& device) {
  std::string name = "ASSAY_FAKE_PROBE_" + probe;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string mode = variable(name);
  if (mode.rfind("on=", 0) == 0) {
    const auto colon = mode.find(':');
    mode = mode.substr(3, colon - 3) == device ? mode.substr(colon + 1) : "";
  }
  if (mode.rfind("in_round=", 0) != 0) {
    return mode;
  }
  const auto first = mode.find(':'), second = mode.find(':', first + 1);
  const std::string file = mode.substr(first + 1, second - first - 1);
  int started = 0;
  std::ifstream(file) >> started;
  std::ofstream(file) << ++started;
  return started == std::stoi(mode.substr(9, first - 9)) ? mode.substr(second + 1) : "";
}

std::map<std::string, std::string> options(int argc, char** argv) {
  std::map<std::string, std::string> result;
  for (int i = 1; i + 1 < argc; i += 2) {
    result[argv[i]] = argv[i + 1];
  }
  return result;
}

/// "swap=a,b": a reads as b and b as a.
std::string swapped(const std::string& mode, const std::string& path) {
  const auto comma = mode.find(',');
  if (mode.rfind("swap=", 0) != 0 || comma == std::string::npos) {
    return path;
  }
  const std::string a = mode.substr(5, comma - 5), b = mode.substr(comma + 1);
  return path == a ? b : path == b ? a : path;
}

/// "scale=path,factor": the fact's value times the factor.
Fact scaled(const std::string& mode, const std::string& path, Fact fact) {
  if (mode == "wrong=" + path) {
    fact.value = std::int64_t{1};
    return fact;
  }
  const auto comma = mode.find(',');
  if (mode.rfind("scale=", 0) != 0 || comma == std::string::npos ||
      mode.substr(6, comma - 6) != path) {
    return fact;
  }
  fact.value = *as_number(fact.value) * std::stod(mode.substr(comma + 1));
  return fact;
}

Measurements facts_of(const Dossier& dossier, const std::string& probe, const std::string& mode) {
  const Catalog catalog = load_catalog(variable("ASSAY_FAKE_CATALOG"));
  Measurements result;
  for (const auto& [entry, measurement] : dossier.entries) {
    for (const auto& [key, fact] : measurement.facts) {
      const std::string path = key.empty() ? entry : std::string(entry).append(".").append(key);
      if (catalog.probe_of(path) == probe) {
        result.add(path, scaled(mode, path, *dossier.find(swapped(mode, path))));
      }
    }
  }
  return result;
}

Evidence evidence_of(const std::string& probe, const std::string& mode,
                     std::map<std::string, std::string> given) {
  const Dossier dossier = read_dossier(variable("ASSAY_FAKE_DOSSIER"), true);
  Evidence evidence;
  evidence.run_id = mode == "other_run" ? "20200101T000000Z-000000" : given["--run-id"];
  evidence.suite = this_suite();
  evidence.probe = probe;
  evidence.device = choose_device(given["--device"]);
  if (mode == "other_device") {
    evidence.device.uuid = "GPU-ffffffff-ffff-ffff-ffff-ffffffffffff";
  }
  if (mode == "other_driver") {
    evidence.device.driver = "1.2.3";
  }
  if (mode == "other_build") {
    evidence.suite.commit = "0000000";
  }
  evidence.level = level_from(given["--level"]).value();
  evidence.started_utc = mode == "clock_back" ? "2020-01-01T00:00:00Z" : utc_now();
  evidence.seconds = 0.5;
  const auto known = dossier.probes.find(probe);
  // A probe that the dossier has not heard of was built and run as any other one.
  const ProbeRecord& record =
      known == dossier.probes.end() ? dossier.probes.begin()->second : known->second;
  evidence.build = record.build.value();
  evidence.conditions = record.conditions.value();
  evidence.status = ProbeStatus::measured;
  evidence.conditions.contended = mode == "contended_values";
  if (mode == "throttled_values") {
    evidence.conditions.throttle_mask = 0x40;
    evidence.conditions.throttle_reasons = {"HW thermal"};
  }
  if (mode != "facts_none") {
    evidence.measurements = facts_of(dossier, probe, mode);
  }
  if (mode.rfind("wrong=", 0) == 0) {
    const std::string path = mode.substr(6);
    evidence.measurements.note(path.substr(0, path.find('.')),
                               "wrong elements by SM (smid): 17: 1");
  }
  return evidence;
}

int leave(Evidence evidence, const fs::path& file, ProbeStatus status, const std::string& reason,
          int code) {
  evidence.status = status;
  evidence.reason = reason;
  if (status != ProbeStatus::measured) {
    evidence.measurements = {};
  }
  write_evidence(evidence, file);
  return code;
}

int spoiled(Evidence evidence, const fs::path& file) {
  evidence.conditions.contended = true;
  evidence.conditions.other_processes = {{4242, "trainer"}};
  return leave(evidence, file, ProbeStatus::inconclusive, "contended: trainer (pid 4242)", 75);
}

/// Writes the evidence and then spoils its text.
int spoilt_text(const Evidence& evidence, const fs::path& file, const std::string& mode) {
  write_evidence(evidence, file);
  std::string text = mode == "empty" ? "" : read_file(file);
  const auto at = text.find("\"seconds\": 0.5");
  if (mode == "nan" && at != std::string::npos) {
    text.replace(at, 14, "\"seconds\": NaN");
  }
  std::ofstream(file) << text;
  return 0;
}

int truncated(const Evidence& evidence, const fs::path& file) {
  write_evidence(evidence, file);
  const std::string text = read_file(file);
  std::ofstream(file) << text.substr(0, text.size() / 2);
  return 0;
}

[[noreturn]] void hang() {
  for (;;) {
    ::pause();
  }
}

int misbehave(const std::string& mode, const std::string& probe) {
  std::cerr << "fake " << probe << ": " << mode << '\n' << std::flush;
  if (mode == "crash") {
    std::abort();
  }
  if (mode == "segv") {
    static_cast<void>(std::signal(SIGSEGV, SIG_DFL));  // a sanitizer would turn it into an exit
    static_cast<void>(std::raise(SIGSEGV));
  }
  if (mode == "kill") {
    static_cast<void>(std::raise(SIGKILL));
  }
  if (mode == "hang") {
    hang();
  }
  if (mode == "pass_text") {
    std::cout << "PASS: all facts measured\n" << std::flush;
    return 1;
  }
  if (mode == "exit3") {
    return 3;
  }
  return mode == "usage" ? 2 : 0;  // "silent": claims to have measured and leaves nothing
}

std::int64_t steady_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

/// One short line in one write: many processes add to the file.
void leave_interval(const std::string& probe, const std::string& device) {
  const std::string file = variable("ASSAY_FAKE_INTERVALS");
  if (file.empty()) {
    return;
  }
  const std::int64_t begin = steady_ns();
  const bool shares = probe == "launch" || probe == "transfer" || probe == "peers";
  std::this_thread::sleep_for(std::chrono::milliseconds(shares ? 250 : 10));
  std::ostringstream line;
  line << probe << ' ' << device << ' ' << begin << ' ' << steady_ns() << '\n';
  std::ofstream(file, std::ios::app) << line.str() << std::flush;
}

/// Looks for another probe that is running now.
void meet(const std::string& device) {
  const std::string how = variable("ASSAY_FAKE_MEET");
  const auto colon = how.rfind(':');
  if (colon == std::string::npos) {
    return;
  }
  const fs::path folder = how.substr(0, colon);
  const fs::path here = folder / device;
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::milliseconds(std::stoi(how.substr(colon + 1)));
  std::ofstream(here) << "";
  while (!fs::exists(folder / "met") && std::chrono::steady_clock::now() < end) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path() != here) {
        std::ofstream(folder / "met") << "";
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  fs::remove(here);
}

int run(const std::string& probe, std::map<std::string, std::string> given) {
  meet(given["--device"]);
  leave_interval(probe, given["--device"]);
  const std::string mode = mode_of(probe, given["--device"]);
  for (const char* rude :
       {"crash", "segv", "kill", "hang", "usage", "silent", "pass_text", "exit3"}) {
    if (mode == rude) {
      return misbehave(mode, probe);
    }
  }
  const fs::path file = fs::path(given["--out"]) / (probe + ".json");
  const Evidence evidence = evidence_of(probe, mode, given);
  if (mode == "truncated") {
    return truncated(evidence, file);
  }
  if (mode == "empty" || mode == "nan") {
    return spoilt_text(evidence, file, mode);
  }
  if (mode == "then_crash") {
    write_evidence(evidence, file);
    std::abort();
  }
  if (mode == "facts_none") {
    return leave(evidence, file, ProbeStatus::measured, "", 0);
  }
  if (mode == "out_of_memory") {
    return leave(evidence, file, ProbeStatus::failed, "CUDA error: out of memory", 1);
  }
  if (mode == "skip_failed") {
    return leave(evidence, file, ProbeStatus::failed, "77 checks failed", 77);
  }
  if (mode == "inconclusive") {
    return spoiled(evidence, file);
  }
  if (mode == "not_applicable") {
    return leave(evidence, file, ProbeStatus::not_applicable, "no code: no code for sm_90", 77);
  }
  if (evidence.measurements.empty()) {
    return leave(evidence, file, ProbeStatus::not_applicable, "the dossier has no facts of it", 77);
  }
  if (mode == "failed") {
    return leave(evidence, file, ProbeStatus::failed, "CUDA error: unspecified launch failure", 1);
  }
  return leave(evidence, file, ProbeStatus::measured, "", mode == "lies" ? 1 : 0);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  try {
    return assay::run(std::filesystem::path(argv[0]).filename().string(),
                      assay::options(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "fake probe: " << error.what() << '\n';
    return 2;
  }
}
