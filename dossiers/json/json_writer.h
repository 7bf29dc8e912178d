// SPDX-License-Identifier: Apache-2.0
// How is a document written? Canonically: fixed key order, shortest round-trip numbers, no NaN.
// For .cpp files that include <nlohmann/json.hpp>; never reachable from a .cu.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "dossiers/identity.h"

namespace assay {

/// Two-space indent, bytes that are not UTF-8 replaced by U+FFFD, one trailing newline.
std::string json_text(const nlohmann::ordered_json& document);

/// The number, or null when it is not finite or not there.
nlohmann::ordered_json number_or_null(const std::optional<double>& number);

/// `schema`, `kind`, `run_id` and `suite`: the keys that every document begins with.
nlohmann::ordered_json document_head(std::string_view kind, const std::string& run_id,
                                     const SuiteIdentity& suite);

}  // namespace assay
