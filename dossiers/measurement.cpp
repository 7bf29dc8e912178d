// SPDX-License-Identifier: Apache-2.0
// How does a number become a fact, and when is it refused?
#include "dossiers/measurement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace assay {
namespace {

constexpr std::array<std::pair<NullKind, std::string_view>, 11> kNullKindNames{{
    {NullKind::contended, "contended"},
    {NullKind::throttled, "throttled"},
    {NullKind::unsteady, "unsteady"},
    {NullKind::clock_lost, "clock lost"},
    {NullKind::not_supported, "not supported"},
    {NullKind::no_code, "no code"},
    {NullKind::blank, "blank"},
    {NullKind::not_available, "not available"},
    {NullKind::out_of_range, "out of range"},
    {NullKind::no_permission, "no permission"},
    {NullKind::unstated, "unstated"},
}};

std::optional<NullKind> null_kind_from(std::string_view name) {
  for (const auto& [kind, known] : kNullKindNames) {
    if (known == name) {
      return kind;
    }
  }
  return std::nullopt;
}

bool is_positive_finite(double number) {
  return std::isfinite(number) && number > 0.0;
}

std::pair<std::string_view, std::string_view> split_path(std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) {
    return {path, {}};
  }
  return {path.substr(0, dot), path.substr(dot + 1)};
}

/// JSON cannot tell a small unsigned integer from a signed one, so that neither do we.
Value normalised(Value value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    if (*number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return static_cast<std::int64_t>(*number);
    }
  }
  return value;
}

void require_method(const std::string& method) {
  if (method.empty()) {
    throw std::invalid_argument("a fact needs a method: how was it had?");
  }
}

Fact unmeasured(Value value, Unit units, std::string method) {
  require_method(method);
  const auto* number = std::get_if<double>(&value);
  if (number != nullptr && !std::isfinite(*number)) {
    return absent(units, std::move(method),
                  {NullKind::out_of_range, std::isnan(*number) ? "not a number" : "infinite"});
  }
  Fact fact;
  fact.value = normalised(std::move(value));
  fact.units = units;
  fact.method = std::move(method);
  if (std::holds_alternative<std::monostate>(fact.value)) {
    fact.reason = NullReason{};
  }
  return fact;
}

}  // namespace

bool is_entry_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_fact_key(std::string_view name) {
  constexpr std::string_view kOthers = "_>:.+-";
  return !name.empty() && std::all_of(name.begin(), name.end(), [=](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

std::string to_string(const NullReason& reason) {
  for (const auto& [kind, name] : kNullKindNames) {
    if (kind == reason.kind) {
      return reason.detail.empty() ? std::string(name) : std::string(name) + ": " + reason.detail;
    }
  }
  throw std::logic_error("a null kind without a name");
}

NullReason null_reason_from(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<NullKind> kind = null_kind_from(text.substr(0, colon));
  if (!kind) {
    return {NullKind::unstated, std::string(text)};
  }
  if (colon == std::string_view::npos) {
    return {*kind, {}};
  }
  std::string_view detail = text.substr(colon + 1);
  detail.remove_prefix(std::min(detail.find_first_not_of(' '), detail.size()));
  return {*kind, std::string(detail)};
}

Fact measured(double value, Unit units, std::string method, double clock_ghz,
              std::vector<double> samples, Confidence confidence) {
  require_method(method);
  if (!is_positive_finite(value)) {
    throw std::invalid_argument(method + ": a measured value must be positive and finite");
  }
  if (!is_positive_finite(clock_ghz)) {
    throw std::invalid_argument(method + ": a measured value needs the SM clock it was taken at");
  }
  if (samples.empty()) {
    throw std::invalid_argument(method + ": a measured value needs its samples");
  }
  const auto finite = [](double sample) { return std::isfinite(sample); };
  const auto nonzero = [](double sample) { return sample != 0.0; };
  if (!std::all_of(samples.begin(), samples.end(), finite) ||
      std::none_of(samples.begin(), samples.end(), nonzero)) {
    throw std::invalid_argument(method + ": samples must be finite and not all zero");
  }
  Fact fact;
  fact.value = value;
  fact.units = units;
  fact.method = std::move(method);
  fact.clock_ghz = clock_ghz;
  fact.samples = static_cast<int>(samples.size());
  fact.rel_spread = relative_spread(samples);
  fact.confidence = confidence;
  fact.raw = std::move(samples);
  return fact;
}

Fact stated(Value value, Unit units, std::string method) {
  return unmeasured(std::move(value), units, std::move(method));
}

Fact derived(double value, Unit units, std::string method, std::optional<double> clock_ghz) {
  Fact fact = unmeasured(value, units, std::move(method));
  fact.clock_ghz = clock_ghz;
  return fact;
}

Fact absent(Unit units, std::string method, NullReason reason) {
  require_method(method);
  Fact fact;
  fact.units = units;
  fact.method = std::move(method);
  fact.confidence = Confidence::low;
  fact.reason = std::move(reason);
  return fact;
}

void Measurements::add(std::string_view path, Fact fact) {
  const auto [entry, key] = split_path(path);
  const bool scalar = path.find('.') == std::string_view::npos;
  if (!is_entry_name(entry) || (!scalar && !is_fact_key(key))) {
    throw std::invalid_argument("malformed path '" + std::string(path) +
                                "': want entry or entry.key");
  }
  auto& facts = entries_[std::string(entry)].facts;
  if (!facts.empty() && (facts.count("") == 1) != scalar) {
    throw std::invalid_argument("entry '" + std::string(entry) +
                                "' cannot hold both a scalar and keyed facts");
  }
  if (!facts.emplace(std::string(key), std::move(fact)).second) {
    throw std::invalid_argument("'" + std::string(path) + "' was added twice");
  }
}

void Measurements::note(std::string_view entry, std::string text) {
  if (!is_entry_name(entry)) {
    throw std::invalid_argument("malformed entry name '" + std::string(entry) + "'");
  }
  entries_[std::string(entry)].note = std::move(text);
}

const Fact* Measurements::find(std::string_view path) const {
  return find_fact(entries_, path);
}

const Fact* find_fact(const std::map<std::string, Measurement>& entries, std::string_view path) {
  const auto [entry, key] = split_path(path);
  const auto measurement = entries.find(std::string(entry));
  if (measurement == entries.end()) {
    return nullptr;
  }
  const auto fact = measurement->second.facts.find(std::string(key));
  return fact == measurement->second.facts.end() ? nullptr : &fact->second;
}

std::optional<double> as_number(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return std::isfinite(*number) ? std::optional<double>(*number) : std::nullopt;
  }
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*number);
  }
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    return static_cast<double>(*number);
  }
  return std::nullopt;
}

std::optional<double> median(std::vector<double> samples) {
  if (samples.empty() || std::any_of(samples.begin(), samples.end(),
                                     [](double sample) { return std::isnan(sample); })) {
    return std::nullopt;
  }
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) {
    return *middle;
  }
  return 0.5 * (*std::max_element(samples.begin(), middle) + *middle);
}

std::optional<double> relative_spread(const std::vector<double>& samples) {
  constexpr double kMadToSigma = 1.4826;  // for normally distributed samples
  const std::optional<double> center = median(samples);
  if (samples.size() < 3 || !center || !std::isfinite(*center) || *center == 0.0) {
    return std::nullopt;
  }
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (const double sample : samples) {
    deviations.push_back(std::abs(sample - *center));
  }
  const double spread = kMadToSigma * median(std::move(deviations)).value() / std::abs(*center);
  return std::isfinite(spread) ? std::optional<double>(spread) : std::nullopt;
}

std::string fact_path(const std::string& entry, const std::string& key) {
  return key.empty() ? entry : entry + "." + key;
}

}  // namespace assay
