// SPDX-License-Identifier: Apache-2.0
// How is a language model's ceiling said?
#include "dossiers/models/llm_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "dossiers/cli/table.h"
#include "dossiers/json/document.h"
#include "dossiers/json/json_writer.h"
#include "dossiers/models/prefixes.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> over(std::optional<double> bytes, double unit) {
  return bytes ? std::optional<double>(*bytes / unit) : std::nullopt;
}

std::string model_text(const LlmAnswer& answer) {
  const LlmModel& model = answer.model;
  std::string text = "weights: " + shortest(model.parameters / kGiga, 5) + "e9 parameters, " +
                     shortest(model.bits_per_weight) + " bits each (" + answer.weights_from +
                     "): " + size_text(weight_bytes(model)) + "\n";
  if (model.active < model.parameters) {
    text += "active per token: " + shortest(model.active / kGiga, 5) + "e9 parameters";
    if (model.experts) {
      text += ", " + std::to_string(model.experts->used) + " of " +
              std::to_string(model.experts->total) + " experts; a step of " +
              std::to_string(answer.load.batch) + " tokens is expected to read " +
              shortest(parameters_read(model, answer.load.batch) / kGiga, 5) + "e9";
    }
    text += "\n";
  }
  if (model.kv) {
    const KvShape& kv = *model.kv;
    const double one = kv_bytes_per_token(kv);
    text += "KV cache: " + fixed(one, 0) + " B per token (2 x " + std::to_string(kv.layers) +
            " layers x " + std::to_string(kv.kv_heads) + " KV heads x " +
            std::to_string(kv.head_dim) + " x " + shortest(kv.bits) + " bits), " +
            std::to_string(answer.load.batch) + " x " + fixed(answer.load.context, 0) +
            " tokens: " + size_text(one * answer.load.context * answer.load.batch) + "\n";
  } else {
    text += "KV cache: not counted (give --layers, --kv-heads, --head-dim and --context)\n";
  }
  return text + "read per decode step: " + size_text(answer.rows.front().ceiling.step_bytes) + "\n";
}

bool any_price(const LlmAnswer& answer) {
  return std::any_of(answer.rows.begin(), answer.rows.end(),
                     [](const LlmRow& row) { return row.device.dollars_per_hour.has_value(); });
}

std::string percent_text(const std::optional<MeasuredAgainst>& measured) {
  if (!measured) return "";
  return fixed(measured->percent, 1) + " %" + (measured->above ? " ABOVE" : "");
}

std::vector<std::string> cells_of(const LlmAnswer& answer, const LlmRow& row, bool priced) {
  const LlmCeiling& ceiling = row.ceiling;
  const bool rated = ceiling.fits != Fits::no;  // a rate of what does not fit is no ceiling
  const auto rate = [rated](std::optional<double> value) {
    return rated ? shortest(value) : std::string("-");
  };
  std::vector<std::string> cells = {
      row.device.name,
      ceiling.memory_bytes ? fixed(over(ceiling.memory_bytes, kGibi), 2) : "unknown",
      std::string(to_string(ceiling.fits)),
      fixed(over(ceiling.left_bytes, kGibi), 3),
      rate(ceiling.decode_tokens),
      rate(ceiling.stream_tokens),
      rate(ceiling.prefill_tokens),
      !rated || !ceiling.decode_tokens ? "-" : (ceiling.compute_bound ? "compute" : "memory")};
  if (priced) {
    cells.push_back(fixed(row.device.dollars_per_hour, 2));
    cells.push_back(rate(ceiling.tokens_per_dollar));
    cells.push_back(rate(ceiling.dollars_per_million));
  }
  if (answer.per_watt) cells.push_back(rate(ceiling.tokens_per_watt));
  if (answer.measured) cells.push_back(percent_text(row.measured));
  return cells;
}

std::string rows_text(const LlmAnswer& answer) {
  const bool priced = any_price(answer);
  std::vector<std::string> head = {"card",         "GiB",        "fits",          "left GiB",
                                   "decode tok/s", "each tok/s", "prefill tok/s", "decode by"};
  if (priced) head.insert(head.end(), {"$/h", "tok/s per $/h", "$ per 1e6 tok"});
  if (answer.per_watt) head.emplace_back("tok/s per W");
  if (answer.measured) head.emplace_back("measured");
  Table table(head, {2});
  for (const LlmRow& row : answer.rows) table.row(cells_of(answer, row, priced));
  return table.text();
}

/// Verdicts that a table cannot hold: unknown memory, measurements above ceilings.
std::string remarks(const LlmAnswer& answer) {
  std::string text;
  for (const LlmRow& row : answer.rows) {
    if (row.ceiling.fits == Fits::unknown) {
      text += row.device.name + ": memory unknown: " + row.device.memory_why +
              "; give it with --memory\n";
    }
    if (!row.device.tflops) {
      text += row.device.name + ": prefill unknown: " + row.device.tflops_basis + "\n";
    }
    if (row.measured && row.measured->above) {
      text += row.device.name + ": measurement above ceiling: " + shortest(answer.measured) +
              " tok/s measured, " +
              shortest(answer.own_ceiling ? answer.own_ceiling : row.ceiling.decode_tokens) +
              " tok/s is the most: one of them is wrong\n";
    } else if (row.measured && row.measured->percent) {
      text += row.device.name + ": measured " + shortest(answer.measured) + " tok/s is " +
              fixed(row.measured->percent, 1) + " % of the ceiling: consistent\n";
    }
  }
  return text;
}

std::string assumptions(const LlmAnswer& answer) {
  std::string text = "assumed: ceilings, not predictions; each step reads the weights once and ";
  text += answer.model.kv ? "the whole cache" : "no cache";
  text +=
      "; 2 FLOP per active parameter and token, attention's own left out; no speculative "
      "decoding;\n  " +
      size_text(answer.load.overhead_bytes) + " kept free on each device (--overhead)";
  if (answer.load.devices > 1) {
    text += "; " + std::to_string(answer.load.devices) + " devices add up without loss";
  }
  if (answer.model.active < answer.model.parameters && !answer.model.experts &&
      answer.load.batch > 1) {
    text += "; experts not given, so the batch shares the same ones (--experts says how many)";
  }
  const std::string& basis = answer.rows.front().device.tflops_basis;
  return text + (answer.rows.front().device.tflops ? "; prefill at " + basis : "") + "\n";
}

Json row_json(const LlmRow& row) {
  const LlmCeiling& ceiling = row.ceiling;
  Json json;
  json["device"] = row.device.name;
  json["memory_bytes"] = number_or_null(ceiling.memory_bytes);
  if (!ceiling.memory_bytes) json["memory_reason"] = row.device.memory_why;
  json["gbs"] = number_or_null(row.device.gbs);
  json["tflops"] = number_or_null(row.device.tflops);
  json["tflops_basis"] = row.device.tflops_basis;
  json["fits"] = to_string(ceiling.fits);
  json["left_bytes"] = number_or_null(ceiling.left_bytes);
  json["decode_tokens_per_s"] = number_or_null(ceiling.decode_tokens);
  json["stream_tokens_per_s"] = number_or_null(ceiling.stream_tokens);
  json["prefill_tokens_per_s"] = number_or_null(ceiling.prefill_tokens);
  json["decode_bound"] =
      ceiling.decode_tokens ? Json(ceiling.compute_bound ? "compute" : "memory") : Json(nullptr);
  json["dollars_per_hour"] = number_or_null(row.device.dollars_per_hour);
  json["tokens_per_s_per_dollar_hour"] = number_or_null(ceiling.tokens_per_dollar);
  json["dollars_per_million_tokens"] = number_or_null(ceiling.dollars_per_million);
  json["tokens_per_s_per_watt"] = number_or_null(ceiling.tokens_per_watt);
  if (row.measured) {
    json["measured_percent"] = number_or_null(row.measured->percent);
    json["measurement_above_ceiling"] = row.measured->above;
  }
  return json;
}

}  // namespace

std::string size_text(double bytes) {
  return shortest(bytes / kGiga, 5) + " GB = " + fixed(bytes / kGibi, 3) + " GiB";
}

std::string llm_text(const LlmAnswer& answer) {
  return model_text(answer) + "\n" + rows_text(answer) + "\n" + remarks(answer) +
         assumptions(answer);
}

std::string llm_json(const LlmAnswer& answer) {
  const SuiteIdentity& suite = this_suite();
  const LlmModel& model = answer.model;
  Json json;
  json["schema"] = kSchemaVersion;
  json["kind"] = "llm";
  json["suite"] = {{"version", suite.version}, {"commit", suite.commit}, {"dirty", suite.dirty}};
  json["parameters"] = model.parameters;
  json["active_parameters"] = model.active;
  json["bits_per_weight"] = model.bits_per_weight;
  json["weight_bytes"] = weight_bytes(model);
  json["parameters_read_per_step"] = parameters_read(model, answer.load.batch);
  json["kv_bytes_per_token"] = number_or_null(
      model.kv ? std::optional<double>(kv_bytes_per_token(*model.kv)) : std::nullopt);
  json["kv_bytes"] = answer.rows.front().ceiling.kv_bytes;
  json["step_bytes"] = answer.rows.front().ceiling.step_bytes;
  json["batch"] = answer.load.batch;
  json["context_tokens"] = answer.load.context;
  json["devices"] = answer.load.devices;
  json["overhead_bytes_per_device"] = answer.load.overhead_bytes;
  json["measured_tokens_per_s"] = number_or_null(answer.measured);
  json["rows"] = Json::array();
  for (const LlmRow& row : answer.rows) json["rows"].push_back(row_json(row));
  json["assumptions"] = assumptions(answer);
  return json_text(json);
}

}  // namespace assay
