// SPDX-License-Identifier: Apache-2.0
// For tests only: is a document what its schema says? One file compiles the validator for all of
// them: its templates take ten seconds each time.
#pragma once

#include <filesystem>
#include <string>

namespace assay {

/// `document` is JSON text. A schema is read once per process.
bool follows_schema(const std::filesystem::path& schema_file, const std::string& document);

/// By the schema `dossiers/schema/<kind>.schema.json`.
template <typename Json>
bool is_valid(const std::string& kind, const Json& document) {
  return follows_schema(
      std::filesystem::path(ASSAY_TEST_SOURCE_DIR "/dossiers/schema") / (kind + ".schema.json"),
      document.dump());
}

}  // namespace assay
