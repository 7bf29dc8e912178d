// SPDX-License-Identifier: Apache-2.0
// All measurements of one device from one run, with its identity and conditions.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dossiers/evidence.h"

namespace assay {

/// How one probe of the run ended: from its evidence, or from its supervisor when it left none.
struct ProbeRecord {
  ProbeStatus status = ProbeStatus::failed;
  std::string reason;
  std::optional<int> exit_code;  ///< nullopt: killed by a signal
  std::optional<int> signal;     ///< set when a signal ended it
  bool timed_out = false;
  std::string stderr_tail;  ///< at most 2000 bytes, only when it did not measure
  double seconds = 0.0;
  std::optional<BuildIdentity> build;
  std::optional<Conditions> conditions;
};

/// Who approved a dossier as the one that drift is measured against, and why.
struct Pinned {
  std::string by;
  std::string why;
  std::string utc;  ///< "2026-11-30T02:14:07Z"
  bool operator==(const Pinned&) const = default;
};

struct Dossier {
  std::string run_id;
  SuiteIdentity suite;
  std::string created_utc;  ///< of the run, from its evidence: judging again gives the same bytes
  Level level = Level::quick;
  bool redacted = false;  ///< no serial, host name, user; UUID hashed
  DeviceIdentity device;
  std::map<std::string, ProbeRecord> probes;
  std::map<std::string, Measurement> entries;
  std::optional<Pinned> pinned;  ///< set in a pinned dossier only
  /// SHA-256 of samples/<entry>.json by entry, of a dossier that was read; entries that hold raw
  /// samples in memory are digested anew when they are written.
  std::map<std::string, std::string> sample_digests;

  /// The fact at "entry" or "entry.key", or nullptr.
  const Fact* find(std::string_view path) const;
};

/// Writes `file` and, for entries that hold raw samples, `samples/<entry>.json` beside it, each
/// temp + rename, samples first; makes the folders. Throws std::runtime_error.
void write_dossier(const Dossier& dossier, const std::filesystem::path& file);
/// Reads `file`; `with_samples` also reads the sidecars and checks their digests.
/// Throws DataError.
Dossier read_dossier(const std::filesystem::path& file, bool with_samples = false);

/// The dossier as canonical JSON text, as write_dossier writes it.
std::string dossier_text(const Dossier& dossier);
/// The same text read back, without sidecars; `name` stands for the file in errors.
Dossier dossier_from_text(std::string_view text, const std::string& name);
/// The sidecar of one entry, as text: its raw samples by key.
std::string samples_text(const Dossier& dossier, const std::string& entry);

/// What the supervisor knows about a probe that ran: evidence/<probe>.exit.json.
struct ProbeExit {
  std::string run_id;
  std::string probe;
  std::optional<int> exit_code;
  std::optional<int> signal;
  bool timed_out = false;
  std::string stderr_tail;
  double seconds = 0.0;
  SuiteIdentity suite = this_suite();  ///< of the supervisor
};
/// Throws std::runtime_error on I/O failure.
void write_probe_exit(const ProbeExit& ended, const std::filesystem::path& file);
/// Throws DataError.
ProbeExit read_probe_exit(const std::filesystem::path& file);

/// What a run is: run.json in the run's folder.
struct Run {
  std::string run_id;
  SuiteIdentity suite;
  std::string created_utc;
  Level level = Level::quick;
  DeviceIdentity device;
  std::vector<std::string> probes;  ///< what the plan wants measured, in order
  std::int64_t parent_pid = 0;      ///< the ctest (or certify) process all tests must share
  std::uint64_t parent_start = 0;   ///< its start time in clock ticks since boot, against pid reuse
};
/// Throws std::runtime_error on I/O failure.
void write_run(const Run& run, const std::filesystem::path& file);
/// Throws DataError.
Run read_run(const std::filesystem::path& file);

/// Merges evidence/*.json and *.exit.json of the run in `folder` (which holds run.json).
/// Throws DataError naming the file for evidence of another run, device, driver or suite build, and
/// for one fact measured twice. A probe of the plan without evidence becomes a failed ProbeRecord.
Dossier merge_run(const std::filesystem::path& folder);

/// Without serial, host name, kernel build or user; the UUID becomes "sha256:<first 16 hex
/// digits>", the PCI bus id is kept out, other processes lose pid and name, and stderr is dropped.
Dossier redact(Dossier dossier);
/// "sha256:<first 16 hex digits>" of a UUID; one that is hashed already stays as it is.
std::string hashed_uuid(const std::string& uuid);

/// Lower-case hex SHA-256 of bytes.
std::string sha256_hex(std::string_view bytes);

/// When a file must be on the disk.
enum class Sync {
  now,
  bytes,  ///< its bytes now, its name with the folder's next sync: for all but the last of many
  later,  ///< when the system likes: for files that can be written anew from what was synced
};
/// Writes text to `file` by temp + fsync + rename in the same folder. Throws std::runtime_error
/// that names the file and the cause (disk full, not writable); leaves neither a temp nor a half
/// file.
void write_file_atomically(const std::filesystem::path& file, std::string_view text,
                           Sync sync = Sync::now);

/// The folder's own files named *.json, in the order of their names; none where there is no folder.
std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder);

}  // namespace assay
