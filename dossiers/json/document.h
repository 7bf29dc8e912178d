// SPDX-License-Identifier: Apache-2.0
// What does every document of the project begin with, and which versions of it can we read?
#pragma once

#include <string>
#include <string_view>

#include "dossiers/identity.h"
#include "dossiers/json/json_reader.h"

namespace assay {

/// The version of all document schemas. Same major and a minor not above ours is read.
inline constexpr std::string_view kSchemaVersion = "1.0.0";

/// Checks `schema` and `kind`. Throws DataError naming both versions when the file's is newer.
void check_schema(const JsonNode& document, std::string_view kind);

SuiteIdentity read_suite(const JsonNode& node);

/// "2026-11-30T02:14:07Z". Throws DataError.
std::string read_utc(const JsonNode& node);

}  // namespace assay
