// SPDX-License-Identifier: Apache-2.0
// Which probes were built, in which order?
#include "invariants/plan/probe_list.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "dossiers/json/json_reader.h"

namespace assay {
namespace {

bool fit_for_a_file_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

constexpr int kMostCudaMajor = 1000;

Turn read_turn(const JsonNode& node) {
  const std::string& word = node.string();
  if (word == "host_link") {
    return Turn::host_link;
  }
  if (word != "every_gpu") {
    node.fail("allowed: host_link, every_gpu");
  }
  return Turn::every_gpu;
}

PlannedProbe read_probe(const JsonNode& node) {
  node.reject_unknown_keys({"name", "timeout_s", "level", "turn", "cuda_major"});
  PlannedProbe probe{node.at("name").text(), node.at("timeout_s").number()};
  if (!fit_for_a_file_name(probe.name)) {
    node.at("name").fail("a probe's name has lower-case letters, digits and '_' only");
  }
  if (!(probe.timeout_s > 0.0 && probe.timeout_s <= 3600.0)) {
    node.at("timeout_s").fail("a time limit is above 0 and at most 3600 seconds");
  }
  if (const std::optional<JsonNode> least = node.find("level")) {
    const std::optional<Level> level = level_from(least->text());
    if (!level) {
      least->fail("allowed: quick, full");
    }
    probe.level = *level;
  }
  if (const std::optional<JsonNode> turn = node.find("turn")) {
    probe.turn = read_turn(*turn);
  }
  if (const std::optional<JsonNode> major = node.find("cuda_major")) {
    probe.cuda_major = static_cast<int>(major->integer(1, kMostCudaMajor));
  }
  return probe;
}

}  // namespace

std::vector<PlannedProbe> read_probes(const std::filesystem::path& file) {
  const JsonNode document = read_json(file);
  std::vector<PlannedProbe> probes;
  for (const auto& node : document.items()) {
    PlannedProbe probe = read_probe(node);
    const bool twice = std::any_of(probes.begin(), probes.end(),
                                   [&](const auto& other) { return other.name == probe.name; });
    if (twice) {
      node.at("name").fail("the probe " + probe.name + " is listed twice");
    }
    probes.push_back(std::move(probe));
  }
  if (probes.empty() || probes.front().name != "device") {
    document.fail("the first probe is `device`: it begins the run");
  }
  return probes;
}

void require_driver(const std::vector<PlannedProbe>& probes, const DeviceIdentity& device) {
  constexpr int kPerMajor = 1000, kPerMinor = 10;  // 12040 is CUDA 12.4
  const int offered = device.driver_cuda;
  for (const PlannedProbe& probe : probes) {
    if (offered > 0 && offered / kPerMajor < probe.cuda_major) {
      throw std::runtime_error(
          "the driver " + device.driver + " offers CUDA " + std::to_string(offered / kPerMajor) +
          "." + std::to_string(offered % kPerMajor / kPerMinor) + "; this build needs " +
          std::to_string(probe.cuda_major) + ".0 or newer");
    }
  }
}

}  // namespace assay
