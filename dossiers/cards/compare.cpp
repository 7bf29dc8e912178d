// SPDX-License-Identifier: Apache-2.0
// Which card for this kernel, and per dollar?
#include "dossiers/cards/compare.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "dossiers/cli/table.h"
#include "dossiers/json/document.h"
#include "dossiers/json/json_writer.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

CompareRow compare_one(const Card& card, const Compare& compare,
                       const std::map<std::string, double>& dollars) {
  CompareRow row;
  row.card = &card;
  row.bandwidth = bandwidth_gbs(card, compare.basis);
  row.peak = peak_tflops(card, compare.arithmetic, compare.basis);
  row.fp32_tflops = peak_tflops(card, Arithmetic::fp32, compare.basis).value;
  row.fp16_tflops = peak_tflops(card, Arithmetic::fp16, compare.basis).value;
  if (row.bandwidth.value && row.peak.value) {
    const Roof roof{card.name, *row.bandwidth.value, *row.peak.value};
    const Placement placement = place(roof, {"", compare.flop_per_byte, {}});
    row.ridge = ridge_flop_per_byte(roof);
    row.attainable = placement.attainable;
    row.bound = placement.bound;
  }
  const auto price = dollars.find(card.key);
  if (price != dollars.end()) row.dollars_per_hour = price->second;
  if (row.attainable && row.dollars_per_hour) {
    row.tflops_per_dollar = *row.attainable / *row.dollars_per_hour;
  }
  if (row.attainable && card.figures.tdp_w.value) {
    row.tflops_per_watt = *row.attainable / *card.figures.tdp_w.value;
  }
  return row;
}

/// The row with the largest `member`, or nullptr.
const CompareRow* best_by(const Compare& compare, std::optional<double> CompareRow::*member) {
  const CompareRow* best = nullptr;
  for (const CompareRow& row : compare.rows) {
    if (row.*member && (best == nullptr || *(row.*member) > *(best->*member))) best = &row;
  }
  return best;
}

std::string keys_bound_by(const Compare& compare, Bound bound) {
  std::string keys;
  for (const CompareRow& row : compare.rows) {
    if (row.bound == bound) keys += (keys.empty() ? "" : ", ") + row.card->key;
  }
  return keys;
}

std::string what_you_buy(const Compare& compare) {
  const std::string by_memory = keys_bound_by(compare, Bound::memory);
  const std::string by_compute = keys_bound_by(compare, Bound::compute);
  const std::string arithmetic(to_string(compare.arithmetic));
  const std::string at = "at " + shortest(compare.flop_per_byte) + " FLOP/B ";
  if (by_memory.empty() && by_compute.empty()) return at + "nothing is known of these cards";
  if (by_compute.empty()) {
    return at + "every card is memory-bound: bandwidth is what you are buying";
  }
  if (by_memory.empty()) {
    return at + "every card is compute-bound: " + arithmetic + " rate is what you are buying";
  }
  return at + by_memory + " buy bandwidth (memory-bound), " + by_compute + " buy " + arithmetic +
         " rate (compute-bound)";
}

Json peak_json(const Peak& peak) {
  Json json;
  json["value"] = number_or_null(peak.value);
  json["basis"] = peak.basis == PeakBasis::vendor ? "vendor" : "derived";
  if (!peak.value) json["why"] = peak.why;
  return json;
}

}  // namespace

Compare compare_cards(const std::vector<const Card*>& cards, double flop_per_byte,
                      Arithmetic arithmetic, PeakBasis basis,
                      const std::map<std::string, double>& dollars_per_hour) {
  Compare compare{flop_per_byte, arithmetic, basis, {}};
  for (const Card* card : cards) {
    compare.rows.push_back(compare_one(*card, compare, dollars_per_hour));
  }
  for (CompareRow& row : compare.rows) {
    const auto& first = compare.rows.front().attainable;
    if (first && row.attainable) row.against_first = *row.attainable / *first;
  }
  return compare;
}

std::string compare_verdict(const Compare& compare) {
  std::string text = what_you_buy(compare);
  if (const CompareRow* fastest = best_by(compare, &CompareRow::attainable)) {
    text += "; fastest is " + fastest->card->key + " (" + fixed(fastest->attainable, 2) +
            " TFLOP/s at best)";
  }
  if (const CompareRow* cheapest = best_by(compare, &CompareRow::tflops_per_dollar)) {
    text += ", most per dollar " + cheapest->card->key + " (" +
            fixed(cheapest->tflops_per_dollar, 2) + " TFLOP/s per $/h)";
  }
  return text;
}

std::string compare_table(const Compare& compare) {
  std::vector<std::string> head = {"card",
                                   "GB/s",
                                   "fp32 TF",
                                   "fp16 TF",
                                   "ridge",
                                   "@" + shortest(compare.flop_per_byte) + " TF",
                                   "vs " + compare.rows.front().card->key,
                                   "TF/W"};
  const bool priced = best_by(compare, &CompareRow::dollars_per_hour) != nullptr;
  if (priced) head.insert(head.end(), {"$/h", "TF per $/h"});
  head.emplace_back("bound by");
  Table table(head, {head.size() - 1});
  for (const CompareRow& row : compare.rows) {
    std::vector<std::string> cells = {row.card->key,
                                      shortest(row.bandwidth.value),
                                      shortest(row.fp32_tflops, 3),
                                      shortest(row.fp16_tflops),
                                      fixed(row.ridge, 1),
                                      fixed(row.attainable, 2),
                                      row.against_first ? fixed(row.against_first, 2) + "x" : "-",
                                      fixed(row.tflops_per_watt, 4)};
    if (priced) {
      cells.push_back(fixed(row.dollars_per_hour, 2));
      cells.push_back(fixed(row.tflops_per_dollar, 2));
    }
    cells.emplace_back(!row.bound ? "unknown: " + row.peak.why
                                  : (row.bound == Bound::memory ? "memory" : "compute"));
    table.row(cells);
  }
  return table.text();
}

std::string compare_json(const Compare& compare) {
  const SuiteIdentity& suite = this_suite();
  Json json;
  json["schema"] = kSchemaVersion;
  json["kind"] = "compare";
  json["suite"] = {{"version", suite.version}, {"commit", suite.commit}, {"dirty", suite.dirty}};
  json["flop_per_byte"] = compare.flop_per_byte;
  json["arithmetic"] = to_string(compare.arithmetic);
  json["cards"] = Json::array();
  for (const CompareRow& row : compare.rows) {
    Json one;
    one["key"] = row.card->key;
    one["name"] = row.card->name;
    one["bandwidth_gbs"] = peak_json(row.bandwidth);
    one["peak_tflops"] = peak_json(row.peak);
    one["ridge_flop_per_byte"] = number_or_null(row.ridge);
    one["attainable_tflops"] = number_or_null(row.attainable);
    one["bound"] = row.bound ? Json(to_string(*row.bound)) : Json(nullptr);
    one["against_first"] = number_or_null(row.against_first);
    one["dollars_per_hour"] = number_or_null(row.dollars_per_hour);
    one["tflops_per_dollar_hour"] = number_or_null(row.tflops_per_dollar);
    one["tflops_per_watt"] = number_or_null(row.tflops_per_watt);
    json["cards"].push_back(one);
  }
  json["verdict"] = compare_verdict(compare);
  return json_text(json);
}

}  // namespace assay
