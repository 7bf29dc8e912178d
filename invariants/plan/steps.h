// SPDX-License-Identifier: Apache-2.0
// What does each test of the graph do? Every step is one short process, under ctest or under
// `assay certify` alike.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dossiers/evidence.h"
#include "invariants/plan/judging.h"
#include "invariants/plan/layout.h"

namespace assay {

/// What the environment asks for.
struct StepContext {
  Layout layout;
  std::filesystem::path share;
  std::filesystem::path out;          ///< ASSAY_OUT, else `out` under the current folder; absolute
  std::string device;                 ///< ASSAY_DEVICE, else empty: the only one there is
  Level level = Level::quick;         ///< ASSAY_LEVEL
  std::filesystem::path pinned_file;  ///< ASSAY_PINNED, else empty: the fitting one in share
  bool bootstrap = false;             ///< ASSAY_BOOTSTRAP=1
};
/// Throws DataError naming the variable and what is allowed.
StepContext step_context();

/// How what this context measures is judged.
Judging judging_of(const StepContext& context);

/// Selects the device, begins the run and measures what the driver states. Returns 0 also when the
/// window was spoiled or the build has no code for the device: the certificate will say so; 1 when
/// the device could not even do this.
int run_device_step(const StepContext& context);
/// Measures one probe of the run. Returns the probe's exit code.
int run_probe_step(const StepContext& context, const std::string& probe);
/// Judges one invariant over what the run has measured so far; writes verdicts/<id>.json.
int run_invariant_step(const StepContext& context, const std::string& id);

/// What the step of one invariant leaves behind: its exit code and its line.
struct JudgedInvariant {
  std::string id;
  int code = 1;
  std::string line;  ///< with its newline
};
/// Does the work of all invariant steps at once: one merge, one judgement, every
/// verdicts/<id>.json. The files hold the bytes that the single steps write. Throws DataError for
/// evidence that cannot be merged, and std::runtime_error for a file that cannot be written.
std::vector<JudgedInvariant> judge_invariants(const Judging& how,
                                              const std::filesystem::path& folder);
/// Merges the evidence, judges the whole catalogue, writes dossier.json and certificate.json.
int run_certificate_step(const StepContext& context);
/// Judges dossier.json again and compares it, and what really ran, with the certificate.
int run_audit_step(const StepContext& context);
/// Writes junit.xml into the run's folder, from what the other steps left. Returns 0 whatever they
/// came to: the other tests say that.
int run_junit_step(const StepContext& context);
/// Says what the runs of this ctest come to together: the host's document under ASSAY_OUT. GPUs
/// that have no run here are no evidence. Returns the exit code of the host's verdict.
int run_host_step(const StepContext& context, std::int64_t expected,
                  const std::vector<std::string>& uuids);

}  // namespace assay
