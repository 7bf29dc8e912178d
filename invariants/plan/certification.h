// SPDX-License-Identifier: Apache-2.0
// One certification from the command line: the steps of the plan, in order. Measuring, certificate
// and audit are each the process that ctest would run; the invariants are judged in this one.
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "invariants/plan/judging.h"
#include "invariants/plan/junit.h"
#include "invariants/plan/layout.h"
#include "invariants/plan/plan.h"
#include "invariants/plan/supervisor.h"

namespace assay {

struct CertifyOrder {
  Layout layout;
  std::filesystem::path share;
  std::filesystem::path out;  ///< absolute
  std::string device_uuid;
  Level level = Level::quick;
  std::filesystem::path pinned_file;  ///< absolute, or empty
  bool bootstrap = false;
  std::function<bool()> stop;  ///< asked while a step runs; true abandons the run
};

/// How the evidence of this order is judged.
Judging judging_of(const CertifyOrder& order);

/// CertifyOrder::stop ended a step: the run has no certificate.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Certified {
  int code = 1;                  ///< of the certificate, or of the step that stopped the run
  std::filesystem::path folder;  ///< empty when no run was begun
  std::string problem;           ///< what stopped it before a certificate; else empty
};

/// Runs the whole plan with this process as the parent of every step, and writes junit.xml, with a
/// case for each step of the plan, into the run's folder. The invariants are judged together, here:
/// a process for each cost more than a fifth of a certification and wrote the same bytes. A device
/// that fails blocks the measuring and judging of single facts, as in ctest; the certificate is
/// made all the same. Throws CannotStart, Interrupted and std::runtime_error.
Certified certify_device(const CertifyOrder& order);

/// The plan's steps without `junit`: certify_device() has seen how each ended, and writes that
/// itself.
std::vector<Step> steps_to_run(const std::filesystem::path& share);

/// What a step's end means for JUnit and for the person reading it.
JUnitCase case_of(const Step& step, const Ended& ended);

}  // namespace assay
