// SPDX-License-Identifier: Apache-2.0
// What do a device's fault counters say before and after a piece of work?
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dossiers/driver/nvml.h"
#include "dossiers/measurement.h"

namespace assay {

/// The counters at one moment. Each may be unknown; none is ever 0 for "does not say".
struct HealthCounters {
  Answer<std::uint64_t> ecc_corrected, ecc_uncorrected;  ///< since the driver was loaded
  Answer<std::uint64_t> pcie_replays;       ///< packets that the PCIe link had to send again
  Answer<std::uint64_t> nvlink_retries;     ///< damaged or repeated packets of all active links
  Answer<std::uint64_t> nvlink_recoveries;  ///< how often one of them was trained anew
  Answer<std::uint64_t> rows_remapped;      ///< rows of memory replaced by spare ones
  Answer<std::uint64_t> rows_pending;       ///< 1 while a row waits for a reset to be replaced
  Answer<std::uint64_t> rows_failed;        ///< 1 once a row could not be replaced
  Answer<std::uint64_t> pages_pending;      ///< 1 while a page waits for a reset to be retired
};

/// Reads them all; a microsecond to some milliseconds each.
HealthCounters read_health(const Nvml& nvml, NvmlHandle device);
/// All unknown, for that reason.
HealthCounters unknown_health(const std::string& why);

/// Listens for Xid events of one device (the driver's word for its own errors) from its
/// construction on. NVML tells only those that come while somebody listens.
class XidWatch {
 public:
  /// `nvml` may be nullptr: events() then says why there is no answer.
  XidWatch(std::shared_ptr<const Nvml> nvml, NvmlHandle device);
  ~XidWatch();
  XidWatch(const XidWatch&) = delete;
  XidWatch& operator=(const XidWatch&) = delete;

  /// The Xid numbers of all events since the construction, in their order.
  Answer<std::vector<std::uint64_t>> events();

 private:
  std::shared_ptr<const Nvml> nvml_;
  void* set_ = nullptr;
  std::string why_;
  std::vector<std::uint64_t> seen_;
};

/// The facts `health.*`: before, after and delta of the counters that count, the state of those
/// that do not, and the number of Xid events in between. A counter that the device does not have is
/// null, not supported; one that was reset meanwhile is null, not available.
Measurements health_facts(const HealthCounters& before, const HealthCounters& after,
                          const Answer<std::vector<std::uint64_t>>& xids);

}  // namespace assay
