// SPDX-License-Identifier: Apache-2.0
// A diff for programs and for people.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "dossiers/cli/table.h"
#include "dossiers/json/json_writer.h"
#include "invariants/diff/diff.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

Json run_json(const CertifiedRun& run) {
  return {{"run_id", run.dossier.run_id},
          {"created_utc", run.dossier.created_utc},
          {"replay", run.replay},
          {"product", run.dossier.device.name},
          {"device", hashed_uuid(run.dossier.device.uuid)},
          {"driver", run.dossier.device.driver},
          {"verdict", to_string(run.verdict)}};
}

std::vector<const DriftEntry*> moved(const Drift& drift) {
  std::vector<const DriftEntry*> entries;
  for (const DriftEntry& entry : drift.entries) {
    if (entry.over) entries.push_back(&entry);
  }
  std::sort(entries.begin(), entries.end(), [](const DriftEntry* a, const DriftEntry* b) {
    const double x = std::abs(a->rel), y = std::abs(b->rel);
    return x != y ? x > y : a->path < b->path;
  });
  return entries;
}

std::string section(const std::string& title, const Table& table, bool any) {
  return any ? "\n" + title + "\n" + table.text() : "";
}

std::string run_line(const char* which, const CertifiedRun& run) {
  return std::string(which) + std::string(to_string(run.verdict)) +
         (run.replay ? " (replay)" : "") + ", " + run.dossier.device.name + ", driver " +
         (run.dossier.device.driver.empty() ? "unknown" : run.dossier.device.driver) + ", run " +
         run.dossier.run_id + "\n";
}

std::string verdicts_text(const CertificateDiff& diff) {
  Table table({"invariant", "before", "after", ""}, {1, 2, 3});
  for (const VerdictChange& change : diff.verdicts) {
    table.row({change.invariant, change.before, change.after, change.worse ? "worse" : ""});
  }
  return section("Verdicts that changed", table, !diff.verdicts.empty());
}

std::string facts_text(const CertificateDiff& diff) {
  Table table({"fact", "before", "after", "moved", "allowed", ""}, {5});
  const auto entries = moved(diff.drift);
  for (const DriftEntry* entry : entries) {
    table.row({entry->path, shortest(entry->pinned, 5), shortest(entry->current, 5),
               fixed(100.0 * entry->rel, 2) + " %", fixed(100.0 * entry->tolerance, 2) + " %",
               std::string(to_string(entry->drifted))});
  }
  std::string text = section("Facts beyond their tolerance", table, !entries.empty());
  for (const auto& [title, paths] :
       {std::pair("Gone", &diff.drift.missing), std::pair("New", &diff.drift.added)}) {
    if (paths->empty()) continue;
    text += std::string("\n") + title + ": " + std::to_string(paths->size()) + " facts:";
    constexpr std::size_t kNamed = 8;
    for (std::size_t i = 0; i < std::min(kNamed, paths->size()); ++i) text += ' ' + (*paths)[i];
    text += paths->size() > kNamed ? " ...\n" : "\n";
  }
  return text;
}

std::string conditions_text(const CertificateDiff& diff) {
  Table table({"condition", "before", "after"}, {1, 2});
  for (const ConditionChange& change : diff.conditions) {
    table.row({change.what, change.before, change.after});
  }
  return section("Conditions that changed", table, !diff.conditions.empty());
}

}  // namespace

std::string diff_json(const CertifiedRun& before, const CertifiedRun& after,
                      const CertificateDiff& diff) {
  Json json = document_head("diff", after.dossier.run_id, this_suite());
  json["worse"] = diff.worse;
  json["before"] = run_json(before);
  json["after"] = run_json(after);
  json["verdicts"] = Json::array();
  for (const VerdictChange& change : diff.verdicts) {
    json["verdicts"].push_back({{"invariant", change.invariant},
                                {"before", change.before},
                                {"after", change.after},
                                {"worse", change.worse}});
  }
  json["compared"] = diff.drift.compared;
  json["same_device"] = diff.drift.same_device;
  json["facts"] = Json::array();
  for (const DriftEntry* entry : moved(diff.drift)) {
    json["facts"].push_back({{"path", entry->path},
                             {"before", number_or_null(entry->pinned)},
                             {"after", number_or_null(entry->current)},
                             {"rel", number_or_null(entry->rel)},
                             {"tolerance", number_or_null(entry->tolerance)},
                             {"moved", to_string(entry->drifted)}});
  }
  json["gone"] = diff.drift.missing;
  json["new"] = diff.drift.added;
  json["conditions"] = Json::array();
  for (const ConditionChange& change : diff.conditions) {
    json["conditions"].push_back(
        {{"what", change.what}, {"before", change.before}, {"after", change.after}});
  }
  return json_text(json);
}

std::string diff_table(const CertifiedRun& before, const CertifiedRun& after,
                       const CertificateDiff& diff) {
  const std::size_t over = moved(diff.drift).size();
  std::string text = diff.worse ? "worse" : "no worse";
  text += ": " + std::to_string(diff.verdicts.size()) + " verdicts changed, " +
          std::to_string(over) + " of " + std::to_string(diff.drift.compared) +
          " facts beyond their tolerance, " + std::to_string(diff.conditions.size()) +
          " conditions changed\n";
  if (diff.drift.compared == 0) text += "no fact could be compared: another product or setting\n";
  return text + run_line("before   ", before) + run_line("after    ", after) + verdicts_text(diff) +
         facts_text(diff) + conditions_text(diff);
}

}  // namespace assay
