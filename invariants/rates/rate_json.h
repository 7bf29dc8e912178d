// SPDX-License-Identifier: Apache-2.0
// How do counts and bounds stand in a document? For .cpp files only.
#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "dossiers/json/json_reader.h"
#include "invariants/rates/power.h"
#include "invariants/rates/repeat.h"

namespace assay {

/// {"pass": 98, "inconclusive": 2}
nlohmann::ordered_json counts_json(const OutcomeCounts& counts);
OutcomeCounts read_counts(const JsonNode& node);

/// {"confidence": 0.95, "low": ..., "high": ..., "upper": ...}; null when there is none.
nlohmann::ordered_json bound_json(const std::optional<RateBound>& bound);
/// A row of the power model with the bound of its rate.
nlohmann::ordered_json to_json(const PowerRow& row);

/// Checks that the document's bound is the one of k of n. Throws DataError.
void check_bound(const JsonNode& node, std::int64_t k, std::int64_t n);

}  // namespace assay
