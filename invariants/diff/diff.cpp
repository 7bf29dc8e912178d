// SPDX-License-Identifier: Apache-2.0
// Two certified runs, side by side.
#include "invariants/diff/diff.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "dossiers/json/document.h"
#include "dossiers/json/json_reader.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr double kClockMoved = 0.01;  // less than one step of the boost clock is no news

Outcome read_outcome(const JsonNode& node) {
  const auto outcome = outcome_from(node.string());
  if (!outcome) node.fail("is no verdict");
  return *outcome;
}

/// How bad an outcome is; a waived failure is one that somebody knows.
int badness(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
    case Outcome::waived:
    case Outcome::not_applicable:
      return 0;
    case Outcome::inconclusive:
      return 1;
    case Outcome::no_evidence:
      return 2;
    case Outcome::fail:
      return 3;
  }
  return 3;
}

std::string name_of(const std::map<std::string, Outcome>& outcomes, const std::string& id) {
  const auto found = outcomes.find(id);
  return found == outcomes.end() ? "absent" : std::string(to_string(found->second));
}

std::vector<VerdictChange> compare_verdicts(const CertifiedRun& before, const CertifiedRun& after) {
  std::map<std::string, Outcome> all = before.invariants;
  all.insert(after.invariants.begin(), after.invariants.end());
  std::vector<VerdictChange> changes;
  for (const auto& [id, outcome] : all) {
    VerdictChange change{id, name_of(before.invariants, id), name_of(after.invariants, id), false};
    if (change.before == change.after) continue;
    const auto was = before.invariants.find(id), is = after.invariants.find(id);
    const int then = was == before.invariants.end() ? 0 : badness(was->second);
    // An invariant that is gone judges nothing any more.
    change.worse = is == after.invariants.end() || badness(is->second) > then;
    changes.push_back(std::move(change));
  }
  return changes;
}

std::string text_of(const std::optional<bool>& flag) {
  return !flag ? "unknown" : *flag ? "on" : "off";
}
std::string text_of(const std::optional<double>& number) {
  if (!number) return "unknown";
  std::ostringstream text;
  text.precision(4);
  text << *number;
  return text.str();
}
std::string text_of(const std::string& text) {
  return text.empty() ? "unknown" : text;
}

class Changes {
 public:
  void add(std::string what, std::string before, std::string after) {
    if (before != after) list_.push_back({std::move(what), std::move(before), std::move(after)});
  }
  std::vector<ConditionChange> take() { return std::move(list_); }

 private:
  std::vector<ConditionChange> list_;
};

void compare_identity(Changes& changes, const CertifiedRun& a, const CertifiedRun& b) {
  const DeviceIdentity &x = a.dossier.device, &y = b.dossier.device;
  changes.add("device", hashed_uuid(x.uuid), hashed_uuid(y.uuid));
  changes.add("product", x.name, y.name);
  changes.add("architecture", architecture(x), architecture(y));
  changes.add("driver", text_of(x.driver), text_of(y.driver));
  changes.add("driver's CUDA", std::to_string(x.driver_cuda), std::to_string(y.driver_cuda));
  changes.add("VBIOS", x.vbios.value_or("unknown"), y.vbios.value_or("unknown"));
  changes.add("ECC", text_of(x.ecc), text_of(y.ecc));
  changes.add("MIG", text_of(x.mig), text_of(y.mig));
  changes.add("power limit, W", text_of(x.power_limit_w), text_of(y.power_limit_w));
  changes.add("level", std::string(to_string(a.dossier.level)),
              std::string(to_string(b.dossier.level)));
  changes.add("assay", a.dossier.suite.version + " " + a.dossier.suite.commit,
              b.dossier.suite.version + " " + b.dossier.suite.commit);
  changes.add("catalogue", a.catalog_sha256.substr(0, 16), b.catalog_sha256.substr(0, 16));
}

std::string reasons_of(const Conditions& conditions) {
  std::string text;
  for (const std::string& reason : conditions.throttle_reasons) {
    text += (text.empty() ? "" : ", ") + reason;
  }
  return text.empty() ? "nothing" : text;
}

bool clock_moved(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a.has_value() != b.has_value();
  return !(std::abs(*b - *a) <= kClockMoved * *a);
}

void compare_window(Changes& changes, const std::string& probe, const Conditions& a,
                    const Conditions& b) {
  changes.add(probe + ": held back by", reasons_of(a), reasons_of(b));
  changes.add(probe + ": contended", a.contended ? "yes" : "no", b.contended ? "yes" : "no");
  if (clock_moved(a.clock_median_ghz, b.clock_median_ghz)) {
    changes.add(probe + ": SM clock, GHz", text_of(a.clock_median_ghz),
                text_of(b.clock_median_ghz));
  }
}

void compare_probes(Changes& changes, const Dossier& a, const Dossier& b) {
  for (const auto& [name, probe] : a.probes) {
    const auto other = b.probes.find(name);
    if (other == b.probes.end()) {
      changes.add(name + ": probe", std::string(to_string(probe.status)), "absent");
      continue;
    }
    changes.add(name + ": probe", std::string(to_string(probe.status)),
                std::string(to_string(other->second.status)));
    if (probe.build && other->second.build) {
      changes.add(name + ": toolkit", probe.build->toolkit, other->second.build->toolkit);
    }
    if (probe.conditions && other->second.conditions) {
      compare_window(changes, name, *probe.conditions, *other->second.conditions);
    }
  }
  for (const auto& [name, probe] : b.probes) {
    if (!a.probes.contains(name)) {
      changes.add(name + ": probe", "absent", std::string(to_string(probe.status)));
    }
  }
}

bool got_worse(const DriftEntry& entry) {
  return entry.over && entry.drifted != Drifted::better;
}

}  // namespace

CertifiedRun read_certified_run(const fs::path& file_or_folder) {
  const fs::path file =
      fs::is_directory(file_or_folder) ? file_or_folder / "certificate.json" : file_or_folder;
  const JsonNode document = read_json(file);
  CertifiedRun run;
  run.file = file.string();
  run.replay = document.at("kind").string() == "replay";
  check_schema(document, run.replay ? "replay" : "certificate");
  const JsonNode statement = document.at("statement");
  run.verdict = read_outcome(statement.at("verdict"));
  run.catalog_sha256 = statement.at("catalog").at("sha256").string();
  for (const JsonNode& item : document.at("invariants").items()) {
    run.invariants[item.at("id").text()] = read_outcome(item.at("outcome"));
  }
  const fs::path dossier = file.parent_path() / "dossier.json";
  if (sha256_hex(read_file(dossier)) != statement.at("dossier_sha256").string()) {
    throw DataError(dossier.string() + ": is not the dossier that " + file.string() +
                    " was made of");
  }
  run.dossier = read_dossier(dossier);
  return run;
}

CertificateDiff diff_certificates(const CertifiedRun& before, const CertifiedRun& after) {
  CertificateDiff diff;
  diff.before = before.verdict;
  diff.after = after.verdict;
  diff.verdicts = compare_verdicts(before, after);
  diff.drift = compare_dossiers(after.dossier, before.dossier);
  Changes changes;
  compare_identity(changes, before, after);
  compare_probes(changes, before.dossier, after.dossier);
  diff.conditions = changes.take();
  diff.worse = badness(after.verdict) > badness(before.verdict) || diff.drift.compared == 0 ||
               !diff.drift.missing.empty() ||
               std::any_of(diff.verdicts.begin(), diff.verdicts.end(),
                           [](const VerdictChange& change) { return change.worse; }) ||
               std::any_of(diff.drift.entries.begin(), diff.drift.entries.end(), got_worse);
  return diff;
}

}  // namespace assay
