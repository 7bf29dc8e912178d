// SPDX-License-Identifier: Apache-2.0
// What does a person need to see of a host in ten seconds?
#include <algorithm>
#include <set>

#include "dossiers/cli/table.h"
#include "invariants/plan/host/host_record.h"

namespace assay {
namespace {

std::string devices_table(const HostRecord& record) {
  Table table({"GPU", "UUID", "product", "PCI", "verdict", "why"}, {1, 2, 3, 4, 5});
  for (const HostDevice& device : record.devices) {
    const std::string verdict(to_string(device.verdict));
    table.row({std::to_string(device.index), device.uuid, device.name, device.pci_bus_id,
               verdict + (device.provisional ? " (provisional)" : ""), device.reason});
  }
  return table.text();
}

/// "ways: 0-1 one NUMA node; 0-2 between NUMA nodes"
std::string paths_line(const HostRecord& record) {
  std::string line;
  for (const HostPath& path : record.paths) {
    line += (line.empty() ? "ways     " : "; ") + std::to_string(path.from) + "-" +
            std::to_string(path.to) + " " +
            (path.through.empty() ? std::string("unknown") : path.through);
  }
  return line.empty() ? "" : line + "\n";
}

std::string cell_text(const HostRecord& record, const std::string& entry, std::int64_t from,
                      std::int64_t to) {
  const auto cell = std::find_if(record.peers.begin(), record.peers.end(), [&](const PeerCell& c) {
    return c.entry == entry && c.from == from && c.to == to;
  });
  return from == to || cell == record.peers.end() ? "-" : shortest(cell->value, 4);
}

std::string matrix(const HostRecord& record, const std::string& entry, const std::string& units) {
  std::vector<std::string> head{entry + ", " + units};
  for (const HostDevice& device : record.devices) {
    head.push_back(std::string("to ").append(std::to_string(device.index)));
  }
  Table table(head);
  for (const HostDevice& from : record.devices) {
    std::vector<std::string> row{std::string("from ").append(std::to_string(from.index))};
    for (const HostDevice& to : record.devices) {
      row.push_back(cell_text(record, entry, from.index, to.index));
    }
    table.row(row);
  }
  return table.text();
}

}  // namespace

std::string host_summary(const HostRecord& record) {
  std::string text = "host     " + std::string(to_string(record.verdict)) +
                     (record.reason.empty() ? "" : ": " + record.reason) + "\n";
  text += "GPUs     " + std::to_string(record.devices.size()) +
          (record.expected ? " of " + std::to_string(*record.expected) + " asked for" : "") +
          ", level " + std::string(to_string(record.level)) + "\n";
  if (!record.devices.empty()) text.append(1, '\n').append(devices_table(record));
  text += paths_line(record);
  std::set<std::string> shown;
  for (const PeerCell& cell : record.peers) {
    if (shown.insert(cell.entry).second) {
      text += '\n';
      text += matrix(record, cell.entry, std::string(to_string(cell.units)));
    }
  }
  return text;
}

}  // namespace assay
