// SPDX-License-Identifier: Apache-2.0
// The parts of the catalogue's reader that know one kind of object each.
#pragma once

#include "dossiers/json/json_reader.h"
#include "invariants/catalog.h"

namespace assay::detail {

/// All throw DataError at the node that is wrong.
Check read_check(const JsonNode& node);
std::vector<Break> read_breaks(const JsonNode& node, const Check& check);
/// A path of the dossier that some probe yields.
std::string read_path(const JsonNode& node);
/// A finite number above zero.
double read_positive(const JsonNode& node);
/// Strings that are not empty, at least one.
std::vector<std::string> read_names(const JsonNode& node);
/// Compute capabilities such as "9.0", at least one.
std::vector<std::string> read_ccs(const JsonNode& node);

}  // namespace assay::detail
