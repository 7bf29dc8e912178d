// SPDX-License-Identifier: Apache-2.0
// What did one probe see, and under which conditions? One file per probe and run:
// evidence/<probe>.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "dossiers/identity.h"
#include "dossiers/level.h"
#include "dossiers/measurement.h"

namespace assay {

struct Process {
  std::int64_t pid = 0;
  std::string name;  ///< empty when it cannot be read (another pid namespace)
  bool operator==(const Process&) const = default;
};

/// What held while a probe measured. Each field that could not be read is nullopt.
struct Conditions {
  std::optional<double> clock_min_ghz, clock_median_ghz,
      clock_max_ghz;                           ///< from clock64 / globaltimer
  std::optional<std::uint64_t> throttle_mask;  ///< NVML clock event reasons, OR-ed over the window
  std::vector<std::string>
      throttle_reasons;  ///< names of the mask's bits; unknown ones as "unknown 0x200"
  std::optional<double> power_cap_ms;  ///< time under the software power cap in the window
  std::optional<double> temperature_max_c, power_max_w;
  std::vector<Process> other_processes;  ///< compute processes beside ours, before or after
  std::optional<double> canary_expected_us, canary_worst_us;  ///< a spin kernel of known length
  int samples_rejected = 0;  ///< samples dropped because the canary was disturbed
  bool contended = false;    ///< somebody else's work ran in the window
};

enum class ProbeStatus { measured, inconclusive, not_applicable, failed };
std::string_view to_string(ProbeStatus status);
std::optional<ProbeStatus> probe_status_from(std::string_view name);
/// The exit code of a probe that ended with this status: 0, 75, 77 or 1.
int exit_code_of(ProbeStatus status);

struct Evidence {
  std::string run_id;
  SuiteIdentity suite;
  std::string probe;
  DeviceIdentity device;
  BuildIdentity build;
  Level level = Level::quick;
  std::string started_utc;  ///< "2026-11-30T02:14:07Z"
  double seconds = 0.0;     ///< wall time of the probe
  ProbeStatus status = ProbeStatus::failed;
  std::string reason;  ///< why; required for every status but measured
  Conditions conditions;
  Measurements measurements;
};

/// Bad data in a file: what() is "<file>:<line>: <path>: <what is wrong and what is allowed>".
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Writes temp + rename; samples stay inside. Throws std::runtime_error on I/O failure, leaving
/// nothing.
void write_evidence(const Evidence& evidence, const std::filesystem::path& file);
/// Throws DataError on anything the schema does not allow.
Evidence read_evidence(const std::filesystem::path& file);
/// The evidence as canonical JSON text, as write_evidence writes it.
std::string evidence_text(const Evidence& evidence);

}  // namespace assay
