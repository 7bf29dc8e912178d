// SPDX-License-Identifier: Apache-2.0
// How is drift said: as JSON for programs, as a table for people?
#include "dossiers/drift_text.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include <nlohmann/json.hpp>

#include "dossiers/json/json_writer.h"

namespace assay {
namespace {

std::string over_word(const DriftEntry& entry) {
  if (entry.drifted == Drifted::either) return "  OVER";
  return "  OVER, " + std::string(to_string(entry.drifted));
}

}  // namespace

std::string drift_json(const Drift& drift) {
  nlohmann::ordered_json json;
  json["entries"] = nlohmann::ordered_json::array();
  for (const DriftEntry& entry : drift.entries) {
    json["entries"].push_back({{"path", entry.path},
                               {"current", number_or_null(entry.current)},
                               {"pinned", number_or_null(entry.pinned)},
                               {"rel", number_or_null(entry.rel)},
                               {"tolerance", number_or_null(entry.tolerance)},
                               {"direction", to_string(entry.drifted)},
                               {"over", entry.over}});
  }
  json["missing"] = drift.missing;
  json["added"] = drift.added;
  json["differences"] = drift.differences;
  json["worst_rel"] = number_or_null(drift.worst_rel);
  json["over_tol"] = drift.over_tol;
  json["rel_tol"] = number_or_null(drift.rel_tol);
  json["compared"] = drift.compared;
  json["same_device"] = drift.same_device;
  json["pass"] = drift.pass;
  return json_text(json);
}

std::string drift_table(const Drift& drift) {
  std::size_t width = 4;
  for (const DriftEntry& entry : drift.entries) {
    width = std::max(width, entry.path.size());
  }
  const int column = static_cast<int>(width) + 2;
  std::ostringstream text;
  text << std::left << std::setw(column) << "path" << std::right << std::setw(12) << "current"
       << std::setw(12) << "pinned" << std::setw(10) << "rel %" << std::setw(10) << "tol %" << '\n';
  for (const DriftEntry& entry : drift.entries) {
    text << std::left << std::setw(column) << entry.path << std::right << std::setprecision(6)
         << std::defaultfloat << std::setw(12) << entry.current << std::setw(12) << entry.pinned
         << std::fixed << std::setprecision(2) << std::setw(10) << 100.0 * entry.rel
         << std::setw(10) << 100.0 * entry.tolerance << (entry.over ? over_word(entry) : "")
         << '\n';
  }
  for (const std::string& path : drift.missing) {
    text << "missing: " << path << '\n';
  }
  for (const std::string& path : drift.added) {
    text << "added: " << path << '\n';
  }
  for (const std::string& difference : drift.differences) {
    text << "unlike: " << difference << '\n';
  }
  text << (drift.pass ? "pass: " : "FAIL: ");
  if (drift.compared == 0) {
    text << "nothing compared";
  } else {
    text << drift.compared << " compared, " << drift.over_tol << " over, " << drift.missing.size()
         << " missing, worst " << std::fixed << std::setprecision(2) << 100.0 * drift.worst_rel
         << " %, against " << (drift.same_device ? "this device's pin" : "another device's pin");
  }
  text << '\n';
  return text.str();
}

}  // namespace assay
