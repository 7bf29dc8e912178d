// SPDX-License-Identifier: Apache-2.0
#include "probes/host_link.h"

#include <array>
#include <charconv>
#include <fstream>
#include <sched.h>
#include <sstream>

namespace assay {

namespace {

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool all = error == std::errc{} && end == text.data() + text.size();
  return all ? std::optional<int>(number) : std::nullopt;
}

std::optional<std::string> first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) ? std::optional(line) : std::nullopt;
}

/// Appends the processors of one part, "3" or "0-7"; false when it is neither.
bool append_range(std::string_view part, std::vector<int>& processors) {
  constexpr int kMostProcessors = 1 << 16;
  const std::size_t dash = part.find('-');
  const auto first = whole_number(part.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : whole_number(part.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first || *last >= kMostProcessors) {
    return false;
  }
  for (int processor = *first; processor <= *last; ++processor) {
    processors.push_back(processor);
  }
  return true;
}

}  // namespace

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> processors;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (!append_range(text.substr(0, comma), processors)) {
      return std::nullopt;
    }
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return processors;
}

NumaPlace numa_place(const std::string& pci_bus_id, const std::filesystem::path& sys) {
  NumaPlace place;
  const auto said = first_line(sys / "bus/pci/devices" / pci_bus_id / "numa_node");
  if (!said) {
    place.why = "the kernel has no NUMA node for " + pci_bus_id;
    return place;
  }
  const auto node = whole_number(*said);
  if (!node || *node < 0) {
    place.why = "the kernel says " + *said;
    return place;
  }
  place.node = node;
  const std::string name = "node" + std::to_string(*node);
  if (const auto list = first_line(sys / "devices/system/node" / name / "cpulist")) {
    place.processors = parse_cpu_list(*list).value_or(std::vector<int>{});
  }
  return place;
}

bool stay_on(const std::vector<int>& processors) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
    return false;
  }
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  for (const int processor : processors) {
    if (processor < CPU_SETSIZE && CPU_ISSET(processor, &allowed)) {
      CPU_SET(processor, &wanted);
    }
  }
  return CPU_COUNT(&wanted) > 0 && sched_setaffinity(0, sizeof(wanted), &wanted) == 0;
}

std::optional<double> pcie_gbs(unsigned generation, unsigned lanes) {
  // GT/s per lane by generation, and the share that the line code leaves for packets.
  constexpr std::array kTransfers = {2.5, 5.0, 8.0, 16.0, 32.0, 64.0};
  constexpr std::array kShare = {0.8, 0.8, 128.0 / 130, 128.0 / 130, 128.0 / 130, 242.0 / 256};
  if (generation < 1 || generation > kTransfers.size() || lanes == 0) {
    return std::nullopt;
  }
  const std::size_t row = generation - 1;
  return kTransfers.at(row) * kShare.at(row) * lanes / 8.0;
}

}  // namespace assay
