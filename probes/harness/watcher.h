// SPDX-License-Identifier: Apache-2.0
// What did NVML see while the probe measured? A thread asks it on NVML's own grid of 100 ms.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "dossiers/driver/telemetry.h"

namespace assay {

class Watcher {
 public:
  /// Takes the first snapshot and starts to poll.
  explicit Watcher(const Telemetry& telemetry);
  /// Stops, takes the last snapshot, and hands back all of them in order of time.
  std::vector<TelemetrySnapshot> finish();

 private:
  void poll(const std::stop_token& stop);

  const Telemetry& telemetry_;
  std::vector<TelemetrySnapshot> snapshots_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace assay
