// SPDX-License-Identifier: Apache-2.0
// Which devices of a fleet are unlike their own kind, by how much, and who says so? Pure: the same
// evidence gives the same judgement in whatever order it came.
//
// Each fact is y = ln(value / ceiling). Four layers, from the nearest comparison to the farthest:
//   drift       the device against its own pinned dossier (its certificate says it)
//   host peers  the device against the others of its host
//   cohort      the device, its host or its rack against all devices of one SKU, VBIOS, driver,
//               power cap, ECC, MIG, topology and level
//   ceiling     the whole cohort against the SKU's approved dossier: what no comparison of
//               neighbours can see, such as a driver that slows every device
// A device fails when a loss is improbable (false discovery rate q over all devices and facts),
// larger than the margin below which nobody cares, and seen again in a second run.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dossiers/dossier.h"
#include "invariants/fleet/evidence.h"
#include "invariants/fleet/hosts.h"

namespace assay {

/// What one SKU's approved dossier measured, for the ceiling layer.
struct FleetReference {
  std::string product, run_id, driver;
  int cc_major = 0, cc_minor = 0;
  std::optional<bool> ecc, mig;
  std::map<std::string, double> values;  ///< measured facts by path
};
FleetReference reference_of(const Dossier& pinned);

struct FleetOptions {
  double q = 1e-3;       ///< of all alarms at most this share is false, on average
  double margin = 0.02;  ///< relative; a smaller loss is none
  /// Relative standard deviation between runs of one device, by path, from repeat.json. Facts
  /// without one have a sixth of what drift allows the same device.
  std::map<std::string, double> repeatability;
  std::vector<FleetReference> references;
  const std::map<std::string, ExpectedHost>* expected = nullptr;  ///< nullptr: nobody said
};

/// One fact of one device that is worse than its cohort's.
struct FleetFinding {
  std::string path;
  Unit unit = Unit::none;
  double value = 0.0, usual = 0.0;  ///< the device's, and what the cohort's median means for it
  double effect = 0.0;              ///< value / usual - 1
  double z = 0.0, p = 1.0;
  bool drift = false, host_peers = false;  ///< which nearer layers fired as well
  std::optional<double> before;            ///< the effect in the run before, when there is one
  bool confirmed = false;                  ///< both runs are beyond bound and margin
};
/// "drift", "host peers" or "cohort": the nearest layer that fired.
std::string_view layer_of(const FleetFinding& finding);

struct FleetGpu {
  std::size_t run = 0;   ///< the newest, in the evidence
  std::size_t runs = 1;  ///< of this device
  std::string rack;
  std::size_t cohort = 0;
  Outcome outcome = Outcome::no_evidence;
  std::string layer;                   ///< "certificate" or one of the four; empty for a pass
  std::string reason;                  ///< one sentence, empty for a pass
  bool confirm = false;                ///< a second run is asked for
  std::vector<FleetFinding> findings;  ///< the largest loss first
};

constexpr std::size_t kFleetBins = 41;

/// One fact over a cohort.
struct FleetSpread {
  std::uint32_t id = 0;
  std::size_t devices = 0;
  double median = 0.0;  ///< of the values, in the fact's unit
  double scale = 0.0;   ///< relative, robust; not below `floor`
  double floor = 0.0;   ///< the certified repeatability
  /// Devices by ln(value / median) in steps of half a `scale`, the middle bin around 0, what lies
  /// beyond in the outermost.
  std::array<std::uint32_t, kFleetBins> bins{};
  std::optional<double> reference;  ///< the approved dossier's value
  double shift = 0.0;               ///< median / reference - 1
  bool shifted = false;             ///< worse than the reference, beyond margin and chance
};

struct FleetCohort {
  std::string product, vbios, driver, power_limit, ecc, mig, topology, level;
  std::vector<std::size_t> gpus;
  bool judged = false;             ///< it has eight devices or more
  std::string reference_run;       ///< of the approved dossier; empty without one
  std::vector<FleetSpread> facts;  ///< by path
};

/// A rack or host whose middle device is worse than the cohort.
struct FleetGroup {
  std::string kind;  ///< "rack" or "host"
  std::string name, path;
  std::size_t cohort = 0, devices = 0;
  double effect = 0.0, z = 0.0;
};

struct MissingHost {
  std::string host, rack;
  std::optional<int> expected;
  int found = 0;
};

struct FleetJudgement {
  Outcome verdict = Outcome::no_evidence;
  std::string headline;
  bool rehearsal = false;      ///< some evidence is a replay: certifies no machine
  std::size_t tests = 0;       ///< (device, fact) pairs compared
  double p_bound = 0.0;        ///< the largest p-value that is an alarm; 0: none
  std::vector<FleetGpu> gpus;  ///< by host, then UUID
  std::vector<FleetCohort> cohorts;
  std::vector<FleetGroup> groups;
  std::vector<MissingHost> missing;
  std::vector<FleetProblem> problems;

  std::size_t count(Outcome outcome) const;
};

FleetJudgement judge_fleet(const FleetEvidence& evidence, const FleetOptions& options);

}  // namespace assay
