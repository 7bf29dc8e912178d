// SPDX-License-Identifier: Apache-2.0
// What did a fleet's runs leave in a folder? Only the numbers that a fleet is judged by are kept,
// so that ten thousand runs fit in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dossiers/evidence.h"
#include "dossiers/identity.h"
#include "invariants/verdict.h"

namespace assay {

/// Names of facts, each kept once.
class FactNames {
 public:
  struct Name {
    std::string path;
    Unit unit = Unit::none;
  };
  /// The number of that fact; a path in another unit is another fact.
  std::uint32_t id_of(std::string_view path, Unit unit);
  const Name& name(std::uint32_t id) const { return names_.at(id); }
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<Name> names_;
  std::map<std::pair<std::string, Unit>, std::uint32_t, std::less<>> ids_;
};

/// One measured rate or time of one run. Both finite and above 0.
struct FleetFact {
  std::uint32_t id = 0;
  double value = 0.0;
  double ceiling = 1.0;  ///< what the certificate bounds it by; 1 where it has no bound
};

/// A fact that the certificate found over its tolerance of the device's own pinned dossier.
struct FleetDrift {
  std::string path;
  double rel = 0.0;
};

/// One run of one GPU: <any depth>/<host>/<uuid>/<run id>/.
struct FleetRun {
  std::string folder;  ///< relative to the folder that was read
  std::string host;
  std::string run_id, created_utc;
  std::string level;
  std::string topology;  ///< "PCIe 5.0 x16, 7 peers"; "unstated" where the run does not say
  DeviceIdentity device;
  bool certified = false;  ///< there is a certificate; else the rest is unknown
  bool replay = false;
  bool provisional = false;
  Outcome verdict = Outcome::no_evidence;
  std::vector<std::string> failed;  ///< invariants that failed or had no evidence
  bool own_dossier = false;         ///< drift was judged against the same device's dossier
  std::vector<FleetDrift> drifted;
  std::vector<FleetFact> facts;  ///< by id
};

/// Something in the folder that is no evidence, and why. Never a pass.
struct FleetProblem {
  std::string kind;   ///< one of the closed list in the schema: "half file", "schema version", ...
  std::string where;  ///< a path below the folder, or a host's name
  std::string what;
};

struct FleetEvidence {
  FactNames names;
  std::vector<FleetRun> runs;  ///< by folder
  std::vector<FleetProblem> problems;
  std::size_t files = 0;  ///< certificates and dossiers that were there
};

struct ReadOptions {
  bool accept_replays = false;  ///< recorded dossiers stand for GPUs: a rehearsal, and said so
  std::string now_utc;          ///< evidence of later than five minutes after this is a problem
  std::function<void(std::size_t done, std::size_t all)> progress;
};

/// Reads certificate.json of the run in `folder`, and takes the digest of dossier.json beside it;
/// without a certificate, the dossier's identity alone. Throws DataError.
FleetRun read_fleet_run(const std::filesystem::path& folder, FactNames& names);

/// Reads every run below `dir`, in the order of their names. What cannot be read becomes a problem.
/// Throws DataError when `dir` is no readable folder.
FleetEvidence read_fleet(const std::filesystem::path& dir, const ReadOptions& options);

/// Seconds since 1970 of such a text; nullopt for anything else.
std::optional<std::int64_t> utc_seconds(std::string_view text);

}  // namespace assay
