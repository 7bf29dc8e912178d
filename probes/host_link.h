// SPDX-License-Identifier: Apache-2.0
// Where in the host is the device plugged in, and what can that link carry? No CUDA here.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The processors of a list in the kernel's form, "0-3,8"; nullopt for anything else.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

/// Where a device hangs, as the kernel tells.
struct NumaPlace {
  std::optional<int> node;
  std::vector<int> processors;  ///< of that node; empty when unknown
  std::string why;              ///< why there is no node
};

/// The NUMA node of the device with this PCI id ("0000:c1:00.0"). `sys` is the root of sysfs.
NumaPlace numa_place(const std::string& pci_bus_id, const std::filesystem::path& sys = "/sys");

/// Keeps this thread on those of `processors` that it may use, for as long as it runs. False, and
/// nothing changed, when there are none.
bool stay_on(const std::vector<int>& processors);

/// What a PCIe link carries in one direction, GB/s (1e9), line code taken off: generations 1 to 6;
/// nullopt for others and for no lanes.
std::optional<double> pcie_gbs(unsigned generation, unsigned lanes);

}  // namespace assay
