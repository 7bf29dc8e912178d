// SPDX-License-Identifier: Apache-2.0
// How does an entry with its facts stand in a document? For .cpp files only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dossiers/json/json_reader.h"
#include "dossiers/measurement.h"

namespace assay {

using Entries = std::map<std::string, Measurement>;

/// Entries by name; those without facts are left out. A value that cannot be written (not finite,
/// negative where that is impossible, a broken count) becomes null with its reason.
nlohmann::ordered_json entries_json(const Entries& entries, bool with_raw);
/// The raw samples of an entry by key, or an array for a scalar entry; null when there are none.
nlohmann::ordered_json raw_json(const Measurement& entry);

/// A scalar as it stands: integers stay integers of 64 bits. Throws DataError for anything nested.
Value read_scalar(const JsonNode& node);
/// Reads entries, with `raw` where the document holds it inline. Throws DataError.
Entries read_entries(const JsonNode& node);
/// Reads raw samples into the entry's facts; each must have as many as its `samples` says.
void read_raw(const JsonNode& node, Measurement& entry);

}  // namespace assay
