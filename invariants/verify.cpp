// SPDX-License-Identifier: Apache-2.0
// Is a certificate still what was sealed, and does its evidence still say the same?
#include <nlohmann/json.hpp>

#include "dossiers/json/json_reader.h"
#include "invariants/certificate.h"
#include "invariants/seal.h"

namespace assay {
namespace {

constexpr std::size_t kDifferencesShown = 5;

/// What the certificate claims about its own making; enough to make it again.
struct Claimed {
  JudgeOptions options;
  std::string catalog_sha256, mustpass_sha256, pinned_sha256;
};

Claimed read_claimed(const JsonNode& top) {
  Claimed claimed;
  const JsonNode kind = top.at("kind");
  if (kind.string() != "certificate" && kind.string() != "replay") {
    kind.fail("is \"" + kind.string() + "\", want \"certificate\" or \"replay\"");
  }
  claimed.options.replay = kind.string() == "replay";
  const JsonNode statement = top.at("statement");
  claimed.options.bootstrap = statement.at("provisional").boolean();
  claimed.catalog_sha256 = statement.at("catalog").at("sha256").string();
  claimed.mustpass_sha256 = statement.at("mustpass").at("sha256").string();
  if (const auto drift = top.value("drift")) {
    claimed.pinned_sha256 = drift->at("pinned").at("sha256").string();
  }
  return claimed;
}

std::string check_seal(const JsonNode& top, const std::string& text) {
  const JsonNode seal = top.at("seal");
  seal.reject_unknown_keys({"algorithm", "digest"});
  if (seal.at("algorithm").string() != "sha256") return "seal.algorithm: want \"sha256\"";
  const std::string digest = seal_digest(text);
  if (seal.at("digest").string() == digest) return {};
  return "seal: the digest is " + seal.at("digest").string() + ", the document's is " + digest;
}

Dossier read_evidence_beside(const std::filesystem::path& folder,
                             std::vector<std::string>& problems) {
  const std::filesystem::path file = folder / "dossier.json";
  Dossier dossier = read_dossier(file);
  try {
    if (std::filesystem::is_directory(folder / "samples")) read_dossier(file, true);
  } catch (const DataError& error) {
    problems.push_back(std::string("raw samples: ") + error.what());
  }
  try {
    const bool has_run = std::filesystem::is_regular_file(folder / "run.json");
    if (has_run && !dossier.redacted && dossier_text(merge_run(folder)) != dossier_text(dossier)) {
      problems.emplace_back("dossier.json is not what the evidence of the run merges to");
    }
  } catch (const std::exception& error) {
    problems.push_back(std::string("evidence of the run: ") + error.what());
  }
  return dossier;
}

std::optional<PinnedDossier> find_by_digest(const std::string& sha256, const Dossier& dossier,
                                            const std::vector<std::filesystem::path>& folders) {
  for (const std::filesystem::path& folder : folders) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (!entry.is_regular_file() || entry.path().extension() != ".json") continue;
      if (sha256_hex(read_file(entry.path())) == sha256) return read_pinned(entry.path(), dossier);
    }
  }
  return std::nullopt;
}

std::string below(const std::string& path, const std::string& key) {
  return path + "/" + key;
}

/// Adds what differs below `path`, at most a few: the first ones name the fault.
void compare(const nlohmann::json& found, const nlohmann::json& expected, const std::string& path,
             std::vector<std::string>& problems) {
  if (problems.size() >= kDifferencesShown || found == expected) return;
  if (found.is_object() && expected.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      const auto mine = found.find(key);
      compare(mine == found.end() ? nlohmann::json() : *mine, value, below(path, key), problems);
    }
    for (const auto& [key, value] : found.items()) {
      if (!expected.contains(key)) compare(value, nlohmann::json(), below(path, key), problems);
    }
    return;
  }
  if (found.is_array() && expected.is_array() && found.size() == expected.size()) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      compare(found[i], expected[i], below(path, std::to_string(i)), problems);
    }
    return;
  }
  problems.push_back(path + ": is " + found.dump() + ", judging again gives " + expected.dump());
}

/// What differs, by JSON pointer.
std::vector<std::string> differences(const std::string& found, const std::string& expected) {
  std::vector<std::string> problems;
  compare(nlohmann::json::parse(found), nlohmann::json::parse(expected), "", problems);
  if (problems.empty()) problems.emplace_back("the bytes differ from the canonical form");
  return problems;
}

void judge_again(const std::string& text, const Claimed& claimed, const Rules& rules,
                 const Dossier& dossier, const PinnedDossier* pinned,
                 std::vector<std::string>& problems) {
  if (claimed.catalog_sha256 != rules.catalog.sha256) {
    problems.push_back("made with another catalogue, " + claimed.catalog_sha256 + "; this one is " +
                       rules.catalog.sha256);
  }
  if (claimed.mustpass_sha256 != rules.mustpass.sha256) {
    problems.push_back("made with another must-pass list, " + claimed.mustpass_sha256 +
                       "; this one is " + rules.mustpass.sha256);
  }
  const std::string expected =
      certificate_text(make_certificate(rules, dossier, pinned, claimed.options));
  if (expected == text) return;
  const std::vector<std::string> different = differences(text, expected);
  problems.insert(problems.end(), different.begin(), different.end());
}

}  // namespace

std::vector<std::string> verify_certificate_text(const std::string& text, const std::string& name,
                                                 const Rules& rules, const Dossier& dossier,
                                                 const PinnedDossier* pinned) {
  const JsonNode top = parse_json(text, name);
  const Claimed claimed = read_claimed(top);
  std::vector<std::string> problems;
  if (std::string seal = check_seal(top, text); !seal.empty()) problems.push_back(std::move(seal));
  if (!claimed.pinned_sha256.empty() &&
      (pinned == nullptr || pinned->sha256 != claimed.pinned_sha256)) {
    problems.push_back("the pinned dossier " + claimed.pinned_sha256 + " is not here");
    return problems;
  }
  const PinnedDossier* used = claimed.pinned_sha256.empty() ? nullptr : pinned;
  judge_again(text, claimed, rules, dossier, used, problems);
  return problems;
}

std::vector<std::string> verify_certificate(const std::filesystem::path& file,
                                            const std::filesystem::path& share,
                                            const std::filesystem::path& pinned) {
  const std::string text = read_file(file);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::vector<std::string> problems;
  const Dossier dossier = read_evidence_beside(folder, problems);
  const Rules rules = load_rules(share, dossier.level);
  const std::string wanted = read_claimed(parse_json(text, file.string())).pinned_sha256;
  std::optional<PinnedDossier> pin;
  if (!wanted.empty()) pin = find_by_digest(wanted, dossier, {folder, pinned});
  const std::vector<std::string> found =
      verify_certificate_text(text, file.string(), rules, dossier, pin ? &*pin : nullptr);
  problems.insert(problems.end(), found.begin(), found.end());
  return problems;
}

}  // namespace assay
