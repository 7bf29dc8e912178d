// SPDX-License-Identifier: Apache-2.0
// What does a JSON file say, exactly? Nothing is repaired, and every refusal names file, line and
// path. All documents of the project are read through this; no JSON library is visible here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dossiers/evidence.h"

namespace assay {

/// `integer` is a literal without fraction and exponent; it never passed through a double.
enum class JsonKind { null, boolean, integer, real, string, array, object };

namespace detail {
struct JsonStore;
}

/// One value of a strictly read document; cheap to copy, keeps the document alive.
/// Every function that wants another kind than the node has throws DataError with file, line and
/// path.
class JsonNode {
 public:
  JsonNode(std::shared_ptr<const detail::JsonStore> store, std::uint32_t index)
      : store_(std::move(store)), index_(index) {}

  JsonKind kind() const;
  bool is_null() const { return kind() == JsonKind::null; }
  int line() const;
  const std::string& file() const;
  /// "entries.latency.value.l2", "probes[3]"; "top level" for the document itself.
  std::string path() const;
  /// Throws DataError "<file>:<line>: <path>: <what>"; say what is wrong and what is allowed.
  [[noreturn]] void fail(std::string_view what) const;

  bool boolean() const;
  /// An integer in [min, max]. 132.0 passes as 132; 132.9, "132" and true are refused.
  std::int64_t integer(std::int64_t min = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;
  /// A non-negative integer of up to 64 bits.
  std::uint64_t unsigned_integer() const;
  /// A finite number; integers widen.
  double number() const;
  const std::string& string() const;
  /// A string that is not empty.
  const std::string& text() const;

  std::vector<JsonNode> items() const;                            ///< of an array
  std::vector<std::pair<std::string, JsonNode>> members() const;  ///< of an object, in file order
  JsonNode at(std::string_view key) const;                        ///< a required key
  std::optional<JsonNode> find(std::string_view key) const;       ///< nullopt when absent
  std::optional<JsonNode> value(std::string_view key) const;      ///< nullopt when absent or null
  void reject_unknown_keys(std::initializer_list<std::string_view> allowed) const;
  /// The array of strings of this node.
  std::vector<std::string> strings() const;

 private:
  [[noreturn]] void fail_kind(std::string_view wanted) const;
  std::shared_ptr<const detail::JsonStore> store_;
  std::uint32_t index_;
};

/// Reads a whole document. Throws DataError when it is not strict JSON (one value, no duplicate
/// keys, no trailing commas, no NaN or Inf, numbers in range, UTF-8; a byte order mark may stand
/// before it), and also when the file cannot be read.
JsonNode read_json(const std::filesystem::path& file);
/// The same for text that came from `name`.
JsonNode parse_json(std::string_view text, const std::string& name);

/// The file's bytes. Throws DataError naming the file and the cause.
std::string read_file(const std::filesystem::path& file);

}  // namespace assay
