// SPDX-License-Identifier: Apache-2.0
// Which catalogues judge alike? Those that differ in words only.
#include <nlohmann/json.hpp>

#include "dossiers/dossier.h"
#include "invariants/catalog.h"

namespace assay {

std::string judging_digest(std::string_view catalog_text) {
  auto catalog = nlohmann::json::parse(catalog_text);  // which sorts keys
  for (const char* key : {"schema", "kind", "version"}) catalog.erase(key);
  // Any other key counts, also one that is new.
  for (nlohmann::json& entry : catalog.at("invariants")) {
    for (const char* key :
         {"title", "why", "catches", "usually", "next", "close_because", "breaks"}) {
      entry.erase(key);
    }
  }
  return sha256_hex(catalog.dump());
}

}  // namespace assay
