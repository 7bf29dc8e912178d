// SPDX-License-Identifier: Apache-2.0
// What is one measured number, and what must travel with it?
// No JSON and no CUDA here: probes include this file from .cu sources.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dossiers/units.h"

namespace assay {

/// A typed value; monostate is JSON null: not known, and the fact's reason says why.
using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string>;

enum class Confidence { low, medium, high };

/// Why a value is null. The kind decides what the invariants that need it become.
enum class NullKind {
  contended,      ///< somebody else used the GPU in the window     -> inconclusive
  throttled,      ///< the clock was held down in the window        -> inconclusive
  unsteady,       ///< the samples spread too far                   -> inconclusive
  clock_lost,     ///< the SM clock could not be read in the window -> inconclusive
  not_supported,  ///< this device cannot have the fact             -> not_applicable
  no_code,        ///< the build has no machine code for it         -> not_applicable
  blank,          ///< the source answered "blank"                  -> inconclusive
  not_available,  ///< the source has no answer                     -> inconclusive
  out_of_range,   ///< the source's number cannot be true           -> inconclusive
  no_permission,  ///< the source refused to say                    -> inconclusive
  unstated,       ///< a reader met null without a reason           -> inconclusive
};

/// Written as "<kind>: <detail>", the kind with spaces ("not supported: no FP64 tensor cores").
struct NullReason {
  NullKind kind = NullKind::unstated;
  std::string detail;
  bool operator==(const NullReason&) const = default;
};

std::string to_string(const NullReason& reason);
/// Text without a known kind before the first colon becomes {unstated, text}.
NullReason null_reason_from(std::string_view text);

/// One fact: a number never travels without unit, method, clock, spread.
struct Fact {
  Value value;
  Unit units = Unit::none;
  std::string method;
  std::optional<double> clock_ghz;   ///< SM clock held while measuring; nullopt for stated facts
  int samples = 0;                   ///< 0: stated by the driver or derived, not measured
  std::optional<double> rel_spread;  ///< 1.4826 * MAD / median; nullopt below 3 samples
  Confidence confidence = Confidence::high;
  std::optional<NullReason> reason;  ///< present exactly when value is null
  std::vector<double> raw;           ///< the samples; a dossier keeps them in a sidecar file
};

/// A number that was measured. Throws std::invalid_argument if `value` or `clock_ghz` is not a
/// positive finite number, `method` is empty or `samples` is empty: unlabelled numbers have no way
/// in.
Fact measured(double value, Unit units, std::string method, double clock_ghz,
              std::vector<double> samples, Confidence confidence = Confidence::high);
/// Something that the driver or the build states; no clock, no samples. A number that is not finite
/// becomes null, out of range. Throws std::invalid_argument on an empty method, as all of these do.
Fact stated(Value value, Unit units, std::string method);
/// Something that follows from other facts by arithmetic; `method` names the formula.
Fact derived(double value, Unit units, std::string method, std::optional<double> clock_ghz = {});
/// A fact that could not be had.
Fact absent(Unit units, std::string method, NullReason reason);

/// One entry of a dossier ("latency"): facts by key ("l2"); a scalar entry has the one key "".
struct Measurement {
  std::map<std::string, Fact> facts;
  std::string note;
};

/// The fact at "entry" or "entry.key", or nullptr.
const Fact* find_fact(const std::map<std::string, Measurement>& entries, std::string_view path);

/// "dram_bw": lower-case letters, digits and _.
bool is_entry_name(std::string_view name);
/// "triad_4B", "gpu0>gpu1": letters, digits and _ > : . + -
bool is_fact_key(std::string_view name);

/// What a probe hands back: entries by name, filled through paths.
class Measurements {
 public:
  /// `path` is "entry" or "entry.key". Throws std::invalid_argument on a malformed path, a path
  /// that exists, or a scalar and a keyed fact in one entry.
  void add(std::string_view path, Fact fact);
  /// A remark on the whole entry; an entry that never gets a fact is not written.
  void note(std::string_view entry, std::string text);
  /// The fact at `path`, or nullptr.
  const Fact* find(std::string_view path) const;
  const std::map<std::string, Measurement>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }

 private:
  std::map<std::string, Measurement> entries_;
};

/// "latency.l2"; "fma_f32" for the one fact of a scalar entry, whose key is "".
std::string fact_path(const std::string& entry, const std::string& key);

/// A finite number for arithmetic: integers widen, anything else is nullopt.
std::optional<double> as_number(const Value& value);

/// 1.4826 * median absolute deviation / median; nullopt below 3 samples or when the median is 0.
std::optional<double> relative_spread(const std::vector<double>& samples);
/// The middle sample, or the mean of the two middle ones; nullopt when there is none or one is NaN.
std::optional<double> median(std::vector<double> samples);

}  // namespace assay
