// SPDX-License-Identifier: Apache-2.0
// What was read of one document, to be put into another.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dossiers/json/json_reader.h"

namespace assay {

/// The node and all below it, objects in the file's order.
nlohmann::ordered_json json_copy(const JsonNode& node);

}  // namespace assay
