// SPDX-License-Identifier: Apache-2.0
// What would a recorded dossier be judged as today?
#include "invariants/plan/replay.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "dossiers/json/json_reader.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Other documents may be recorded beside dossiers (the stopwatch's ground truth).
bool is_dossier(const fs::path& file) {
  const auto kind = read_json(file).find("kind");
  return kind && kind->kind() == JsonKind::string && kind->string() == "dossier";
}

/// recorded/<name>.json, or recorded/<name>/dossier.json with its samples beside it.
std::vector<fs::path> recorded_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder, absent)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json" &&
        is_dossier(entry.path())) {
      files.push_back(entry.path());
    } else if (entry.is_directory() && fs::exists(entry.path() / "dossier.json")) {
      files.push_back(entry.path() / "dossier.json");
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::optional<fs::path> newest_recorded(const fs::path& share) {
  std::optional<fs::path> newest;
  std::string newest_utc;
  for (const auto& file : recorded_files(share / "recorded")) {
    const std::string utc = read_dossier(file).created_utc;
    if (!newest || utc > newest_utc) {
      newest = file;
      newest_utc = utc;
    }
  }
  return newest;
}

Certificate replay(Judging how, const fs::path& file) {
  how.options.replay = true;
  return judge(how, read_dossier(file));
}

}  // namespace assay
