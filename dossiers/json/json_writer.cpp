// SPDX-License-Identifier: Apache-2.0
// How does a document become text that our own reader takes?
#include "dossiers/json/json_writer.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "dossiers/json/document.h"

namespace assay {

std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json number_or_null(const std::optional<double>& number) {
  if (!number || !std::isfinite(*number)) {
    return nullptr;
  }
  return *number;
}

nlohmann::ordered_json document_head(std::string_view kind, const std::string& run_id,
                                     const SuiteIdentity& suite) {
  nlohmann::ordered_json head;
  head["schema"] = kSchemaVersion;
  head["kind"] = kind;
  head["run_id"] = run_id;
  head["suite"] = {{"version", suite.version}, {"commit", suite.commit}, {"dirty", suite.dirty}};
  return head;
}

}  // namespace assay
