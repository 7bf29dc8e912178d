// SPDX-License-Identifier: Apache-2.0
// How does a verdict stand in a document? For .cpp files only.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "invariants/verdict.h"

namespace assay {

nlohmann::ordered_json to_json(const Verdict& verdict);
nlohmann::ordered_json value_json(const Value& value);

}  // namespace assay
