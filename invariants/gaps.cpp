// SPDX-License-Identifier: Apache-2.0
// Why can a fact not be used, and what does that make of who needs it?
#include <string>

#include "invariants/evaluate.h"
#include "invariants/mustpass.h"

namespace assay {
namespace {

/// A fact that is not in the dossier: the record of the probe that should have yielded it says why.
Gap gap_of_record(const std::string& path, const std::string& probe, const ProbeRecord* record) {
  if (record == nullptr) {
    return {path, path + " is missing: no record of the probe " + probe, Outcome::no_evidence};
  }
  switch (record->status) {
    case ProbeStatus::not_applicable:
      return {path, probe + ": " + record->reason, Outcome::not_applicable};
    case ProbeStatus::inconclusive:
      return {path, probe + ": " + record->reason, Outcome::inconclusive};
    case ProbeStatus::failed:
      return {path, "probe " + probe + " failed: " + how_it_ended(*record), Outcome::no_evidence};
    case ProbeStatus::measured:
      break;
  }
  return {path, path + " is missing from the evidence of " + probe, Outcome::no_evidence};
}

}  // namespace

Outcome outcome_of(NullKind kind) {
  switch (kind) {
    case NullKind::not_supported:
    case NullKind::no_code:
      return Outcome::not_applicable;
    case NullKind::contended:
    case NullKind::throttled:
    case NullKind::unsteady:
    case NullKind::clock_lost:
    case NullKind::blank:
    case NullKind::not_available:
    case NullKind::out_of_range:
    case NullKind::no_permission:
    case NullKind::unstated:
      break;
  }
  return Outcome::inconclusive;
}

std::string how_it_ended(const ProbeRecord& record) {
  std::string text;
  if (record.timed_out) {
    text = "timed out";
  } else if (record.signal) {
    text = "signal " + std::to_string(*record.signal);
  } else if (record.exit_code) {
    text = "exit status " + std::to_string(*record.exit_code);
  } else {
    text = "left no exit record";
  }
  if (!record.reason.empty()) text += ", " + record.reason;
  const std::string& tail = record.stderr_tail;
  const std::size_t end = tail.find_last_not_of("\r\n ");
  if (end == std::string::npos) return text;
  const std::size_t line = tail.find_last_of('\n', end);
  const std::size_t begin = line == std::string::npos ? 0 : line + 1;
  return text + ", stderr ends \"" + tail.substr(begin, end + 1 - begin) + "\"";
}

Gap gap_at(const Catalog& catalog, const Dossier& dossier, const std::string& path) {
  const std::string probe = catalog.probe_of(path);
  const auto record = dossier.probes.find(probe);
  const bool known = record != dossier.probes.end();
  const Fact* fact = dossier.find(path);
  // What a probe left behind before it failed proves nothing.
  const bool failed = known && record->second.status == ProbeStatus::failed;
  if (fact == nullptr && !catalog.is_measured_at(dossier.level, path)) {
    return {path, path + " is measured at level full only", Outcome::not_applicable};
  }
  if (fact == nullptr || failed) {
    return gap_of_record(path, probe, known ? &record->second : nullptr);
  }
  if (std::holds_alternative<std::monostate>(fact->value)) {
    const NullReason reason = fact->reason.value_or(NullReason{NullKind::unstated, "no reason"});
    return {path, path + ": " + to_string(reason), outcome_of(reason.kind)};
  }
  return {path, "", Outcome::pass};
}

}  // namespace assay
