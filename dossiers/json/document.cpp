// SPDX-License-Identifier: Apache-2.0
// Can this program read this document?
#include "dossiers/json/document.h"

#include <array>
#include <charconv>
#include <optional>

namespace assay {
namespace {

using Version = std::array<int, 3>;

std::optional<Version> parse_version(std::string_view text) {
  Version version{};
  const char* at = text.data();
  const char* end = text.data() + text.size();
  for (std::size_t part = 0; part < version.size(); ++part) {
    if (part > 0 && (at == end || *at++ != '.')) {
      return std::nullopt;
    }
    const auto [next, error] = std::from_chars(at, end, version[part]);
    if (error != std::errc() || *at == '-') {
      return std::nullopt;
    }
    at = next;
  }
  return at == end ? std::optional<Version>(version) : std::nullopt;
}

}  // namespace

void check_schema(const JsonNode& document, std::string_view kind) {
  const JsonNode schema = document.at("schema");
  const std::optional<Version> theirs = parse_version(schema.string());
  if (!theirs) {
    schema.fail("is \"" + schema.string() + "\", want a version such as " +
                std::string(kSchemaVersion));
  }
  const Version ours = parse_version(kSchemaVersion).value();
  if ((*theirs)[0] != ours[0] || (*theirs)[1] > ours[1]) {
    schema.fail("is version " + schema.string() + ", this program reads " +
                std::to_string(ours[0]) + ".0 to " + std::to_string(ours[0]) + "." +
                std::to_string(ours[1]) + " (it writes " + std::string(kSchemaVersion) + ")");
  }
  const JsonNode named = document.at("kind");
  if (named.string() != kind) {
    named.fail("is \"" + named.string() + "\", want \"" + std::string(kind) + "\"");
  }
}

SuiteIdentity read_suite(const JsonNode& node) {
  node.reject_unknown_keys({"version", "commit", "dirty"});
  return {node.at("version").text(), node.at("commit").string(), node.at("dirty").boolean()};
}

std::string read_utc(const JsonNode& node) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  const std::string& text = node.string();
  bool good = text.size() == kForm.size();
  for (std::size_t i = 0; good && i < kForm.size(); ++i) {
    good = kForm[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == kForm[i];
  }
  if (!good) {
    node.fail("is \"" + text + "\", want a UTC time such as 2026-11-30T02:14:07Z");
  }
  return text;
}

}  // namespace assay
