// SPDX-License-Identifier: Apache-2.0
// What must a run of this level have measured and judged before it may be called complete?
#include "invariants/mustpass.h"

#include <algorithm>
#include <set>

#include "dossiers/json/document.h"
#include "dossiers/json/json_reader.h"
#include "invariants/plausible.h"

namespace assay {
namespace {

MustPassInvariant read_wanted(const JsonNode& node, const Catalog& catalog) {
  node.reject_unknown_keys({"id", "may_not_apply"});
  MustPassInvariant wanted{node.at("id").text(), node.at("may_not_apply").boolean()};
  if (catalog.find(wanted.id) == nullptr) {
    node.at("id").fail("is \"" + wanted.id + "\", which the catalogue does not have");
  }
  return wanted;
}

Level read_level_name(const JsonNode& node) {
  const auto level = level_from(node.string());
  if (!level) node.fail("is \"" + node.string() + "\", want \"quick\" or \"full\"");
  return *level;
}

}  // namespace

const MustPassInvariant* MustPass::find(std::string_view invariant) const {
  for (const MustPassInvariant& wanted : invariants) {
    if (wanted.id == invariant) return &wanted;
  }
  return nullptr;
}

MustPass load_mustpass(const std::filesystem::path& file, const Catalog& catalog) {
  const std::string text = read_file(file);
  const JsonNode document = parse_json(text, file.string());
  check_schema(document, "mustpass");
  document.reject_unknown_keys(
      {"schema", "kind", "id", "version", "level", "entries", "invariants"});
  MustPass mustpass;
  mustpass.id = document.at("id").text();
  mustpass.version = document.at("version").text();
  mustpass.sha256 = sha256_hex(text);
  mustpass.level = read_level_name(document.at("level"));
  std::set<std::string> paths;
  for (const JsonNode& item : document.at("entries").items()) {
    const std::string& path = item.text();
    if (catalog.probe_of(path).empty()) item.fail("is \"" + path + "\", which no probe yields");
    if (!paths.insert(path).second) item.fail("is there twice");
    if (!catalog.is_measured_at(mustpass.level, path)) {
      item.fail("is \"" + path + "\", which is measured at level full only");
    }
    mustpass.entries.push_back(path);
  }
  for (const JsonNode& item : document.at("invariants").items()) {
    MustPassInvariant wanted = read_wanted(item, catalog);
    if (mustpass.find(wanted.id) != nullptr) item.fail("\"" + wanted.id + "\" is there twice");
    mustpass.invariants.push_back(std::move(wanted));
  }
  if (mustpass.entries.empty() || mustpass.invariants.empty()) {
    document.fail("needs at least one of \"entries\" and one of \"invariants\"");
  }
  return mustpass;
}

namespace {

/// A certificate is of one GPU under one driver: of which, must be known.
void add_unknown_subject(const DeviceIdentity& device, std::vector<Gap>& missing) {
  if (device.driver.empty()) {
    missing.push_back(
        {"driver", "the driver's version is not known (no NVML?)", Outcome::inconclusive});
  }
  if (device.uuid.empty()) {
    missing.push_back({"device", "the device's UUID is not known", Outcome::inconclusive});
  }
}

}  // namespace

Completeness completeness_of(const MustPass& mustpass, const Catalog& catalog,
                             const Dossier& dossier) {
  Completeness completeness;
  for (const std::string& path : mustpass.entries) {
    Gap gap = gap_at(catalog, dossier, path);
    if (gap.outcome == Outcome::pass) continue;
    const bool skipped = gap.outcome == Outcome::not_applicable;
    (skipped ? completeness.skipped : completeness.missing).push_back(std::move(gap));
  }
  add_unknown_subject(dossier.device, completeness.missing);
  for (Gap& gap : impossible_facts(catalog, dossier)) {
    completeness.missing.push_back(std::move(gap));
  }
  const std::set<std::string> listed(mustpass.entries.begin(), mustpass.entries.end());
  for (const auto& [entry, measurement] : dossier.entries) {
    for (const auto& [key, fact] : measurement.facts) {
      const std::string path = fact_path(entry, key);
      if (!listed.contains(path)) completeness.unlisted.push_back(path);
    }
  }
  return completeness;
}

}  // namespace assay
