// SPDX-License-Identifier: Apache-2.0
// What came of judging the same healthy device again and again: how often each verdict, how far
// each fact moved from run to run, and how high the rate of false alarms may be.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dossiers/dossier.h"
#include "invariants/rates/binomial.h"
#include "invariants/verdict.h"

namespace assay {

struct Judgement;

/// How often each outcome came; none that did not.
using OutcomeCounts = std::map<Outcome, std::int64_t>;

std::int64_t count_of(const OutcomeCounts& counts, Outcome outcome);

/// One fact over the runs of a session.
struct FactSpread {
  Unit units = Unit::none;
  std::int64_t runs = 0;  ///< in which it was a measured number
  double median = 0.0, low = 0.0, high = 0.0;
  std::optional<double> robust_cv;  ///< 1.4826 x MAD / median; nullopt below 3 runs, median 0
};

/// A run whose certificate failed or had no evidence: on a healthy device a false alarm.
struct RunFailure {
  std::string run_id;
  Outcome verdict = Outcome::fail;
  std::vector<std::string> invariants;  ///< that failed or had no evidence
};

/// One `assay certify --repeat`: one device, one sitting.
struct RepeatSession {
  std::string id;      ///< as run ids are made
  std::string device;  ///< hashed UUID
  std::string driver;
  std::string started_utc, ended_utc;
  std::int64_t asked = 0, ran = 0;  ///< runs that came to a verdict, of those asked for;
                                    ///< fewer when it was interrupted
  OutcomeCounts verdicts;           ///< of the certificates
  std::map<std::string, OutcomeCounts> invariants;  ///< by id
  std::map<std::string, FactSpread> facts;          ///< by path
  std::vector<RunFailure> failures;
};

/// Sessions that may be counted together: one suite, product, level and catalogue.
struct Repeat {
  SuiteIdentity suite;
  std::string product;
  int cc_major = 0, cc_minor = 0;
  Level level = Level::quick;
  bool replay = false;  ///< of one recorded dossier: says only that judging is deterministic
  std::string judging_sha256;
  std::vector<RepeatSession> sessions;
  /// How the paths of facts begin that are measured otherwise since the runs were counted: what
  /// those moved by says nothing of today's. Written by hand, with a maintainer's review.
  std::vector<std::string> outdated_facts;

  /// What the fact moved by in each session that has it; none for an outdated one.
  std::vector<FactSpread> spreads_of(std::string_view path) const;
};

/// What all sessions say together.
struct RepeatTotals {
  std::int64_t runs = 0;
  std::int64_t decided = 0;  ///< runs that were neither inconclusive nor not applicable
  std::int64_t failed = 0;   ///< of those: fail or no evidence
  OutcomeCounts verdicts;
  std::map<std::string, OutcomeCounts> invariants;
  std::optional<RateBound> bound;  ///< of failed among decided; nullopt for a replay
};
RepeatTotals totals_of(const Repeat& repeat);

/// Counts the runs of one session. Keeps one number for each fact and run.
class RepeatTally {
 public:
  explicit RepeatTally(RepeatSession begun) : session_(std::move(begun)) {}
  void add(const Judgement& judgement, const Dossier& dossier);
  /// A run that left no dossier, say because the GPU could not be had.
  void add(Outcome verdict);
  RepeatSession session() const;

 private:
  RepeatSession session_;
  std::map<std::string, Unit> units_;
  std::map<std::string, std::vector<double>> values_;
};

/// What runs of that device are counted with, without a session yet.
Repeat repeat_of(const SuiteIdentity& suite, const DeviceIdentity& device, Level level,
                 const std::string& judging_sha256, bool replay);
/// Why the two cannot be counted together, naming what differs; empty when they can.
std::string why_apart(const Repeat& a, const Repeat& b);
/// Adds `more`'s sessions; one that is there already (by id) is not counted twice. Throws DataError
/// by why_apart.
void merge(Repeat& into, const Repeat& more);

/// The document repeat.json: canonical.
std::string repeat_text(const Repeat& repeat);
/// Throws DataError on anything the schema does not allow, and on totals that are not the
/// sessions'.
Repeat read_repeat(const std::filesystem::path& file);

/// Tables for a person: verdicts, the rate's bound, invariants that did not always pass, facts that
/// moved most. Ends with a newline.
std::string repeat_table(const Repeat& repeat);
/// "0 of 98 (at most 3.0 %, one-sided 95 %)".
std::string rate_text(std::int64_t k, std::int64_t n);

}  // namespace assay
