// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/watcher.h"

#include <chrono>
#include <utility>

namespace assay {

namespace {
constexpr std::chrono::milliseconds kPollInterval{50};
}

Watcher::Watcher(const Telemetry& telemetry)
    : telemetry_(telemetry),
      snapshots_{telemetry.snapshot()},
      thread_([this](const std::stop_token& stop) { poll(stop); }) {}

void Watcher::poll(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto stopped = [&stop] { return stop.stop_requested(); };
  while (!wake_.wait_for(lock, stop, kPollInterval, stopped)) {
    snapshots_.push_back(telemetry_.poll());
  }
}

std::vector<TelemetrySnapshot> Watcher::finish() {
  thread_.request_stop();
  if (thread_.joinable()) {
    thread_.join();
  }
  snapshots_.push_back(telemetry_.snapshot());
  return std::move(snapshots_);
}

}  // namespace assay
