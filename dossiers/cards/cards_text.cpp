// SPDX-License-Identifier: Apache-2.0
// How are cards said?
#include "dossiers/cards/cards_text.h"

#include <nlohmann/json.hpp>

#include "dossiers/cli/table.h"
#include "dossiers/json/document.h"
#include "dossiers/json/json_writer.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

std::string sure_text(Confidence sure) {
  return sure == Confidence::high ? "high" : (sure == Confidence::medium ? "medium" : "low");
}

/// What follows from the other figures, for those that do.
std::optional<double> derived_figure(const Card& card, std::string_view name) {
  if (name == "bandwidth_gbs") return derived_bandwidth_gbs(card);
  if (name == "fp32_tflops") return derived_tflops(card, Arithmetic::fp32);
  if (name == "fp16_f16_tflops") return derived_tflops(card, Arithmetic::fp16_f16);
  if (name == "fp16_f32_tflops") return derived_tflops(card, Arithmetic::fp16);
  if (name == "bf16_f32_tflops") return derived_tflops(card, Arithmetic::bf16);
  if (name == "tf32_f32_tflops") return derived_tflops(card, Arithmetic::tf32);
  return std::nullopt;
}

Json document(std::string_view kind) {
  const SuiteIdentity& suite = this_suite();
  Json json;
  json["schema"] = kSchemaVersion;
  json["kind"] = kind;
  json["suite"] = {{"version", suite.version}, {"commit", suite.commit}, {"dirty", suite.dirty}};
  return json;
}

Json figures_json(const Card& card) {
  Json json = Json::object();
  for (const FigureField& field : kFigureFields) {
    const Figure& figure = card.figures.*field.member;
    Json one;
    one["value"] = number_or_null(figure.value);
    one["units"] = field.units;
    if (figure.from) one["from"] = to_string(*figure.from);
    if (!figure.why.empty()) one["why"] = figure.why;
    if (const auto derived = derived_figure(card, field.name)) one["derived"] = *derived;
    json[std::string(field.name)] = one;
  }
  return json;
}

}  // namespace

std::string cards_table(const CardList& list) {
  Table table(
      {"key", "name", "arch", "SM/CU", "MHz", "GiB", "GB/s", "fp32 TF", "bf16 TF", "W", "sure"},
      {1, 2, 10});
  for (const Card& card : list.cards) {
    const CardFigures& figures = card.figures;
    table.row({card.key, card.name, card.arch, shortest(figures.units.value),
               shortest(figures.boost_mhz.value), shortest(figures.memory_gib.value),
               shortest(figures.bandwidth_gbs.value), shortest(figures.fp32_tflops.value),
               shortest(figures.bf16_f32_tflops.value), shortest(figures.tdp_w.value),
               sure_text(card.sure)});
  }
  return table.text() + std::to_string(list.cards.size()) +
         " cards; peaks dense, as the vendor states them, FP32 accumulation\n";
}

std::string card_table(const Card& card) {
  std::string text = card.name + "  (" + card.key + ", " + card.vendor + ", " + card.arch + ")\n";
  Table table({"figure", "value", "units", "from", "derived", "off", "why"}, {2, 3, 6});
  for (const FigureField& field : kFigureFields) {
    const Figure& figure = card.figures.*field.member;
    const auto derived = derived_figure(card, field.name);
    const auto off = derived_off(derived, figure);
    table.row({std::string(field.name), figure.value ? shortest(figure.value, 6) : "unknown",
               std::string(field.units), figure.from ? std::string(to_string(*figure.from)) : "",
               derived ? shortest(derived, 5) : "",
               off ? (*off < 0.0 ? "" : "+") + fixed(100.0 * *off, 1) + " %" : "", figure.why});
  }
  text += table.text();
  for (const std::string& name : card.driver_names) text += "driver name: " + name + "\n";
  text += "memory: " + card.memory_type + (card.inline_ecc ? ", inline ECC" : "") +
          (card.unified_memory ? ", unified with the host" : "") + "\n";
  if (!card.note.empty()) text += "note: " + card.note + "\n";
  return text + "source: " + card.source + " (sure: " + sure_text(card.sure) + ")\n";
}

std::string cards_json(const std::vector<const Card*>& cards) {
  Json json = document("cards_view");
  json["cards"] = Json::array();
  for (const Card* card : cards) {
    Json one;
    one["key"] = card->key;
    one["name"] = card->name;
    one["vendor"] = card->vendor;
    one["arch"] = card->arch;
    one["aliases"] = card->aliases;
    one["driver_names"] = card->driver_names;
    one["memory_type"] = card->memory_type;
    one["inline_ecc"] = card->inline_ecc;
    one["unified_memory"] = card->unified_memory;
    one["source"] = card->source;
    one["sure"] = sure_text(card->sure);
    if (!card->note.empty()) one["note"] = card->note;
    one["figures"] = figures_json(*card);
    json["cards"].push_back(one);
  }
  return json_text(json);
}

std::string match_text(const CardMatch& match, const std::string& driver_name) {
  if (match.card != nullptr) return match.card->key + "  " + match.card->name + "\n";
  std::string text = "unknown: '" + driver_name + "': " + match.why;
  for (std::size_t i = 0; i < match.nearest.size(); ++i) {
    text += (i == 0 ? "; similar but not it: " : ", ") + match.nearest[i];
  }
  return text + "\n";
}

std::string match_json(const CardMatch& match, const std::string& driver_name) {
  Json json = document("card_match");
  json["driver_name"] = driver_name;
  json["card"] = match.card != nullptr ? Json(match.card->key) : Json(nullptr);
  if (match.card == nullptr) json["why"] = match.why;
  if (match.card == nullptr) json["similar"] = match.nearest;
  return json_text(json);
}

std::string lint_text(const std::vector<LintFinding>& findings, std::size_t cards) {
  std::string text;
  for (const LintFinding& finding : findings) {
    text += finding.card + ": " + finding.figure + ": " + finding.what + "\n";
  }
  return text + (findings.empty() ? "pass: " : "FAIL: ") + std::to_string(cards) + " cards, " +
         std::to_string(findings.size()) + " wrong\n";
}

std::string lint_json(const std::vector<LintFinding>& findings, std::size_t cards) {
  Json json = document("cards_lint");
  json["pass"] = findings.empty();
  json["cards"] = cards;
  json["findings"] = Json::array();
  for (const LintFinding& finding : findings) {
    json["findings"].push_back(
        {{"card", finding.card}, {"figure", finding.figure}, {"what", finding.what}});
  }
  return json_text(json);
}

}  // namespace assay
