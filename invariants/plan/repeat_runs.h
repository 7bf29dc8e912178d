// SPDX-License-Identifier: Apache-2.0
// assay certify --repeat: the same device, measured and judged again and again, and counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "dossiers/identity.h"
#include "invariants/plan/certification.h"
#include "invariants/rates/repeat.h"

namespace assay {

/// How many runs one command may ask for.
inline constexpr std::int64_t kMostRepeats = 10000;

struct RepeatOrder {
  CertifyOrder certify;
  DeviceIdentity device;
  std::int64_t runs = 1;
};

struct Repeated {
  Repeat all;           ///< every session of the folder, this one last
  RepeatSession now;    ///< this one
  std::string problem;  ///< what ended it early, other than an interrupt; else empty
};

/// Runs whole certifications into `certify.out` and counts them, past failed and inconclusive ones,
/// until all are done, `certify.stop` says so or a run ends in a usage or I/O error. After each run
/// `<out>/repeat.json` holds the sessions that it held before and this one so far. `say` is told
/// one line for each run. Throws DataError, before anything is measured, when the file holds runs
/// that cannot be counted with these.
Repeated repeat_device(const RepeatOrder& order, const std::function<void(std::string)>& say);

/// Judges one recorded dossier `runs` times. Throws std::runtime_error when two judgements differ:
/// judging must be deterministic.
Repeat repeat_replay(const Judging& how, const std::filesystem::path& dossier, std::int64_t runs);

/// The exit code of a session: the worst of its verdicts; 75 when it ended early and nothing
/// failed.
int exit_code(const RepeatSession& session);

}  // namespace assay
