// SPDX-License-Identifier: Apache-2.0
// What has a soak seen so far? One file, written anew after each round, from which it goes on after
// a kill.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "dossiers/driver/health.h"
#include "dossiers/identity.h"
#include "dossiers/measurement.h"
#include "invariants/verdict.h"

namespace assay {

inline constexpr double kSecondsPerHour = 3600.0;

/// A round that did not pass; its run folder stays.
struct KeptRound {
  std::uint64_t round = 0;
  Outcome outcome = Outcome::no_evidence;
  std::string reason;  ///< names the fact, and the SM or the address
};

struct SoakRecord {
  std::string run_id;
  SuiteIdentity suite;
  DeviceIdentity device;
  std::string created_utc, updated_utc;
  double wanted_s = 0.0;  ///< of clean rounds
  double clean_s = 0.0;   ///< spent in rounds that passed
  double total_s = 0.0;   ///< spent in rounds at all
  std::map<Outcome, std::uint64_t> rounds;
  std::uint64_t resumed = 0;                  ///< how often it was killed and went on
  std::string first_fault;                    ///< of the first round that failed; empty without one
  std::vector<KeptRound> kept;                ///< the first hundred rounds that did not pass
  HealthCounters before;                      ///< when it began
  std::vector<std::uint64_t> xids;            ///< Xid events since, while it ran
  std::map<std::string, Measurement> health;  ///< `health.*` over the whole time, once finished
  bool finished = false;
  Outcome verdict = Outcome::no_evidence;
  std::string reason;  ///< of the verdict; empty for a pass

  std::uint64_t rounds_done() const;
  std::uint64_t rounds_of(Outcome outcome) const;
};

/// The document's bytes.
std::string soak_text(const SoakRecord& record);
/// Writes temp + rename. Throws std::runtime_error on I/O failure.
void write_soak(const SoakRecord& record, const std::filesystem::path& file);
/// Throws DataError on anything that soak_text() does not write.
SoakRecord read_soak(const std::filesystem::path& file);

}  // namespace assay
