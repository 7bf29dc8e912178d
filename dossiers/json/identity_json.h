// SPDX-License-Identifier: Apache-2.0
// How do a device, a build and the conditions of a window stand in a document?
// For .cpp files only.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dossiers/dossier.h"
#include "dossiers/json/json_reader.h"

namespace assay {

nlohmann::ordered_json to_json(const DeviceIdentity& device);
nlohmann::ordered_json to_json(const BuildIdentity& build);
nlohmann::ordered_json to_json(const Conditions& conditions);

// All of these throw DataError on anything that the schema does not allow.
DeviceIdentity read_device(const JsonNode& node);
BuildIdentity read_build(const JsonNode& node);
Conditions read_conditions(const JsonNode& node);
Level read_level(const JsonNode& node);
ProbeStatus read_status(const JsonNode& node);

/// A number that cannot be negative (times, powers); null gives nullopt.
std::optional<double> read_optional_size(const JsonNode& object, std::string_view key);
/// A number that cannot be negative.
double read_size(const JsonNode& node);

}  // namespace assay
