// SPDX-License-Identifier: Apache-2.0
// One run, read as a stream: a certificate holds a quarter of a megabyte, a fleet needs a tenth of
// it.
#include <cmath>
#include <fstream>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "dossiers/dossier.h"
#include "dossiers/drift.h"
#include "dossiers/json/document.h"
#include "dossiers/json/json_reader.h"
#include "invariants/fleet/evidence.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Rates, times and ratios that were measured: what a fleet can compare on a logarithmic scale.
bool is_compared(Unit unit) {
  return better_way(unit) != 0 || unit == Unit::ratio;
}

/// What a certificate says of one fact, until its object ends.
struct FactBeingRead {
  std::optional<double> value, ceiling;
  std::optional<Unit> unit;
  std::int64_t samples = 0;
};

/// Takes what a fleet needs out of a certificate while it passes. Refuses by throwing std::string.
class CertificateStream : public nlohmann::json_sax<nlohmann::json> {
 public:
  CertificateStream(FleetRun& run, FactNames& names) : run_(run), names_(names) {}

  std::string dossier_sha256, kind;
  std::optional<double> link_generation, link_width;
  std::int64_t peers = 0;

  bool null() override { return true; }
  bool boolean(bool flag) override {
    if (at("statement", "provisional")) run_.provisional = flag;
    if (at("subject", "ecc")) run_.device.ecc = flag;
    if (at("subject", "mig")) run_.device.mig = flag;
    if (at("drift", "same_device")) run_.own_dossier = flag;
    return true;
  }
  bool number_integer(std::int64_t number) override { return any(static_cast<double>(number)); }
  bool number_unsigned(std::uint64_t number) override { return any(static_cast<double>(number)); }
  bool number_float(double number, const std::string&) override { return any(number); }
  bool binary(binary_t&) override { return false; }
  bool string(std::string& text) override;
  bool key(std::string& name) override;
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return true;
  }
  bool end_object() override;
  bool start_array(std::size_t) override {
    keys_.emplace_back();
    return true;
  }
  bool end_array() override {
    keys_.pop_back();
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception&) override {
    throw DataError("half file or no JSON: stops at byte " + std::to_string(byte));
  }
  bool has(const std::string& name) const { return seen_.contains(name); }

 private:
  bool at(std::string_view section, std::string_view name) const {
    return keys_.size() == 2 && keys_[0] == section && keys_[1] == name;
  }
  bool any(double number);
  void take_fact();
  void take_text(const std::string& text);

  FleetRun& run_;
  FactNames& names_;
  std::vector<std::string> keys_;
  std::set<std::string> seen_;  ///< keys of the document and of its sections
  std::set<std::uint32_t> facts_;
  FactBeingRead fact_;
  FleetDrift drift_;
  std::string invariant_;
};

bool CertificateStream::key(std::string& name) {
  keys_.back() = name;
  const bool section = keys_.size() == 2 && keys_[0] != "conditions";
  if (keys_.size() == 1 || section) {
    const std::string whole = keys_.size() == 1 ? name : keys_[0] + '.' + name;
    if (!seen_.insert(whole).second) throw DataError("duplicate key '" + whole + "'");
  }
  if (keys_.size() == 2 && keys_[0] == "facts") fact_ = {};
  return true;
}

bool CertificateStream::end_object() {
  keys_.pop_back();
  if (keys_.size() == 2 && keys_[0] == "facts") take_fact();
  if (keys_.size() == 3 && keys_[0] == "drift" && keys_[1] == "over") {
    run_.drifted.push_back(std::exchange(drift_, {}));
  }
  return true;
}

bool CertificateStream::any(double number) {
  if (at("subject", "cc_major")) run_.device.cc_major = static_cast<int>(number);
  if (at("subject", "cc_minor")) run_.device.cc_minor = static_cast<int>(number);
  if (at("subject", "power_limit_w")) run_.device.power_limit_w = number;
  if (keys_.size() == 3 && keys_[0] == "facts") {
    if (keys_[2] == "value") fact_.value = number;
    if (keys_[2] == "ceiling") fact_.ceiling = number;
    if (keys_[2] == "samples") fact_.samples = static_cast<std::int64_t>(number);
  }
  if (keys_.size() == 4 && keys_[1] == "over" && keys_[3] == "rel") drift_.rel = number;
  return true;
}

void CertificateStream::take_fact() {
  const std::string& path = keys_[1];
  if (path == "transfer_bw.link_generation") link_generation = fact_.value;
  if (path == "transfer_bw.link_width") link_width = fact_.value;
  if (path.starts_with("peer_read.") && fact_.value) ++peers;
  if (!fact_.unit) throw DataError("facts." + path + ": has no known unit");
  const bool usable = fact_.value && std::isfinite(*fact_.value) && *fact_.value > 0.0;
  if (!usable || fact_.samples < 1 || !is_compared(*fact_.unit)) return;
  const bool bounded = fact_.ceiling && std::isfinite(*fact_.ceiling) && *fact_.ceiling > 0.0;
  run_.facts.push_back(
      {names_.id_of(path, *fact_.unit), *fact_.value, bounded ? *fact_.ceiling : 1.0});
}

bool CertificateStream::string(std::string& text) {
  take_text(text);
  if (keys_.size() == 3 && keys_[0] == "facts" && keys_[2] == "units") fact_.unit = unit_from(text);
  if (keys_.size() == 3 && keys_[0] == "invariants") {
    if (keys_[2] == "id") invariant_ = text;
    if (keys_[2] == "outcome" && (text == "fail" || text == "no_evidence")) {
      run_.failed.push_back(invariant_);
    }
  }
  if (keys_.size() == 4 && keys_[1] == "over" && keys_[3] == "path") drift_.path = text;
  return true;
}

void CertificateStream::take_text(const std::string& text) {
  if (keys_.size() == 1) {
    if (keys_[0] == "kind") kind = text;
    if (keys_[0] == "run_id") run_.run_id = text;
    if (keys_[0] == "created_utc") run_.created_utc = text;
    if (keys_[0] == "schema" && text != kSchemaVersion) {
      throw DataError("schema version " + text + "; this program reads " +
                      std::string(kSchemaVersion));
    }
  }
  if (at("statement", "dossier_sha256")) dossier_sha256 = text;
  if (at("statement", "level")) run_.level = text;
  if (at("statement", "verdict")) {
    const auto verdict = outcome_from(text);
    if (!verdict) throw DataError("statement.verdict: '" + text + "' is no verdict");
    run_.verdict = *verdict;
  }
  if (at("subject", "uuid")) run_.device.uuid = text;
  if (at("subject", "name")) run_.device.name = text;
  if (at("subject", "driver")) run_.device.driver = text;
  if (at("subject", "vbios")) run_.device.vbios = text;
}

std::string topology_of(const CertificateStream& stream) {
  if (!stream.link_generation || !stream.link_width) return "unstated";
  std::string text = "PCIe " + std::to_string(static_cast<int>(*stream.link_generation)) + " x" +
                     std::to_string(static_cast<int>(*stream.link_width));
  if (stream.peers > 0) text += ", " + std::to_string(stream.peers) + " peers";
  return text;
}

void require_whole(const CertificateStream& stream, const FleetRun& run) {
  for (const char* key : {"schema", "kind", "run_id", "created_utc", "statement", "subject",
                          "facts", "invariants", "seal", "statement.verdict", "statement.level",
                          "statement.dossier_sha256", "subject.uuid", "subject.name"}) {
    if (!stream.has(key)) throw DataError(std::string("half file: '") + key + "' is missing");
  }
  if (stream.kind != "certificate" && stream.kind != "replay") {
    throw DataError("kind '" + stream.kind + "'; want certificate or replay");
  }
  if (run.device.uuid.empty() || run.run_id.empty() || !utc_seconds(run.created_utc)) {
    throw DataError("uuid, run_id or created_utc says nothing");
  }
}

void read_certificate(const fs::path& file, FleetRun& run, FactNames& names) {
  const std::string text = read_file(file);
  CertificateStream stream(run, names);
  nlohmann::json::sax_parse(text, &stream);
  require_whole(stream, run);
  run.certified = true;
  run.replay = stream.kind == "replay";
  run.topology = topology_of(stream);
  const fs::path dossier = file.parent_path() / "dossier.json";
  if (!fs::exists(dossier)) throw DataError("half file: no dossier.json beside it");
  if (sha256_hex(read_file(dossier)) != stream.dossier_sha256) {
    throw DataError("half file: dossier.json beside it is not the one that was certified");
  }
}

}  // namespace

std::uint32_t FactNames::id_of(std::string_view path, Unit unit) {
  const auto next = static_cast<std::uint32_t>(names_.size());
  const auto [known, fresh] = ids_.emplace(std::pair(std::string(path), unit), next);
  if (fresh) names_.push_back({std::string(path), unit});
  return known->second;
}

FleetRun read_fleet_run(const fs::path& folder, FactNames& names) {
  FleetRun run;
  const fs::path certificate = folder / "certificate.json";
  if (fs::exists(certificate)) {
    try {
      read_certificate(certificate, run, names);
    } catch (const DataError& error) {
      throw DataError("certificate.json: " + std::string(error.what()));
    }
    return run;
  }
  const Dossier dossier = read_dossier(folder / "dossier.json");
  run.run_id = dossier.run_id;
  run.created_utc = dossier.created_utc;
  run.level = to_string(dossier.level);
  run.device = dossier.device;
  run.topology = "unstated";
  return run;
}

}  // namespace assay
