// SPDX-License-Identifier: Apache-2.0
// How does a verdict become a file and come back?
#include <nlohmann/json.hpp>

#include "dossiers/dossier.h"
#include "dossiers/json/document.h"
#include "dossiers/json/json_reader.h"
#include "dossiers/json/json_writer.h"
#include "invariants/verdict_json.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

Value read_value(const JsonNode& node) {
  switch (node.kind()) {
    case JsonKind::null:
      return {};
    case JsonKind::boolean:
      return node.boolean();
    case JsonKind::integer:
      return node.integer();
    case JsonKind::real:
      return node.number();
    case JsonKind::string:
      return node.string();
    case JsonKind::array:
    case JsonKind::object:
      break;
  }
  node.fail("want a number, a text, true, false or null");
}

Input read_input(const JsonNode& node) {
  node.reject_unknown_keys({"path", "value", "units"});
  Input input{node.at("path").text(), read_value(node.at("value")), Unit::none};
  const auto units = unit_from(node.at("units").string());
  if (!units) node.at("units").fail("is no known unit");
  input.units = *units;
  return input;
}

std::optional<double> read_number(const JsonNode& node) {
  return node.is_null() ? std::nullopt : std::optional<double>(node.number());
}

Verdict verdict_from(const JsonNode& node) {
  Verdict verdict;
  verdict.id = node.at("id").text();
  const JsonNode named = node.at("outcome");
  const auto outcome = outcome_from(named.string());
  if (!outcome) {
    named.fail("want pass, fail, inconclusive, not_applicable, no_evidence or waived");
  }
  verdict.outcome = *outcome;
  verdict.reason = node.at("reason").string();
  if (verdict.reason.empty() && verdict.outcome != Outcome::pass) {
    node.at("reason").fail("is empty; only a pass needs none");
  }
  verdict.claim = node.at("claim").text();
  verdict.measured = read_number(node.at("measured"));
  verdict.low = read_number(node.at("low"));
  verdict.high = read_number(node.at("high"));
  verdict.margin = read_number(node.at("margin"));
  for (const JsonNode& item : node.at("inputs").items()) verdict.inputs.push_back(read_input(item));
  return verdict;
}

}  // namespace

Json value_json(const Value& value) {
  return std::visit(
      [](const auto& held) -> Json {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Held, double>) {
          return number_or_null(held);
        } else {
          return held;
        }
      },
      value);
}

Json to_json(const Verdict& verdict) {
  Json json;
  json["id"] = verdict.id;
  json["outcome"] = to_string(verdict.outcome);
  json["reason"] = verdict.reason;
  json["claim"] = verdict.claim;
  json["measured"] = number_or_null(verdict.measured);
  json["low"] = number_or_null(verdict.low);
  json["high"] = number_or_null(verdict.high);
  json["margin"] = number_or_null(verdict.margin);
  json["inputs"] = Json::array();
  for (const Input& input : verdict.inputs) {
    json["inputs"].push_back({{"path", input.path},
                              {"value", value_json(input.value)},
                              {"units", to_string(input.units)}});
  }
  return json;
}

std::string verdict_text(const VerdictFile& document) {
  Json json = document_head("verdict", document.run_id, document.suite);
  json.update(to_json(document.verdict));
  return json_text(json);
}

void write_verdict(const VerdictFile& document, const std::filesystem::path& file) {
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
  // A run writes hundreds of them, and each follows from the dossier, which is synced.
  write_file_atomically(file, verdict_text(document), Sync::later);
}

VerdictFile read_verdict(const std::filesystem::path& file) {
  const JsonNode top = read_json(file);
  check_schema(top, "verdict");
  top.reject_unknown_keys({"schema", "kind", "run_id", "suite", "id", "outcome", "reason", "claim",
                           "measured", "low", "high", "margin", "inputs"});
  return {top.at("run_id").text(), read_suite(top.at("suite")), verdict_from(top)};
}

}  // namespace assay
