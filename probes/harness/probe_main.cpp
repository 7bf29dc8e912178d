// SPDX-License-Identifier: Apache-2.0
// What is around every probe: the device, the conditions, the evidence, the exit code.
#include <chrono>
#include <ctime>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "dossiers/cli/verb_main.h"
#include "dossiers/driver/device_list.h"
#include "dossiers/driver/telemetry.h"
#include "dossiers/evidence.h"
#include "probes/harness/conditions.h"
#include "probes/harness/machine_code.h"
#include "probes/harness/ordinal.h"
#include "probes/harness/probe.h"
#include "probes/harness/probe_identity.h"
#include "probes/harness/probe_options.h"
#include "probes/harness/stamps.h"
#include "probes/harness/watcher.h"

namespace assay {
namespace {

Evidence blank_evidence(const ProbeOptions& options) {
  Evidence evidence;
  evidence.run_id = options.run_id;
  evidence.suite = this_suite();
  evidence.probe = kProbeName;
  evidence.level = options.level;
  evidence.started_utc = utc_now();
  evidence.build.toolkit = ASSAY_TOOLKIT_VERSION;
  evidence.build.architectures = split_architectures(kProbeArchitectures);
  evidence.build.compiler = ASSAY_HOST_COMPILER;
  return evidence;
}

void end_with(Evidence& evidence, ProbeStatus status, const std::string& reason) {
  evidence.status = status;
  evidence.reason = reason;
}

/// A missing kernel image means "no code" only where the build claims none: a build that should
/// have the code and cannot run it has failed.
void end_with_cuda_error(Evidence& evidence, const CudaError& error) {
  const bool is_missing_image = error.code() == cudaErrorNoKernelImageForDevice ||
                                error.code() == cudaErrorInvalidDeviceFunction;
  if (is_missing_image && !covers(evidence.build.architectures, evidence.device)) {
    end_with(
        evidence, ProbeStatus::not_applicable,
        "no code for " + architecture(evidence.device) + ": this build has " + kProbeArchitectures);
  } else if (error.code() == cudaErrorDevicesUnavailable) {
    end_with(evidence, ProbeStatus::inconclusive,
             std::string("contended: the device is in use and takes no second process: ") +
                 error.what());
  } else {
    end_with(evidence, ProbeStatus::failed, error.what());
  }
}

/// Measures on the chosen device; every way it can end becomes the evidence's status.
void measure(const ListedDevice& listed, const ProbeOptions& options, Evidence& evidence) {
  try {
    const Device device(runtime_ordinal(listed), listed.identity, options.level);
    if (!has_code(stamp_kernel_address())) {
      throw NotApplicable("no code for " + architecture(listed.identity) + ": this build has " +
                          kProbeArchitectures);
    }
    evidence.measurements = run_probe(device);
    evidence.status = ProbeStatus::measured;
  } catch (const NotApplicable& absence) {
    end_with(evidence, ProbeStatus::not_applicable, absence.what());
  } catch (const Inconclusive& spoiled) {
    end_with(evidence, ProbeStatus::inconclusive, spoiled.what());
  } catch (const CudaError& error) {
    end_with_cuda_error(evidence, error);
  } catch (const std::exception& error) {  // WrongResult among them
    end_with(evidence, ProbeStatus::failed, error.what());
  }
}

void judge(const std::vector<TelemetrySnapshot>& snapshots, Evidence& evidence) {
  evidence.conditions = conditions_of(snapshots, timer_log());
  evidence.measurements = under(evidence.conditions, evidence.measurements);
  if (evidence.status == ProbeStatus::measured) {
    const Outcome outcome = outcome_of(evidence.measurements);
    end_with(evidence, outcome.status, outcome.reason);
  }
}

/// Throws BadChoice.
Evidence gather(const ProbeOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Evidence evidence = blank_evidence(options);
  try {
    order_devices_by_pci();
    const LibCuda cuda;
    std::string nvml_why;
    const std::shared_ptr<const Nvml> nvml = load_nvml(nvml_why);
    const std::vector<ListedDevice> devices = list_devices(cuda, nvml.get(), nvml_why);
    const ListedDevice& listed = devices.at(select_device(devices, options.device));
    evidence.device = listed.identity;
    const Telemetry telemetry(nvml, listed);
    Watcher watcher(telemetry);
    measure(listed, options, evidence);
    judge(watcher.finish(), evidence);
  } catch (const NoDevice& absence) {
    end_with(evidence, ProbeStatus::not_applicable, absence.what());
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  evidence.seconds = elapsed.count();
  return evidence;
}

void print_fact(const std::string& path, const Fact& fact) {
  std::cerr << "  " << std::left << std::setw(36) << path;
  if (fact.reason) {
    std::cerr << to_string(*fact.reason) << '\n';
    return;
  }
  std::visit(
      [](const auto& value) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
          std::cerr << std::boolalpha << std::setprecision(6) << value;
        }
      },
      fact.value);
  if (fact.units != Unit::none) {
    std::cerr << ' ' << to_string(fact.units);
  }
  if (fact.clock_ghz) {
    std::cerr << "  at " << std::setprecision(4) << *fact.clock_ghz << " GHz";
  }
  if (fact.rel_spread) {
    std::cerr << ", spread " << std::setprecision(2) << 100.0 * *fact.rel_spread << " %";
  }
  std::cerr << '\n';
}

void print_summary(const Evidence& evidence) {
  std::cerr << evidence.probe << ": " << to_string(evidence.status);
  if (!evidence.reason.empty()) {
    std::cerr << ": " << evidence.reason;
  }
  std::cerr << '\n';
  for (const auto& [entry, measurement] : evidence.measurements.entries()) {
    for (const auto& [key, fact] : measurement.facts) {
      print_fact(fact_path(entry, key), fact);
    }
  }
}

/// Throws std::exception on a bad choice of device and on I/O errors.
int run(const ProbeOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (error) {
    throw std::runtime_error("cannot make the folder '" + options.out.string() +
                             "': " + error.message());
  }
  const Evidence evidence = gather(options);
  const std::filesystem::path file = options.out / (evidence.probe + ".json");
  write_evidence(evidence, file);
  print_summary(evidence);
  if (options.json) {
    std::cout << evidence_text(evidence) << std::flush;
    if (!std::cout) {
      throw std::runtime_error("cannot write to standard output");
    }
  }
  return exit_code_of(evidence.status);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  assay::ProbeOptions options;
  if (const auto code = assay::read_probe_options(argc, argv, assay::kProbeName, options)) {
    return *code;
  }
  try {
    return assay::run(options);
  } catch (const std::exception& error) {
    std::cerr << assay::kProbeName << ": " << error.what() << '\n';
    return assay::kExitUsage;
  }
}
