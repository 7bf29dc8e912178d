// SPDX-License-Identifier: Apache-2.0
#include "dossiers/json/json_copy.h"

#include <nlohmann/json.hpp>

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json json_copy(const JsonNode& node) {
  switch (node.kind()) {
    case JsonKind::null:
      return nullptr;
    case JsonKind::boolean:
      return node.boolean();
    case JsonKind::integer:
      return node.integer();
    case JsonKind::real:
      return node.number();
    case JsonKind::string:
      return node.string();
    case JsonKind::array: {
      Json array = Json::array();
      for (const JsonNode& item : node.items()) array.push_back(json_copy(item));
      return array;
    }
    case JsonKind::object:
      break;
  }
  Json object = Json::object();
  for (const auto& [key, value] : node.members()) object[key] = json_copy(value);
  return object;
}

}  // namespace assay
