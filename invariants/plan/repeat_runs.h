// SPDX-License-Identifier: Apache-2.0
// assay certify --repeat: the same device, measured and judged again and again, and counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

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
  Repeat all;                      ///< every session of the folder, these last
  std::vector<RepeatSession> now;  ///< this sitting: one for each device
  std::string problem;             ///< what ended it early, other than an interrupt; else empty
};

/// `<out>/repeat.json` while it grows: the sessions that it held before, and one for each device
/// of this sitting.
class RepeatCount {
 public:
  /// Throws DataError when the file holds runs that cannot be counted with these, and for devices
  /// that cannot be counted together.
  RepeatCount(const CertifyOrder& order, const std::vector<DeviceIdentity>& devices,
              std::int64_t runs);
  /// Counts the run in `folder`, judged again; as a failure when something other than an invariant
  /// refused it. Returns what it is counted as.
  Outcome add(std::size_t device, const Judging& how, const std::filesystem::path& folder,
              bool refused);
  /// Counts a run that left no dossier.
  void add(std::size_t device, Outcome verdict);
  /// Writes what is counted so far.
  void keep();
  const Repeat& all() const { return all_; }
  std::vector<RepeatSession> sessions() const;

 private:
  std::filesystem::path file_;
  std::vector<RepeatTally> tallies_;
  Repeat all_;
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

/// The worst of the verdicts; 75 when a session ended early and nothing failed.
int exit_code(const std::vector<RepeatSession>& sessions);

/// "; about 3 min left" after `done` of `of` rounds took that long; empty when it is soon.
std::string time_left(std::int64_t done, std::int64_t of, double elapsed_s);

}  // namespace assay
