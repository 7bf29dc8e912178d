// SPDX-License-Identifier: Apache-2.0
// Is this entry one that a probe could have written, with everything that must travel with it?
#include <cmath>
#include <limits>

#include "dossiers/json/measurement_json.h"

namespace assay {
namespace {

Confidence read_confidence(const JsonNode& node) {
  const std::string& name = node.string();
  if (name == "high") {
    return Confidence::high;
  }
  if (name == "medium") {
    return Confidence::medium;
  }
  if (name != "low") {
    node.fail("is \"" + name + "\", want high, medium or low");
  }
  return Confidence::low;
}

Unit read_unit(const JsonNode& node) {
  const std::optional<Unit> unit = unit_from(node.string());
  if (!unit) {
    node.fail("is \"" + node.string() + "\", which is no unit of the closed list in units.h");
  }
  return *unit;
}

Value integer_value(const JsonNode& node) {
  const std::uint64_t large = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (node.kind() == JsonKind::integer && node.number() > 0.0 && node.unsigned_integer() > large) {
    return node.unsigned_integer();
  }
  return node.integer();
}

Value quantity(const JsonNode& node, Unit unit) {
  if (is_whole(unit)) {
    Value value = integer_value(node);
    if (as_number(value).value() < 0.0) {
      node.fail("is negative, want 0 or more " + std::string(to_string(unit)));
    }
    return value;
  }
  const double number = node.number();
  if (!can_be_negative(unit) && !(number >= 0.0)) {
    node.fail("is negative, want 0 or more " + std::string(to_string(unit)));
  }
  return node.kind() == JsonKind::integer ? integer_value(node) : Value(number);
}

Value read_value(const JsonNode& node, Unit unit) {
  const bool is_quantity = unit != Unit::none && !node.is_null() &&
                           node.kind() != JsonKind::object && node.kind() != JsonKind::array;
  return is_quantity ? quantity(node, unit) : read_scalar(node);
}

/// The node that holds `attribute` of the fact `key`: the entry's one scalar, or the map's member.
std::optional<JsonNode> attribute_of(const JsonNode& entry, std::string_view attribute,
                                     const std::string& key) {
  const JsonNode node = entry.at(attribute);
  if (node.kind() != JsonKind::object) {
    return node;
  }
  if (key.empty()) {
    node.fail("is a map, but the entry's value is a scalar");
  }
  return node.find(key);
}

JsonNode required_attribute(const JsonNode& entry, std::string_view attribute,
                            const std::string& key) {
  std::optional<JsonNode> node = attribute_of(entry, attribute, key);
  if (!node) {
    entry.at(attribute).fail("has no key \"" + key + "\", which the entry's value has");
  }
  return *node;
}

/// `clock_ghz` and `rel_spread` maps may leave out keys that have no value.
std::optional<double> optional_number(const JsonNode& entry, std::string_view attribute,
                                      const std::string& key, bool has_value) {
  const std::optional<JsonNode> node =
      has_value ? required_attribute(entry, attribute, key) : attribute_of(entry, attribute, key);
  if (!node || node->is_null()) {
    return std::nullopt;
  }
  const double number = node->number();
  if (!(number >= 0.0)) {
    node->fail("is negative, want 0 or more");
  }
  return number;
}

/// Null without a reason is still null: unknown, unstated why. A value with a reason is refused.
void read_reason(const JsonNode& entry, const std::string& key, Fact& fact) {
  const bool is_null = std::holds_alternative<std::monostate>(fact.value);
  std::optional<JsonNode> node = entry.find("reason");
  const bool for_this_key = node && node->kind() == JsonKind::object;
  if (for_this_key) {
    node = key.empty() ? std::nullopt : node->find(key);
  }
  if (!is_null) {
    if (node && (for_this_key || key.empty())) {
      node->fail("stands beside a value; only null has a reason");
    }
    return;
  }
  fact.reason = node ? null_reason_from(node->text()) : NullReason{};
}

Fact read_fact(const JsonNode& entry, const std::string& key, const JsonNode& value) {
  Fact fact;
  fact.units = read_unit(required_attribute(entry, "units", key));
  fact.value = read_value(value, fact.units);
  const bool has_value = !value.is_null();
  fact.method = required_attribute(entry, "method", key).text();
  fact.samples = static_cast<int>(
      required_attribute(entry, "samples", key).integer(0, std::numeric_limits<int>::max()));
  fact.clock_ghz = optional_number(entry, "clock_ghz", key, has_value);
  fact.rel_spread = optional_number(entry, "rel_spread", key, has_value);
  fact.confidence = read_confidence(required_attribute(entry, "confidence", key));
  read_reason(entry, key, fact);
  if (has_value && fact.samples > 0) {
    if (!fact.clock_ghz || !(*fact.clock_ghz > 0.0)) {
      required_attribute(entry, "clock_ghz", key)
          .fail("is missing or 0 beside samples; a measured number needs the SM clock, in GHz");
    }
    if (!as_number(fact.value)) {
      value.fail("is measured (it has samples), want a number");
    }
  }
  return fact;
}

/// Keys of an attribute's map that the value does not have.
void reject_stray_keys(const JsonNode& entry, std::string_view attribute,
                       const Measurement& measurement) {
  const std::optional<JsonNode> node = entry.find(attribute);
  if (!node || node->kind() != JsonKind::object) {
    return;
  }
  for (const auto& [key, member] : node->members()) {
    if (measurement.facts.count(key) == 0 || key.empty()) {
      member.fail("unknown key, the entry's value has none of that name");
    }
  }
}

/// One reason for the whole entry explains nothing when every value is there.
void reject_idle_reason(const JsonNode& entry, const Measurement& measurement) {
  const std::optional<JsonNode> reason = entry.find("reason");
  for (const auto& [key, fact] : measurement.facts) {
    if (fact.reason) {
      return;
    }
  }
  if (reason) {
    reason->fail("stands beside values; only null has a reason");
  }
}

Measurement read_entry(const JsonNode& entry) {
  entry.reject_unknown_keys({"value", "units", "method", "clock_ghz", "samples", "rel_spread",
                             "confidence", "reason", "note", "raw"});
  Measurement measurement;
  const JsonNode value = entry.at("value");
  if (value.kind() != JsonKind::object) {
    measurement.facts.emplace("", read_fact(entry, "", value));
  } else {
    for (const auto& [key, member] : value.members()) {
      if (!is_fact_key(key)) {
        member.fail("is no name for a fact, want letters, digits and _ > : . + -");
      }
      measurement.facts.emplace(key, read_fact(entry, key, member));
    }
    if (measurement.facts.empty()) {
      value.fail("is empty, want at least one fact");
    }
  }
  for (const std::string_view attribute :
       {"units", "method", "clock_ghz", "samples", "rel_spread", "confidence", "reason"}) {
    reject_stray_keys(entry, attribute, measurement);
  }
  reject_idle_reason(entry, measurement);
  if (const auto note = entry.find("note")) {
    measurement.note = note->text();
  }
  if (const auto raw = entry.find("raw")) {
    read_raw(*raw, measurement);
  }
  return measurement;
}

std::vector<double> read_samples(const JsonNode& node, const Fact& fact) {
  std::vector<double> samples;
  for (const JsonNode& sample : node.items()) {
    samples.push_back(sample.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                       : sample.number());
  }
  if (samples.empty() || samples.size() != static_cast<std::size_t>(fact.samples)) {
    node.fail("holds " + std::to_string(samples.size()) + " samples, want the " +
              std::to_string(fact.samples) + " that the fact's \"samples\" says");
  }
  return samples;
}

}  // namespace

Value read_scalar(const JsonNode& node) {
  switch (node.kind()) {
    case JsonKind::null:
      return std::monostate{};
    case JsonKind::boolean:
      return node.boolean();
    case JsonKind::integer:
      return integer_value(node);
    case JsonKind::real:
      return node.number();
    case JsonKind::string:
      return node.string();
    default:
      node.fail("is nested, want a scalar or one flat map of scalars");
  }
}

void read_raw(const JsonNode& node, Measurement& entry) {
  if (const auto scalar = entry.facts.find(""); scalar != entry.facts.end()) {
    scalar->second.raw = read_samples(node, scalar->second);
    return;
  }
  for (const auto& [key, member] : node.members()) {
    const auto fact = entry.facts.find(key);
    if (fact == entry.facts.end()) {
      member.fail("unknown key, the entry's value has none of that name");
    }
    fact->second.raw = read_samples(member, fact->second);
  }
}

Entries read_entries(const JsonNode& node) {
  Entries entries;
  for (const auto& [name, entry] : node.members()) {
    if (!is_entry_name(name)) {
      entry.fail("is no name for an entry, want lower-case letters, digits and _");
    }
    entries.emplace(name, read_entry(entry));
  }
  return entries;
}

}  // namespace assay
