// SPDX-License-Identifier: Apache-2.0
// Which catalogues judge alike? Those that differ in words only.
#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <string_view>

#include "dossiers/dossier.h"
#include "dossiers/json/json_reader.h"
#include "invariants/catalog.h"

namespace assay {
namespace {

/// Keys that no verdict comes from: of the document (its entries come apart), and of an entry. Any
/// other key counts, also one that is new.
constexpr std::string_view kHead[] = {"schema", "kind", "version", "invariants"};
constexpr std::string_view kWords[] = {"title", "why",           "catches", "usually",
                                       "next",  "close_because", "breaks"};

bool is_among(std::span<const std::string_view> keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// With its length in front, so that no text can be taken for what follows it.
void append_text(std::string& out, char kind, std::string_view text) {
  out.append(1, kind).append(std::to_string(text.size())).append(1, ':').append(text);
}

void append_number(std::string& out, double number) {
  char text[32];  // the shortest that reads back as the same, at most 24 characters
  const char* end = std::to_chars(text, text + sizeof text, number).ptr;
  append_text(out, 'd', {text, end});
}

void append(std::string& out, const JsonNode& node);

/// Members by key: their order in the file says nothing.
void append_members(std::string& out, const JsonNode& object,
                    std::span<const std::string_view> without) {
  auto members = object.members();
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  out += '{';
  for (const auto& [key, value] : members) {
    if (is_among(without, key)) continue;
    append_text(out, 'k', key);
    append(out, value);
  }
  out += '}';
}

void append(std::string& out, const JsonNode& node) {
  switch (node.kind()) {
    case JsonKind::null:
      out += 'n';
      break;
    case JsonKind::boolean:
      out += node.boolean() ? 't' : 'f';
      break;
    case JsonKind::integer:
    case JsonKind::real:
      append_number(out, node.number());
      break;
    case JsonKind::string:
      append_text(out, 's', node.string());
      break;
    case JsonKind::array:
      out += '[';
      for (const JsonNode& item : node.items()) append(out, item);
      out += ']';
      break;
    case JsonKind::object:
      append_members(out, node, {});
      break;
  }
}

}  // namespace

std::string judging_digest(const JsonNode& catalog) {
  std::string rules;
  append_members(rules, catalog, kHead);
  for (const JsonNode& entry : catalog.at("invariants").items()) {
    append_members(rules, entry, kWords);
  }
  return sha256_hex(rules);
}

}  // namespace assay
