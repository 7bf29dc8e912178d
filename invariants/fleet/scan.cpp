// SPDX-License-Identifier: Apache-2.0
// Which runs lie in a folder, and what in it is no evidence?
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <set>

#include "dossiers/json/json_reader.h"
#include "invariants/fleet/evidence.h"
#include "invariants/fleet/hosts.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kClockSlackSeconds = 300;  // hosts whose clocks nobody disciplines

/// The closed list of kinds, from what a reader said.
std::string kind_of(const std::string& what) {
  for (const char* kind : {"schema version", "half file", "duplicate"}) {
    if (what.find(kind) != std::string::npos) return kind;
  }
  return "unreadable";
}

/// Folders that hold a certificate or a dossier, sorted; what was still being written is named.
std::vector<fs::path> run_folders(const fs::path& dir, FleetEvidence& evidence) {
  std::error_code error;
  std::set<fs::path> folders;
  fs::recursive_directory_iterator walk(dir, error);
  if (error) throw DataError(dir.string() + ": " + error.message());
  for (; walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    const fs::path& path = walk->path();
    const std::string name = path.filename().string();
    if (name == "samples" || name == "evidence" || name == "verdicts") {
      walk.disable_recursion_pending();
    } else if (name == "certificate.json" || name == "dossier.json") {
      folders.insert(path.parent_path());
      ++evidence.files;
    } else if (name.find(".partial") != std::string::npos) {
      walk.disable_recursion_pending();
      evidence.problems.push_back(
          {"half file", fs::relative(path, dir).string(), "was not moved to its place"});
    }
  }
  if (error) {
    evidence.problems.push_back({"unreadable", dir.string(), error.message()});
  }
  return {folders.begin(), folders.end()};
}

/// The host's name is the third part from the end: <host>/<uuid>/<run id>.
std::string host_of(const fs::path& folder) {
  const std::vector<fs::path> parts(folder.begin(), folder.end());
  if (parts.size() < 3) {
    throw DataError("no host in the path: want <host>/<uuid>/<run id>/certificate.json");
  }
  return parts[parts.size() - 3].string();
}

void check(const FleetRun& run, const ReadOptions& options) {
  const auto now = utc_seconds(options.now_utc);
  const auto then = utc_seconds(run.created_utc);
  if (now && then && *then > *now + kClockSlackSeconds) {
    throw DataError("clock in the future: made " + run.created_utc + ", now " + options.now_utc);
  }
  if (run.replay && !options.accept_replays) {
    throw DataError("replay: it certifies no machine");
  }
}

void read_one(const fs::path& dir, const fs::path& folder, const ReadOptions& options,
              FleetEvidence& evidence) {
  const fs::path below = folder.lexically_relative(dir);
  try {
    FleetRun run = read_fleet_run(folder, evidence.names);
    run.folder = below.string();
    run.host = host_of(below);
    check(run, options);
    std::sort(run.facts.begin(), run.facts.end(),
              [](const FleetFact& a, const FleetFact& b) { return a.id < b.id; });
    run.facts.shrink_to_fit();
    evidence.runs.push_back(std::move(run));
  } catch (const DataError& error) {
    const std::string what = error.what();
    std::string kind = kind_of(what);
    if (what.starts_with("clock")) kind = "clock in the future";
    if (what.starts_with("replay")) kind = "replay";
    if (what.starts_with("no host")) kind = "no host";
    evidence.problems.push_back({kind, below.string(), what});
  }
}

void name_twins(FleetEvidence& evidence) {
  std::set<std::string> hosts;
  std::map<std::string, std::set<std::string>> places;  // of a host name: the folders it lies in
  for (const FleetRun& run : evidence.runs) {
    hosts.insert(run.host);
    places[run.host].insert(
        fs::path(run.folder).parent_path().parent_path().parent_path().string());
  }
  for (const auto& [one, other] : hosts_named_twice({hosts.begin(), hosts.end()})) {
    evidence.problems.push_back({"host named twice", one, "also stands as '" + other + "'"});
  }
  for (const auto& [host, above] : places) {
    if (above.size() < 2) continue;
    evidence.problems.push_back({"host named twice", host,
                                 "lies in " + std::to_string(above.size()) + " folders: '" +
                                     *above.begin() + "' and '" + *std::next(above.begin()) + "'"});
  }
}

}  // namespace

std::optional<std::int64_t> utc_seconds(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, used = 0;
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute,
                  &second, &used) != 6 ||
      used != static_cast<int>(copy.size()) || copy.size() != 20) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * std::int64_t{86400} +
         std::int64_t{hour} * 3600 + std::int64_t{minute} * 60 + second;
}

FleetEvidence read_fleet(const fs::path& dir, const ReadOptions& options) {
  FleetEvidence evidence;
  if (!fs::is_directory(dir)) throw DataError(dir.string() + ": is no folder");
  const std::vector<fs::path> folders = run_folders(dir, evidence);
  std::size_t done = 0;
  for (const fs::path& folder : folders) {
    if (options.progress) options.progress(done++, folders.size());
    read_one(dir, folder, options, evidence);
  }
  if (evidence.files == 0) {
    evidence.problems.push_back({"no files", ".", "holds no certificate.json and no dossier.json"});
  }
  name_twins(evidence);
  return evidence;
}

}  // namespace assay
