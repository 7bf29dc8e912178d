// SPDX-License-Identifier: Apache-2.0
// What can be said of one claim, and what do several verdicts make together?
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dossiers/identity.h"
#include "dossiers/measurement.h"

namespace assay {

enum class Outcome { pass, fail, inconclusive, not_applicable, no_evidence, waived };

/// "pass", "fail", "inconclusive", "not_applicable", "no_evidence", "waived".
std::string_view to_string(Outcome outcome);
/// The outcome of that name, or nullopt: the list is closed.
std::optional<Outcome> outcome_from(std::string_view name);

/// One fact that a verdict stands on. A fact that is missing has a null value and Unit::none.
struct Input {
  std::string path;
  Value value;
  Unit units = Unit::none;
  bool operator==(const Input&) const = default;
};

/// The judgement of one invariant over one dossier.
struct Verdict {
  std::string id;  ///< the invariant's
  Outcome outcome = Outcome::no_evidence;
  std::string reason;  ///< one sentence; never empty except for a pass
  std::string claim;   ///< what was to hold, in paths: "l2_bw.read >= 1.15 x dram_bw.read"
  std::optional<double> measured;   ///< the judged quantity (a ratio, a rate, a count)
  std::optional<double> low, high;  ///< the band, inclusive
  std::optional<double>
      margin;  ///< distance to the nearest bound over that bound; negative outside
  std::vector<Input> inputs;
  bool operator==(const Verdict&) const = default;
};

/// fail > no_evidence > inconclusive > pass; waived counts as pass beside others; not_applicable
/// and waived remain only when alone. Nothing at all is no_evidence.
Outcome combine(const std::vector<Outcome>& outcomes);

/// The one place that makes exit codes of outcomes: 0 pass and waived, 1 fail and no_evidence,
/// 75 inconclusive, 77 not_applicable.
int exit_code(Outcome outcome);

/// A verdict as the step program leaves it: verdicts/<invariant id>.json.
struct VerdictFile {
  std::string run_id;
  SuiteIdentity suite;
  Verdict verdict;
};
/// The document's bytes: equal verdicts of one run give equal text.
std::string verdict_text(const VerdictFile& document);
/// Writes temp + rename, making the folder. Throws std::runtime_error on I/O failure.
void write_verdict(const VerdictFile& document, const std::filesystem::path& file);
/// Throws DataError on anything the schema does not allow.
VerdictFile read_verdict(const std::filesystem::path& file);

}  // namespace assay
