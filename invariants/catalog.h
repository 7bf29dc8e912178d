// SPDX-License-Identifier: Apache-2.0
// Which claims must hold over a dossier, where do they apply, and which edits must break them?
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dossiers/evidence.h"
#include "invariants/verdict.h"

namespace assay {

enum class CheckKind { descending, ratio, range, ceiling, equals, curve, agree, drift };
std::string_view to_string(CheckKind kind);
std::optional<CheckKind> check_kind_from(std::string_view name);

/// A product name matches a pattern when the pattern is in it as whole words ("H20" is not in
/// "NVIDIA H200"); a trailing '*' lets the last word go on ("GTX 16*").
bool name_matches(std::string_view product, std::string_view pattern);

/// The limits of a quantity, for some devices. Empty `cc` means every compute capability.
struct Band {
  std::vector<std::string> cc;         ///< "9.0"
  std::vector<std::string> names;      ///< only products that match one of them
  std::vector<std::string> not_names;  ///< no product that matches one of them
  std::optional<double> low, high;     ///< inclusive; at least one is set
  std::vector<double> nominal;         ///< range only: per path, what 1.0 of the band stands for
};

/// A quantity: the product of `over` by `times`, divided by the product of `under`.
struct Term {
  std::vector<std::string> over, under;
  double times = 1.0;
};

/// An exact claim: the integer at `path` is `value`, or the integer at `fact`.
struct Equality {
  std::string path;
  std::optional<std::int64_t> value;  ///< of a flag: 0 or 1
  bool flag = false;                  ///< the fact must be true or false, not a number
  std::string fact;
};

/// What is claimed. Which members are used depends on the kind; the others stay empty.
struct Check {
  CheckKind kind = CheckKind::range;
  std::vector<std::string> paths;    ///< descending, range, ceiling, curve, agree
  std::vector<double> margins;       ///< descending: one per step
  std::vector<Term> terms;           ///< ratio
  std::vector<Band> bands;           ///< ratio, range
  std::string ceiling;               ///< ceiling: the path that bounds the others
  double tolerance = 1.0;            ///< ceiling: value <= tolerance x ceiling
  std::vector<Equality> equalities;  ///< equals
  double slack = 0.0;                ///< curve: how far a step may fall, relative
  double min_gain = 1.0;             ///< curve: last over first, at least
  double rel = 0.0;                  ///< agree: distance from the median, relative, at most
  std::string entry;                 ///< drift: the one entry compared; empty: all of them
};

/// Where an invariant applies; all that is given must hold.
struct Applies {
  std::optional<int> min_cc;           ///< 80 for 8.0
  std::vector<std::string> cc;         ///< "9.0"
  std::vector<std::string> has;        ///< "tensor_cores", "full_device", "ecc"
  std::vector<std::string> not_names;  ///< products that are another thing under the same cc
};

enum class EditKind { move, scale, swap, drop, null, spread, set, confidence, contended, device };

/// One change to a dossier.
struct Edit {
  EditKind kind = EditKind::drop;
  std::string path;     ///< the fact; for contended the probe; empty for set and device
  std::string other;    ///< swap: the other fact
  bool inside = false;  ///< move: to inside the bound instead of past it
  bool low = false;     ///< move: the low bound instead of the high one
  double by = 0.0;      ///< move: distance from the bound over the bound; scale: factor;
                        ///< spread: the new rel_spread
  std::map<std::string, Value> to;  ///< set: values by path; device: "cc", "name", "mig"
  std::string text;                 ///< null: the reason; confidence: "low", "medium", "high"
};

/// A mutant: an edit of a sound dossier and the exact outcome it must give.
struct Break {
  std::string name;
  Edit edit;
  bool waived = false;  ///< judged with a waiver for the invariant in force
  Outcome expect = Outcome::fail;
};

struct Invariant {
  std::string id;  ///< dotted lowercase: "latency.order"
  std::string title, why, catches;
  std::string usually;        ///< what most often breaks it
  std::string next;           ///< what to do then: retry, reseat, drain, vendor
  std::string close_because;  ///< why a healthy device measures near the band; empty: it does not
  std::vector<std::string> probes;
  Check check;
  std::optional<double> max_spread = 0.05;  ///< nullopt: the spread is not asked for
  Applies applies;
  std::vector<Break> breaks;
};

struct Catalog {
  std::string version;
  std::string sha256;  ///< of the file's bytes
  /// Of all that a verdict can come from: without the words that explain entries and the edits that
  /// try them. Error rates hold for it.
  std::string judging_sha256;
  std::map<std::string, std::vector<std::string>> facts;  ///< probe -> path patterns it yields
  std::map<std::string, Unit> units;   ///< path pattern -> the unit of what it names
  std::vector<std::string> full_only;  ///< patterns of paths that level quick does not measure
  std::vector<Invariant> invariants;   ///< in the file's order

  /// nullptr when there is none of that id.
  const Invariant* find(std::string_view id) const;
  /// The probe that yields `path`; empty when none does.
  std::string probe_of(std::string_view path) const;
  /// The unit that the fact at `path` has: that of the longest pattern; nullopt when none fits.
  std::optional<Unit> unit_of(std::string_view path) const;
  /// Whether a run of that level measures the path.
  bool is_measured_at(Level level, std::string_view path) const;
};

/// Reads and checks a catalogue. Throws DataError (file, line, path, what is allowed) on unknown
/// keys, kinds, probes or paths, duplicate ids, empty `breaks`, and entries without an edit just
/// outside, one just inside and one that takes evidence away.
Catalog load_catalog(const std::filesystem::path& file);

/// Catalog::judging_sha256 of a catalogue's text, which load_catalog has found good.
std::string judging_digest(std::string_view catalog_text);

/// Every path that the check reads, once each, in order; empty for drift.
std::vector<std::string> paths_of(const Check& check);

}  // namespace assay
