// SPDX-License-Identifier: Apache-2.0
#include "dossiers/schema/testing/follows_schema.h"

#include <map>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "dossiers/json/json_reader.h"

namespace assay {
namespace {

const valijson::Schema& schema_of(const std::filesystem::path& file) {
  static std::map<std::filesystem::path, valijson::Schema> read;
  const auto known = read.find(file);
  if (known != read.end()) return known->second;
  const auto text = nlohmann::json::parse(read_file(file));
  valijson::Schema& schema = read[file];
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
  return schema;
}

}  // namespace

bool follows_schema(const std::filesystem::path& schema_file, const std::string& document) {
  const auto parsed = nlohmann::json::parse(document);
  valijson::Validator validator;
  return validator.validate(schema_of(schema_file), valijson::adapters::NlohmannJsonAdapter(parsed),
                            nullptr);
}

}  // namespace assay
