// SPDX-License-Identifier: Apache-2.0
// What do the certificates of one host's GPUs say together?
#include "invariants/plan/host/host_record.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace assay {
namespace {

// Not combine(): a GPU that was not certified is no part of a host that passes.
constexpr std::array kWorstFirst{Outcome::fail,         Outcome::no_evidence,
                                 Outcome::inconclusive, Outcome::not_applicable,
                                 Outcome::waived,       Outcome::pass};

Outcome worst(const std::vector<HostDevice>& devices) {
  for (const Outcome outcome : kWorstFirst) {
    if (std::any_of(devices.begin(), devices.end(),
                    [&](const HostDevice& device) { return device.verdict == outcome; })) {
      return outcome;
    }
  }
  return Outcome::no_evidence;
}

bool worse(Outcome a, Outcome b) {
  return std::find(kWorstFirst.begin(), kWorstFirst.end(), a) <
         std::find(kWorstFirst.begin(), kWorstFirst.end(), b);
}

/// "1 of 2 GPUs fail: GPU-…: latency.order: …"
std::string reason_of(const HostRecord& record) {
  const auto is_worst = [&](const HostDevice& device) { return device.verdict == record.verdict; };
  const auto first = std::find_if(record.devices.begin(), record.devices.end(), is_worst);
  if (first == record.devices.end()) {
    return "";
  }
  const auto count = std::count_if(record.devices.begin(), record.devices.end(), is_worst);
  return std::to_string(count) + " of " + std::to_string(record.devices.size()) + " GPUs " +
         std::string(to_string(record.verdict)) + ": " + first->uuid +
         (first->reason.empty() ? "" : ": " + first->reason);
}

/// "3>5": from and to; nullopt for another key.
std::optional<std::pair<std::int64_t, std::int64_t>> ends_of(const std::string& key) {
  std::int64_t from = 0, to = 0;
  const char* const end = key.data() + key.size();
  const auto first = std::from_chars(key.data(), end, from);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '>') {
    return std::nullopt;
  }
  const auto second = std::from_chars(first.ptr + 1, end, to);
  if (second.ec != std::errc() || second.ptr != end) {
    return std::nullopt;
  }
  return std::pair(from, to);
}

}  // namespace

void judge_host(HostRecord& record) {
  record.verdict = worst(record.devices);
  record.reason = record.verdict == Outcome::pass ? "" : reason_of(record);
  const auto found = static_cast<std::int64_t>(record.devices.size());
  if (found > 0 && !(record.expected && found < *record.expected)) {
    return;
  }
  const std::string missing = found == 0 && !record.expected
                                  ? "no GPU was found"
                                  : std::to_string(found) + " of " +
                                        std::to_string(record.expected.value_or(0)) +
                                        " GPUs were found";
  if (worse(Outcome::no_evidence, record.verdict)) {
    record.verdict = Outcome::no_evidence;
    record.reason.clear();
  }
  record.reason = missing + (record.reason.empty() ? "" : "; " + record.reason);
}

void add_peers(const Dossier& dossier, std::int64_t index, std::vector<PeerCell>& peers) {
  for (const auto& [entry, measurement] : dossier.entries) {
    if (entry.rfind("peer_", 0) != 0) {
      continue;
    }
    for (const auto& [key, fact] : measurement.facts) {
      const auto ends = ends_of(key);
      if (!ends || ends->first != index) {
        continue;
      }
      PeerCell cell{entry, ends->first, ends->second, as_number(fact.value), fact.units, ""};
      if (!cell.value) {
        cell.reason = fact.reason ? to_string(*fact.reason) : "no reason was given";
      }
      peers.push_back(std::move(cell));
    }
  }
}

}  // namespace assay
