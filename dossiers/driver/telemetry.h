// SPDX-License-Identifier: Apache-2.0
// What does the device say about its clocks, heat and users right now?
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dossiers/driver/device_list.h"
#include "dossiers/driver/nvml.h"
#include "dossiers/evidence.h"

namespace assay {

/// Each field that NVML could not give is nullopt.
struct TelemetrySnapshot {
  std::optional<double> sm_clock_mhz;
  std::optional<std::uint64_t> clock_reasons;
  std::optional<std::uint64_t> power_cap_ns;
  std::optional<double> temperature_c;
  std::optional<double> power_w;
  std::optional<std::vector<Process>> other_processes;  ///< compute processes beside this one
};

/// NVML's view of one device. Clocks, reasons and power move on a grid of 100 ms there.
class Telemetry {
 public:
  /// `nvml` may be nullptr: every field is then unknown.
  Telemetry(std::shared_ptr<const Nvml> nvml, const ListedDevice& device);

  /// Everything; some tens of microseconds.
  TelemetrySnapshot snapshot() const;
  /// Without the processes and the power cap counter: a microsecond, for polling.
  TelemetrySnapshot poll() const;

 private:
  std::shared_ptr<const Nvml> nvml_;
  NvmlHandle gpu_ = nullptr;
  NvmlHandle users_ = nullptr;  ///< whose processes count: the slice's, where it is one
};

/// This process's ids: its own and those it has in enclosing pid namespaces, as far as
/// `proc_status` (the text of /proc/self/status) tells.
std::vector<std::int64_t> own_pids(std::int64_t pid, std::string_view proc_status);

/// The processes among `pids` that are not in `own`, by pid, each once, named from
/// `<proc>/<pid>/comm`.
std::vector<Process> other_processes(const std::vector<std::int64_t>& pids,
                                     const std::vector<std::int64_t>& own,
                                     const std::string& proc = "/proc");

}  // namespace assay
