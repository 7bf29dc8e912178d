// SPDX-License-Identifier: Apache-2.0
// How is a document kept once it was read? One array of nodes, each knowing its line and parent.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dossiers/json/json_reader.h"

namespace assay::detail {

constexpr std::uint32_t kNoParent = 0xffffffffU;

struct JsonItem {
  JsonKind kind = JsonKind::null;
  bool flag = false;      ///< of a boolean
  bool negative = false;  ///< of an integer: `bits` is two's complement
  int line = 1;
  std::uint32_t parent = kNoParent;
  std::uint32_t position = 0;  ///< in the parent array
  std::uint64_t bits = 0;      ///< of an integer
  double real = 0.0;
  std::string key;   ///< in the parent object
  std::string text;  ///< of a string
  std::vector<std::uint32_t> children;
  std::vector<std::uint32_t> by_key;  ///< children of an object, sorted
};

struct JsonStore {
  std::string file;
  std::vector<JsonItem> items;
};

/// "entries.latency" of item `index`.
std::string path_of(const JsonStore& store, std::uint32_t index);
/// Text to store. Throws DataError.
std::shared_ptr<const JsonStore> parse_store(std::string_view text, const std::string& name);

}  // namespace assay::detail
