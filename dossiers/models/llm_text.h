// SPDX-License-Identifier: Apache-2.0
// How is a language model's ceiling said?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dossiers/models/llm.h"

namespace assay {

struct LlmRow {
  LlmDevice device;
  LlmCeiling ceiling;
  std::optional<MeasuredAgainst> measured;  ///< against the decode ceiling of all sequences
};

/// A question with its answers.
struct LlmAnswer {
  LlmModel model;
  LlmLoad load;
  std::string weights_from;           ///< "q4", "--weights"
  std::optional<double> measured;     ///< tokens a second that somebody measured
  std::optional<double> own_ceiling;  ///< tokens a second that somebody takes for the ceiling
  bool per_watt = false;
  std::vector<LlmRow> rows;
};

/// "42.52 GB = 39.600 GiB"
std::string size_text(double bytes);

/// Model, table, assumptions.
std::string llm_text(const LlmAnswer& answer);
/// The document of kind "llm".
std::string llm_json(const LlmAnswer& answer);

}  // namespace assay
