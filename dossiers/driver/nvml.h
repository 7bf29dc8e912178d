// SPDX-License-Identifier: Apache-2.0
// What does the management library say about a device? No nvml.h needed; every answer may be
// missing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dossiers/driver/answer.h"
#include "dossiers/driver/dynamic_library.h"

namespace assay {

/// An opaque device handle of NVML.
using NvmlHandle = void*;

/// Which memory errors to count, as NVML numbers them.
enum class EccErrors : int { corrected = 0, uncorrected = 1 };

/// How far the replacing of faulty rows of device memory has gone.
struct RowRemapping {
  std::uint64_t rows = 0;  ///< replaced, for correctable and uncorrectable errors together
  bool pending = false;    ///< one waits for a reset
  bool failed = false;     ///< one could not be replaced
};

/// One device as NVML lists it; its index says nothing about CUDA's order.
struct NvmlDevice {
  unsigned index = 0;
  NvmlHandle handle = nullptr;
  std::string uuid;        ///< empty when NVML would not say
  std::string pci_bus_id;  ///< empty when NVML would not say
};

/// Device memory in bytes, what the driver keeps for itself included.
struct NvmlMemory {
  std::uint64_t total = 0;
  std::uint64_t used = 0;
};

/// libnvidia-ml.so.1, loaded at run time (path override: ASSAY_LIBNVML). Thread safe.
class Nvml {
 public:
  /// Throws std::runtime_error that says why there is no NVML.
  Nvml();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  Answer<std::string> driver_version() const;
  /// All devices that answer; the reason only when not even their number is known.
  Answer<std::vector<NvmlDevice>> devices() const;
  /// Also finds MIG slices by their "MIG-..." name.
  Answer<NvmlHandle> find(const std::string& uuid) const;

  Answer<std::string> vbios(NvmlHandle device) const;
  Answer<bool> ecc(NvmlHandle device) const;
  Answer<bool> mig_mode(NvmlHandle device) const;
  Answer<double> power_limit_w(NvmlHandle device) const;
  Answer<double> power_w(NvmlHandle device) const;
  Answer<double> temperature_c(NvmlHandle device) const;
  Answer<double> sm_clock_mhz(NvmlHandle device) const;
  Answer<double> max_sm_clock_mhz(NvmlHandle device) const;
  /// Mask of clock event reasons (dossiers/driver/clock_reasons.h).
  Answer<std::uint64_t> clock_reasons(NvmlHandle device) const;
  /// Time spent under the software power cap since the driver was loaded, ns.
  Answer<std::uint64_t> power_cap_ns(NvmlHandle device) const;
  /// Energy drawn since the driver was loaded, joules; its steps are those of the power readings.
  Answer<double> energy_j(NvmlHandle device) const;
  /// The PCIe link as it is trained now: an idle link falls back to a lower generation.
  Answer<unsigned> pcie_generation(NvmlHandle device) const;
  Answer<unsigned> pcie_width(NvmlHandle device) const;
  /// The most that device and slot allow together.
  Answer<unsigned> max_pcie_generation(NvmlHandle device) const;
  Answer<unsigned> max_pcie_width(NvmlHandle device) const;
  /// Memory errors of that kind since the driver was loaded, all locations together.
  Answer<std::uint64_t> ecc_errors(NvmlHandle device, EccErrors kind) const;
  /// Rows of device memory that are replaced by spare ones, for correctable and uncorrectable
  /// errors together.
  Answer<std::uint64_t> remapped_rows(NvmlHandle device) const;
  Answer<RowRemapping> row_remapping(NvmlHandle device) const;
  /// Whether a page of memory waits for a reset to be retired (devices before row remapping).
  Answer<bool> page_retirement_pending(NvmlHandle device) const;
  /// Packets that the PCIe link had to send again, since the device was reset.
  Answer<std::uint64_t> pcie_replays(NvmlHandle device) const;
  /// Packets that the NVLinks that are up found damaged or sent again, since the driver was loaded.
  /// No answer ("Not Supported") where none is up or none counts.
  Answer<std::uint64_t> nvlink_retries(NvmlHandle device) const;
  /// How often one of those links had to be trained anew; answered like nvlink_retries.
  Answer<std::uint64_t> nvlink_recoveries(NvmlHandle device) const;
  /// An event set that hears the device's Xid events from now on; give it to stop_listening().
  Answer<void*> listen_for_xids(NvmlHandle device) const;
  /// The Xid numbers of the events that came since the last call; does not wait.
  Answer<std::vector<std::uint64_t>> pending_xids(void* event_set) const;
  void stop_listening(void* event_set) const;
  Answer<std::string> architecture(NvmlHandle device) const;  ///< "Hopper"
  Answer<std::string> brand(NvmlHandle device) const;
  Answer<unsigned> cores(NvmlHandle device) const;  ///< FP32 lanes of all SMs
  Answer<NvmlMemory> memory(NvmlHandle device) const;
  Answer<double> memory_clock_mhz(NvmlHandle device) const;
  Answer<int> active_nvlinks(NvmlHandle device) const;
  /// What two devices' PCIe paths meet in: "one PCIe switch", "one NUMA node", ...
  Answer<std::string> path_between(NvmlHandle one, NvmlHandle other) const;
  /// Process ids with a compute context on the device, ours included.
  Answer<std::vector<std::int64_t>> compute_pids(NvmlHandle device) const;

 private:
  std::string error_text(int code) const;
  Answer<std::string> text(const char* function, NvmlHandle device) const;
  Answer<std::string> pci_bus_id(NvmlHandle device) const;
  Answer<unsigned> number(const char* function, NvmlHandle device) const;
  Answer<unsigned> number(const char* function, NvmlHandle device, int which) const;
  Answer<bool> mode(const char* function, NvmlHandle device) const;
  Answer<std::uint64_t> link_counters(NvmlHandle device, std::span<const int> counters) const;
  Answer<std::uint64_t> long_number(const char* function, NvmlHandle device) const;

  DynamicLibrary library_;
};

/// NVML, or nullptr with `why` filled.
std::shared_ptr<const Nvml> load_nvml(std::string& why);

}  // namespace assay
