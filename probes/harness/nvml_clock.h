// SPDX-License-Identifier: Apache-2.0
// What does NVML call the SM clock? For comparison only: it moves on a grid of 100 ms and is wrong
// under the power cap.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dossiers/driver/telemetry.h"
#include "dossiers/identity.h"

namespace assay {

class NvmlClock {
 public:
  /// Finds the device by UUID or PCI id; without NVML every reading is unknown.
  explicit NvmlClock(const DeviceIdentity& identity);
  std::optional<double> read_ghz() const;
  /// Why there are no readings; empty when the device was found.
  const std::string& why() const { return why_; }

 private:
  std::string why_;
  std::optional<Telemetry> telemetry_;
};

}  // namespace assay
