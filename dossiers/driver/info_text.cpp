// SPDX-License-Identifier: Apache-2.0
// How is what is known about a device said to people?
#include <iomanip>
#include <sstream>

#include "dossiers/cli/table.h"
#include "dossiers/driver/clock_reasons.h"
#include "dossiers/driver/info.h"

namespace assay {
namespace {

std::string or_unknown(const std::optional<double>& number, const char* units) {
  if (!number) {
    return "unknown";
  }
  std::ostringstream text;
  text << std::setprecision(6) << *number << ' ' << units;
  return text.str();
}

std::string yes_no(const std::optional<bool>& flag) {
  return flag ? (*flag ? "on" : "off") : "unknown";
}

std::string attribute_text(const DeviceInfo& info, const char* name) {
  const Answer<int>& value = info.device.attributes.at(name);
  return value ? std::to_string(*value.value) : "unknown (" + value.why + ")";
}

std::string clock_text(const TelemetrySnapshot& now) {
  const ClockDecision decision = judge_clock_reasons(now.clock_reasons);
  std::string text = or_unknown(now.sm_clock_mhz, "MHz");
  text += std::string(", ") + to_string(decision.state);
  for (const std::string& name : decision.names) {
    text += ", " + name;
  }
  return text;
}

std::string processes_text(const TelemetrySnapshot& now) {
  if (!now.other_processes) {
    return "unknown";
  }
  std::string text;
  for (const Process& process : *now.other_processes) {
    text += (text.empty() ? "" : ", ") + std::to_string(process.pid);
    text += process.name.empty() ? "" : " (" + process.name + ")";
  }
  return text.empty() ? "none" : text;
}

std::string pair_text(const Answer<unsigned>& now, const Answer<unsigned>& most) {
  if (!now) return "unknown (" + now.why + ")";
  return std::to_string(*now.value) + (most ? " of " + std::to_string(*most.value) : "");
}

template <typename T>
std::string answer_text(const Answer<T>& answer) {
  if (!answer) return "unknown" + (answer.why.empty() ? "" : " (" + answer.why + ")");
  std::ostringstream text;
  text << *answer.value;
  return text.str();
}

std::string used_text(const Answer<NvmlMemory>& memory) {
  constexpr double kMebi = 1048576.0;
  if (!memory) return "unknown" + (memory.why.empty() ? "" : " (" + memory.why + ")");
  return fixed(static_cast<double>(memory.value->used) / kMebi, 0) + " of " +
         fixed(static_cast<double>(memory.value->total) / kMebi, 0) + " MiB";
}

std::string place_text(const DevicePlace& place) {
  std::string text = place.numa_node ? "NUMA node " + std::to_string(*place.numa_node)
                                     : "NUMA node unknown (" + place.numa_why + ")";
  if (!place.cpus.empty()) text += ", CPUs " + place.cpus;
  for (const DevicePlace::Path& path : place.paths) {
    text += "; to " + std::to_string(path.to) + ": " + answer_text(path.through);
  }
  return text;
}

std::string peaks_text(const DeviceInfo& info) {
  Table table({"  peak", "value", "units", "from"}, {2, 3});
  for (const StatedPeak& peak : info.peaks) {
    table.row({"  " + peak.name, peak.value ? shortest(peak.value, 6) : "unknown", peak.units,
               peak.from});
  }
  return "\n" + table.text();
}

std::string attributes_text(const DeviceInfo& info) {
  Table table({"  attribute", "id", "value"});
  for (const ProbedAttribute& one : info.attributes) {
    table.row({"  " + one.name, std::to_string(one.id), std::to_string(one.value)});
  }
  return "\n" + table.text() + "  " + std::to_string(info.attributes.size()) +
         " attributes that this driver knows\n";
}

}  // namespace

std::string info_table(const std::vector<DeviceInfo>& devices, bool all_attributes) {
  std::ostringstream text;
  for (const DeviceInfo& info : devices) {
    const DeviceIdentity& identity = info.device.identity;
    const auto row = [&text](const char* label, const std::string& value) {
      text << "  " << std::left << std::setw(22) << label << value << '\n';
    };
    const auto& memory = info.device.memory_bytes.value;
    const auto gigabytes =
        memory ? std::optional<double>(1e-9 * static_cast<double>(*memory)) : std::nullopt;
    text << info.index << "  " << identity.name << "  " << identity.uuid << '\n';
    row("PCI bus id", identity.pci_bus_id);
    row("compute capability",
        std::to_string(identity.cc_major) + "." + std::to_string(identity.cc_minor));
    row("SMs", attribute_text(info, "sm_count"));
    row("memory", or_unknown(gigabytes, "GB"));
    row("L2 bytes", attribute_text(info, "l2_bytes"));
    row("SM clock, stated kHz", attribute_text(info, "clock_khz"));
    row("SM clock now", clock_text(info.now));
    row("driver", identity.driver.empty() ? "unknown" : identity.driver);
    row("ECC", yes_no(identity.ecc));
    row("MIG slice", yes_no(identity.mig));
    row("MIG mode of the GPU", yes_no(info.mig_mode));
    row("power",
        or_unknown(info.now.power_w, "W") + " of " + or_unknown(identity.power_limit_w, "W"));
    row("temperature", or_unknown(info.now.temperature_c, "C"));
    row("other processes", processes_text(info.now));
    row("architecture", answer_text(info.facts.architecture) + ", " +
                            answer_text(info.facts.cores) + " FP32 lanes");
    row("memory in use", used_text(info.facts.memory));
    row("PCIe generation", pair_text(info.facts.pcie_generation, info.facts.max_pcie_generation));
    row("PCIe lanes", pair_text(info.facts.pcie_width, info.facts.max_pcie_width));
    row("active NVLinks", answer_text(info.facts.active_nvlinks));
    row("place", place_text(info.place));
    row("vendor's card",
        info.card.card != nullptr ? info.card.card->key : "unknown (" + info.card.why + ")");
    row("fingerprint", info.fingerprint.substr(0, 16));
    row("NVML", info.device.nvml.how);
    text << peaks_text(info);
    if (all_attributes) {
      text << attributes_text(info);
    }
  }
  return text.str();
}

}  // namespace assay
