// SPDX-License-Identifier: Apache-2.0
// Where are the catalogue, the lists and the pinned dossiers that this program judges by?
#include "invariants/share.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace assay {
namespace {

bool holds_rules(const std::filesystem::path& dir) {
  return std::filesystem::is_regular_file(dir / "catalog.json");
}

}  // namespace

std::filesystem::path share_dir(const std::filesystem::path& override_dir) {
  std::vector<std::filesystem::path> places;
  if (!override_dir.empty()) {
    places = {override_dir};
  } else {
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    const std::filesystem::path dir = program.parent_path();
    // A program lies in bin/, libexec/assay/ or libexec/assay/probes/ of a build or install tree.
    for (const char* up : {"..", "../..", "../../.."}) {
      places.push_back((dir / up / "share" / "assay").lexically_normal());
    }
  }
  std::string tried;
  for (const std::filesystem::path& place : places) {
    if (holds_rules(place)) return place;
    tried += (tried.empty() ? "" : ", ") + place.string();
  }
  throw std::runtime_error("no catalog.json in " + tried + "; name its folder with --share DIR");
}

Rules load_rules(const std::filesystem::path& share, Level level) {
  Rules rules;
  rules.catalog = load_catalog(share / "catalog.json");
  const std::string list = std::string(to_string(level)) + ".json";
  rules.mustpass = load_mustpass(share / "mustpass" / list, rules.catalog);
  if (rules.mustpass.level != level) {
    throw DataError((share / "mustpass" / list).string() + ":1: level: is not " +
                    std::string(to_string(level)));
  }
  rules.waivers = load_waivers(share / "waivers.json", rules.catalog);
  rules.figures = read_figures(share / "rates");
  return rules;
}

std::filesystem::path pinned_dir(const std::filesystem::path& share) {
  return share / "pinned";
}

}  // namespace assay
