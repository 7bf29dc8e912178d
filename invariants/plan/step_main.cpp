// SPDX-License-Identifier: Apache-2.0
// assay-step <device|probe NAME|invariant ID|certificate|audit>: one test of the graph.
#include <charconv>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "dossiers/driver/libcuda.h"
#include "dossiers/exit_code.h"
#include "invariants/plan/gpu_lock.h"
#include "invariants/plan/steps.h"

namespace assay {
namespace {

constexpr int kNotApplicable = 77;

int usage() {
  std::cerr << "assay-step: usage: assay-step device|certificate|audit|junit|probe NAME|"
               "invariant ID|host EXPECTED UUID...\n";
  return kExitUsage;
}

int dispatch_host(const std::vector<std::string>& arguments) {
  const std::string& count = arguments[1];
  std::int64_t expected = 0;
  const auto read = std::from_chars(count.data(), count.data() + count.size(), expected);
  if (read.ec != std::errc() || read.ptr != count.data() + count.size() || expected < 0) {
    return usage();
  }
  return run_host_step(step_context(), expected, {arguments.begin() + 2, arguments.end()});
}

int dispatch(const std::vector<std::string>& arguments) {
  const std::string kind = arguments.empty() ? "" : arguments[0];
  if (arguments.size() == 2 && kind == "probe") {
    return run_probe_step(step_context(), arguments[1]);
  }
  if (arguments.size() == 2 && kind == "invariant") {
    return run_invariant_step(step_context(), arguments[1]);
  }
  if (arguments.size() >= 3 && kind == "host") {
    return dispatch_host(arguments);
  }
  if (arguments.size() != 1) {
    return usage();
  }
  if (kind == "junit") {
    return run_junit_step(step_context());
  }
  if (kind == "device") {
    return run_device_step(step_context());
  }
  if (kind == "certificate") {
    return run_certificate_step(step_context());
  }
  return kind == "audit" ? run_audit_step(step_context()) : usage();
}

/// One line, and the code that stands for it.
int report(const char* what, int code) {
  std::cerr << "assay-step: " << what << '\n';
  return code;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  try {
    const int code = assay::dispatch({argv + 1, argv + argc});
    if (!std::cout.flush()) {
      return assay::report("cannot write to standard output", assay::kExitUsage);
    }
    return code;
  } catch (const assay::NoDevice& error) {
    return assay::report(error.what(), assay::kNotApplicable);
  } catch (const assay::GpuBusy& error) {
    return assay::report(error.what(), assay::kExitInconclusive);
  } catch (const std::exception& error) {
    return assay::report(error.what(), assay::kExitUsage);
  }
}
