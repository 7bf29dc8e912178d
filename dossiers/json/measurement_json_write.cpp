// SPDX-License-Identifier: Apache-2.0
// Which text does a fact become, and what of it cannot be written?
#include <cmath>
#include <functional>
#include <utility>

#include <nlohmann/json.hpp>

#include "dossiers/json/json_writer.h"
#include "dossiers/json/measurement_json.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;
using Facts = std::map<std::string, Fact>;

Fact without_value(Fact fact, std::string why) {
  fact.value = std::monostate{};
  fact.reason = NullReason{NullKind::out_of_range, std::move(why)};
  return fact;
}

/// What the reader would refuse becomes null here, so that a written file always re-reads.
Fact writable(Fact fact) {
  if (fact.rel_spread && !(std::isfinite(*fact.rel_spread) && *fact.rel_spread >= 0.0)) {
    fact.rel_spread.reset();
  }
  if (fact.clock_ghz && !(std::isfinite(*fact.clock_ghz) && *fact.clock_ghz > 0.0)) {
    fact.clock_ghz.reset();
  }
  if (std::holds_alternative<std::monostate>(fact.value)) {
    fact.reason = fact.reason.value_or(NullReason{});
    return fact;
  }
  fact.reason.reset();
  if (const auto* real = std::get_if<double>(&fact.value)) {
    if (!std::isfinite(*real)) {
      return without_value(fact, std::isnan(*real) ? "not a number" : "infinite");
    }
    if (is_whole(fact.units)) {
      constexpr double kExact = 9007199254740992.0;  // 2^53
      if (!(std::abs(*real) <= kExact) || std::trunc(*real) != *real) {
        return without_value(fact, "not a whole number");
      }
      fact.value = static_cast<std::int64_t>(*real);
    }
  }
  const std::optional<double> number = as_number(fact.value);
  if (number && !can_be_negative(fact.units) && *number < 0.0) {
    return without_value(fact, "negative");
  }
  if (fact.samples > 0 && !fact.clock_ghz) {
    fact.value = std::monostate{};
    fact.reason = NullReason{NullKind::clock_lost, "no clock beside the samples"};
  }
  return fact;
}

Json value_json(const Value& value) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return nullptr;
        } else {
          return held;
        }
      },
      value);
}

bool is_scalar(const Facts& facts) {
  return facts.count("") == 1;
}

Json keyed(const Facts& facts, const std::function<Json(const Fact&)>& get) {
  if (is_scalar(facts)) {
    return get(facts.at(""));
  }
  Json map = Json::object();
  for (const auto& [key, fact] : facts) {
    map[key] = get(fact);
  }
  return map;
}

/// One scalar for the whole entry when all keys agree.
Json attribute(const Facts& facts, const std::function<Json(const Fact&)>& get) {
  Json map = keyed(facts, get);
  if (!map.is_object()) {
    return map;
  }
  for (const auto& item : map.items()) {
    if (item.value() != map.front()) {
      return map;
    }
  }
  return map.front();
}

/// Only keys without a value have a reason; nullopt when there is none.
std::optional<Json> reasons(const Facts& facts) {
  Facts without;
  for (const auto& [key, fact] : facts) {
    if (fact.reason) {
      without.emplace(key, fact);
    }
  }
  if (without.empty()) {
    return std::nullopt;
  }
  const auto text = [](const Fact& fact) { return Json(to_string(*fact.reason)); };
  return without.size() == facts.size() ? attribute(without, text) : keyed(without, text);
}

std::string_view to_string_view(Confidence confidence) {
  switch (confidence) {
    case Confidence::low:
      return "low";
    case Confidence::medium:
      return "medium";
    case Confidence::high:
      return "high";
  }
  return "low";
}

Json entry_json(const Measurement& entry, bool with_raw) {
  Facts facts;
  for (const auto& [key, fact] : entry.facts) {
    facts.emplace(key, writable(fact));
  }
  Json json;
  json["value"] = keyed(facts, [](const Fact& fact) { return value_json(fact.value); });
  json["units"] = attribute(facts, [](const Fact& fact) { return Json(to_string(fact.units)); });
  json["method"] = attribute(facts, [](const Fact& fact) { return Json(fact.method); });
  json["clock_ghz"] =
      attribute(facts, [](const Fact& fact) { return number_or_null(fact.clock_ghz); });
  json["samples"] = attribute(facts, [](const Fact& fact) { return Json(fact.samples); });
  json["rel_spread"] =
      attribute(facts, [](const Fact& fact) { return number_or_null(fact.rel_spread); });
  json["confidence"] =
      attribute(facts, [](const Fact& fact) { return Json(to_string_view(fact.confidence)); });
  if (std::optional<Json> why = reasons(facts)) {
    json["reason"] = std::move(*why);
  }
  if (!entry.note.empty()) {
    json["note"] = entry.note;
  }
  if (Json raw = with_raw ? raw_json(entry) : Json(nullptr); !raw.is_null()) {
    json["raw"] = std::move(raw);
  }
  return json;
}

}  // namespace

Json entries_json(const Entries& entries, bool with_raw) {
  Json json = Json::object();
  for (const auto& [name, entry] : entries) {
    if (!entry.facts.empty()) {
      json[name] = entry_json(entry, with_raw);
    }
  }
  return json;
}

Json raw_json(const Measurement& entry) {
  const auto samples = [](const Fact& fact) {
    Json list = Json::array();
    for (const double sample : fact.raw) {
      list.push_back(number_or_null(sample));
    }
    return list;
  };
  Facts with_samples;
  for (const auto& [key, fact] : entry.facts) {
    if (!fact.raw.empty()) {
      with_samples.emplace(key, fact);
    }
  }
  return with_samples.empty() ? Json(nullptr) : keyed(with_samples, samples);
}

}  // namespace assay
