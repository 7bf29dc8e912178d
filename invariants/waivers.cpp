// SPDX-License-Identifier: Apache-2.0
// Which failures are known, accepted for a while, and by whom?
#include "invariants/waivers.h"

#include <algorithm>
#include <charconv>

#include "dossiers/json/document.h"
#include "dossiers/json/json_reader.h"
#include "invariants/pinned.h"

namespace assay {
namespace {

/// "580.159.04" to its numbers; nullopt when it is no dotted version.
std::optional<std::vector<int>> version_of(std::string_view text) {
  std::vector<int> parts;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int part = 0;
    const auto [next, error] = std::from_chars(at, end, part);
    if (error != std::errc() || part < 0) return std::nullopt;
    parts.push_back(part);
    if (next == end) return parts;
    if (*next != '.') return std::nullopt;
    at = next + 1;
  }
}

std::string read_version(const JsonNode& node) {
  if (!version_of(node.text())) {
    node.fail("is \"" + node.text() + "\", want a version such as 580.159.04");
  }
  return node.text();
}

std::string read_date(const JsonNode& node) {
  constexpr std::string_view kForm = "0000-00-00";
  const std::string& text = node.string();
  bool good = text.size() == kForm.size();
  for (std::size_t i = 0; good && i < kForm.size(); ++i) {
    good = kForm[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == kForm[i];
  }
  const std::string month = good ? text.substr(5, 2) : "";
  const std::string day = good ? text.substr(8, 2) : "";
  if (!good || month < "01" || month > "12" || day < "01" || day > "31") {
    node.fail("is \"" + text + "\", want a date such as 2027-03-31");
  }
  return text;
}

void read_device(const JsonNode& node, Waiver& waiver) {
  node.reject_unknown_keys({"uuid", "name"});
  const auto uuid = node.find("uuid");
  const auto name = node.find("name");
  if (uuid.has_value() == name.has_value()) node.fail("needs one of \"uuid\" and \"name\"");
  if (name) waiver.device_name = name->text();
  if (!uuid) return;
  waiver.device_uuid = uuid->text();
  constexpr std::string_view kPrefix = "sha256:";
  constexpr std::size_t kDigits = 16;
  if (!waiver.device_uuid.starts_with(kPrefix) ||
      waiver.device_uuid.size() != kPrefix.size() + kDigits) {
    uuid->fail("want \"sha256:\" and the first 16 hex digits, as redacted dossiers have it");
  }
}

Waiver read_waiver(const JsonNode& node, const Catalog& catalog) {
  node.reject_unknown_keys({"id", "invariant", "device", "driver", "issue", "author", "expires"});
  Waiver waiver;
  waiver.id = node.at("id").text();
  waiver.invariant = node.at("invariant").text();
  if (catalog.find(waiver.invariant) == nullptr) {
    node.at("invariant").fail("is \"" + waiver.invariant + "\", which the catalogue does not have");
  }
  read_device(node.at("device"), waiver);
  const JsonNode driver = node.at("driver");
  driver.reject_unknown_keys({"min", "max"});
  waiver.driver_min = read_version(driver.at("min"));
  waiver.driver_max = read_version(driver.at("max"));
  if (*version_of(waiver.driver_max) < *version_of(waiver.driver_min)) {
    driver.fail("\"max\" is below \"min\"");
  }
  waiver.issue = node.at("issue").text();
  waiver.author = node.at("author").text();
  waiver.expires = read_date(node.at("expires"));
  return waiver;
}

bool covers(const Waiver& waiver, const DeviceIdentity& device) {
  if (!waiver.device_name.empty() && waiver.device_name != device.name) return false;
  if (!waiver.device_uuid.empty() && waiver.device_uuid != device_hash(device.uuid)) return false;
  const auto driver = version_of(device.driver);
  return driver && *driver >= *version_of(waiver.driver_min) &&
         *driver <= *version_of(waiver.driver_max);
}

/// "2026-11-29T..." of the run against the last day: dates of this form compare as text.
bool is_expired(const Waiver& waiver, const Dossier& dossier) {
  const std::string day = dossier.created_utc.substr(0, waiver.expires.size());
  return !(day.size() == waiver.expires.size() && day <= waiver.expires);
}

}  // namespace

std::vector<Waiver> load_waivers(const std::filesystem::path& file, const Catalog& catalog) {
  const JsonNode document = read_json(file);
  check_schema(document, "waivers");
  document.reject_unknown_keys({"schema", "kind", "waivers"});
  std::vector<Waiver> waivers;
  for (const JsonNode& item : document.at("waivers").items()) {
    Waiver waiver = read_waiver(item, catalog);
    for (const Waiver& other : waivers) {
      if (other.id == waiver.id) item.at("id").fail("is there twice");
    }
    waivers.push_back(std::move(waiver));
  }
  return waivers;
}

std::optional<WaiverUse> apply_waivers(const std::vector<Waiver>& waivers, const Dossier& dossier,
                                       Verdict& verdict) {
  if (verdict.outcome != Outcome::fail) return std::nullopt;
  std::optional<WaiverUse> expired;
  for (const Waiver& waiver : waivers) {
    if (waiver.invariant != verdict.id || !covers(waiver, dossier.device)) continue;
    WaiverUse use{waiver.id,     waiver.invariant, waiver.issue,
                  waiver.author, waiver.expires,   is_expired(waiver, dossier)};
    if (use.expired) {
      expired = use;
      continue;
    }
    verdict.outcome = Outcome::waived;
    verdict.reason += "; waived by " + use.id + " until " + use.expires + " (" + use.issue + ")";
    return use;
  }
  if (expired) verdict.reason += "; the waiver " + expired->id + " expired on " + expired->expires;
  return expired;
}

}  // namespace assay
