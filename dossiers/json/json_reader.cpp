// SPDX-License-Identifier: Apache-2.0
// Is this node what the caller wants, and if not, where is it and what would be allowed?
#include "dossiers/json/json_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <system_error>

#include "dossiers/json/json_store.h"

namespace assay {
namespace {

std::string_view name_of(JsonKind kind) {
  switch (kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return "true or false";
    case JsonKind::integer:
    case JsonKind::real:
      return "a number";
    case JsonKind::string:
      return "a string";
    case JsonKind::array:
      return "an array";
    case JsonKind::object:
      return "an object";
  }
  return "unknown";
}

}  // namespace

JsonKind JsonNode::kind() const {
  return store_->items[index_].kind;
}
int JsonNode::line() const {
  return store_->items[index_].line;
}
const std::string& JsonNode::file() const {
  return store_->file;
}
std::string JsonNode::path() const {
  return detail::path_of(*store_, index_);
}

void JsonNode::fail(std::string_view what) const {
  throw DataError(file() + ":" + std::to_string(line()) + ": " + path() + ": " + std::string(what));
}

void JsonNode::fail_kind(std::string_view wanted) const {
  fail("is " + std::string(name_of(kind())) + ", want " + std::string(wanted));
}

bool JsonNode::boolean() const {
  if (kind() != JsonKind::boolean) {
    fail_kind("true or false");
  }
  return store_->items[index_].flag;
}

std::int64_t JsonNode::integer(std::int64_t min, std::int64_t max) const {
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it a double is not an integer
  const detail::JsonItem& item = store_->items[index_];
  std::int64_t result = 0;
  if (item.kind == JsonKind::integer) {
    if (!item.negative && item.bits > static_cast<std::uint64_t>(max < 0 ? 0 : max)) {
      fail("is " + std::to_string(item.bits) + ", want at most " + std::to_string(max));
    }
    result = static_cast<std::int64_t>(item.bits);
  } else if (item.kind == JsonKind::real) {
    if (!(std::abs(item.real) <= kExact) || std::trunc(item.real) != item.real) {
      fail("is not an integer, want a whole number");
    }
    result = static_cast<std::int64_t>(item.real);
  } else {
    fail("is " + std::string(name_of(kind())) + ", not a number; want an integer");
  }
  if (result < min || result > max) {
    const std::string said = std::to_string(result) + (result < 0 && min == 0 ? " (negative)" : "");
    fail("is " + said + ", want " + std::to_string(min) + " to " + std::to_string(max));
  }
  return result;
}

std::uint64_t JsonNode::unsigned_integer() const {
  const detail::JsonItem& item = store_->items[index_];
  if (item.kind == JsonKind::integer && !item.negative) {
    return item.bits;
  }
  return static_cast<std::uint64_t>(integer(0));
}

double JsonNode::number() const {
  const detail::JsonItem& item = store_->items[index_];
  if (item.kind == JsonKind::real) {
    return item.real;
  }
  if (item.kind != JsonKind::integer) {
    fail("is " + std::string(name_of(kind())) + ", not a number; want a number");
  }
  return item.negative ? static_cast<double>(static_cast<std::int64_t>(item.bits))
                       : static_cast<double>(item.bits);
}

const std::string& JsonNode::string() const {
  if (kind() != JsonKind::string) {
    fail_kind("a string");
  }
  return store_->items[index_].text;
}

const std::string& JsonNode::text() const {
  if (string().empty()) {
    fail("is empty, want text");
  }
  return string();
}

std::vector<JsonNode> JsonNode::items() const {
  if (kind() != JsonKind::array) {
    fail_kind("an array");
  }
  std::vector<JsonNode> result;
  result.reserve(store_->items[index_].children.size());
  for (const std::uint32_t child : store_->items[index_].children) {
    result.emplace_back(store_, child);
  }
  return result;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  if (kind() != JsonKind::object) {
    fail_kind("an object");
  }
  std::vector<std::pair<std::string, JsonNode>> result;
  result.reserve(store_->items[index_].children.size());
  for (const std::uint32_t child : store_->items[index_].children) {
    result.emplace_back(store_->items[child].key, JsonNode(store_, child));
  }
  return result;
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  if (kind() != JsonKind::object) {
    fail_kind("an object");
  }
  const std::vector<std::uint32_t>& sorted = store_->items[index_].by_key;
  const auto found = std::lower_bound(
      sorted.begin(), sorted.end(), key,
      [this](std::uint32_t child, std::string_view k) { return store_->items[child].key < k; });
  if (found == sorted.end() || store_->items[*found].key != key) {
    return std::nullopt;
  }
  return JsonNode(store_, *found);
}

std::optional<JsonNode> JsonNode::value(std::string_view key) const {
  std::optional<JsonNode> node = find(key);
  return node && node->is_null() ? std::nullopt : node;
}

JsonNode JsonNode::at(std::string_view key) const {
  std::optional<JsonNode> node = find(key);
  if (!node) {
    fail("has no key \"" + std::string(key) + "\", which is required");
  }
  return *node;
}

void JsonNode::reject_unknown_keys(std::initializer_list<std::string_view> allowed) const {
  if (kind() != JsonKind::object) {
    fail_kind("an object");
  }
  for (const std::uint32_t child : store_->items[index_].children) {
    const std::string& key = store_->items[child].key;
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      std::string list;
      for (const std::string_view name : allowed) {
        list += (list.empty() ? "" : ", ") + std::string(name);
      }
      JsonNode(store_, child).fail("unknown key, want one of: " + list);
    }
  }
}

std::vector<std::string> JsonNode::strings() const {
  std::vector<std::string> result;
  for (const JsonNode& item : items()) {
    result.push_back(item.string());
  }
  return result;
}

JsonNode parse_json(std::string_view text, const std::string& name) {
  return {detail::parse_store(text, name), 0};
}

JsonNode read_json(const std::filesystem::path& file) {
  return parse_json(read_file(file), file.string());
}

std::string read_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw DataError(file.string() + ": cannot be read: is a folder, want a file");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw DataError(file.string() + ": cannot be read: " + std::strerror(errno));
  }
  std::string text;
  std::array<char, 65536> part;
  while (in.read(part.data(), part.size()) || in.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) {
    throw DataError(file.string() + ": cannot be read: " + std::strerror(errno));
  }
  return text;
}

}  // namespace assay
