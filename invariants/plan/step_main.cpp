// SPDX-License-Identifier: Apache-2.0
// assay-step <device|probe NAME|invariant ID|certificate|audit>: one test of the graph.
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "dossiers/driver/libcuda.h"
#include "dossiers/exit_code.h"
#include "invariants/plan/gpu_lock.h"
#include "invariants/plan/steps.h"

namespace assay {
namespace {

constexpr int kNotApplicable = 77;

int usage() {
  std::cerr << "assay-step: usage: assay-step device|certificate|audit|probe NAME|invariant ID\n";
  return kExitUsage;
}

int dispatch(const std::vector<std::string>& arguments) {
  const std::string kind = arguments.empty() ? "" : arguments[0];
  if (arguments.size() == 2 && kind == "probe") {
    return run_probe_step(step_context(), arguments[1]);
  }
  if (arguments.size() == 2 && kind == "invariant") {
    return run_invariant_step(step_context(), arguments[1]);
  }
  if (arguments.size() != 1) {
    return usage();
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
