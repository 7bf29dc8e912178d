// SPDX-License-Identifier: Apache-2.0
// How does the power model become a file, come back, and read to a person?
#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "dossiers/json/document.h"
#include "dossiers/json/identity_json.h"
#include "dossiers/json/json_writer.h"
#include "invariants/columns.h"
#include "invariants/rates/power.h"
#include "invariants/rates/rate_json.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

PowerRow read_row(const JsonNode& node) {
  node.reject_unknown_keys(
      {"plant", "title", "model", "pinned", "runs", "failed", "inconclusive", "rate"});
  PowerRow row;
  row.plant = node.at("plant").string();
  row.title = node.at("title").text();
  row.model = node.at("model").text();
  const std::string& tier = node.at("pinned").string();
  if (tier != to_string(PinTier::same_device) && tier != to_string(PinTier::same_product)) {
    node.at("pinned").fail("want \"same device\" or \"same product\"");
  }
  row.tier = tier == to_string(PinTier::same_device) ? PinTier::same_device : PinTier::same_product;
  row.runs = node.at("runs").integer(1);
  row.failed = node.at("failed").integer(0, row.runs);
  row.inconclusive = node.at("inconclusive").integer(0, row.runs - row.failed);
  check_bound(node.at("rate"), row.failed, row.runs);
  return row;
}

std::string percent(double ratio) {
  std::array<char, 32> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), "%.4g %%", 100.0 * ratio));
  return text.data();
}

/// A false alarm is bounded from above, the power to see a fault from below.
std::string row_text(const PowerRow& row) {
  const RateBound bound = clopper_pearson(row.failed, row.runs, kRateConfidence);
  // One-sided from below: the others are at most that.
  const double least =
      1.0 - clopper_pearson(row.runs - row.failed, row.runs, kRateConfidence).upper;
  std::string text = "  " + column(row.title, 38) + column(std::string(to_string(row.tier)), 14) +
                     column(std::to_string(row.failed) + " of " + std::to_string(row.runs), 15);
  text += row.plant.empty() ? "at most " + percent(bound.upper) : "at least " + percent(least);
  if (row.inconclusive > 0) {
    text += "; " + std::to_string(row.inconclusive) + " inconclusive";
  }
  return text + "\n";
}

}  // namespace

Json to_json(const PowerRow& row) {
  return {{"plant", row.plant},
          {"title", row.title},
          {"model", row.model},
          {"pinned", to_string(row.tier)},
          {"runs", row.runs},
          {"failed", row.failed},
          {"inconclusive", row.inconclusive},
          {"rate", bound_json(clopper_pearson(row.failed, row.runs, kRateConfidence))}};
}

std::string power_text(const PowerModel& model) {
  Json json = document_head("power", model.run_id, model.suite);
  json["subject"] = {
      {"name", model.product}, {"cc_major", model.cc_major}, {"cc_minor", model.cc_minor}};
  json["level"] = to_string(model.level);
  json["source"] = "model";
  json["judging_sha256"] = model.judging_sha256;
  json["seed"] = model.seed;
  json["facts_drawn"] = model.facts_drawn;
  json["facts_between"] = model.facts_between;
  json["rows"] = Json::array();
  for (const PowerRow& row : model.rows) json["rows"].push_back(to_json(row));
  return json_text(json);
}

PowerModel read_power(const std::filesystem::path& file) {
  const JsonNode top = read_json(file);
  check_schema(top, "power");
  top.reject_unknown_keys({"schema", "kind", "run_id", "suite", "subject", "level", "source",
                           "judging_sha256", "seed", "facts_drawn", "facts_between", "rows"});
  PowerModel model;
  model.run_id = top.at("run_id").text();
  model.suite = read_suite(top.at("suite"));
  const JsonNode subject = top.at("subject");
  subject.reject_unknown_keys({"name", "cc_major", "cc_minor"});
  model.product = subject.at("name").text();
  model.cc_major = static_cast<int>(subject.at("cc_major").integer(1, 99));
  model.cc_minor = static_cast<int>(subject.at("cc_minor").integer(0, 9));
  model.level = read_level(top.at("level"));
  if (top.at("source").string() != "model") top.at("source").fail("want \"model\"");
  model.judging_sha256 = top.at("judging_sha256").text();
  model.seed = top.at("seed").unsigned_integer();
  model.facts_drawn = top.at("facts_drawn").integer(1);
  model.facts_between = top.at("facts_between").integer(0, model.facts_drawn);
  for (const JsonNode& item : top.at("rows").items()) model.rows.push_back(read_row(item));
  if (model.rows.empty()) top.at("rows").fail("is empty, want one row or more");
  return model;
}

std::string power_table(const PowerModel& model) {
  std::string text = "MODEL, not measured: runs drawn from the samples of run " + model.run_id +
                     " on " + model.product + ", level " + std::string(to_string(model.level)) +
                     ", seed " + std::to_string(model.seed) + "\n";
  text += std::to_string(model.facts_drawn) + " facts drawn anew; of " +
          std::to_string(model.facts_between) +
          " the distance between runs was measured and added\n";
  text += "  " + column("", 38) + column("pinned", 14) + column("failed", 15) + "one-sided 95 %\n";
  for (const PowerRow& row : model.rows) text += row_text(row);
  return text;
}

}  // namespace assay
