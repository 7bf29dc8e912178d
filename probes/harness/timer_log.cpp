// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/timer_log.h"

#include <algorithm>
#include <optional>

namespace assay {

namespace {

constexpr double kListenSeconds = 5e-3;
/// How long to listen again, in all, once something was heard: a verdict needs more than one slice.
constexpr int kMoreListening = 4;

/// What the process as a whole has seen; one device per process.
struct History {
  std::vector<double> clocks;
  std::optional<double> canary_expected_s;
  double canary_worst_s = 0.0;
  int rejected = 0;
  bool contended = false;
};

History& history() {
  static History seen;
  return seen;
}

}  // namespace

Canary& canary_of(const Device& device) {
  static Canary instance(device);
  history().canary_expected_s = instance.expected_seconds();
  return instance;
}

bool is_window_disturbed(const Device& device) {
  Canary& spinner = canary_of(device);
  const CanaryRun run = spinner.run();
  history().canary_worst_s = std::max(history().canary_worst_s, run.wall_seconds);
  return spinner.disturbed(run);
}

double heard_share(const Device& device) {
  std::vector<CanaryRun> runs = {canary_of(device).listen(kListenSeconds)};
  for (int i = 0; i < kMoreListening && runs.front().stolen_seconds > 0.0; ++i) {
    runs.push_back(canary_of(device).listen(kListenSeconds));
  }
  return stolen_share(runs);
}

void remember(const Timing& timing, const std::vector<double>& clocks_ghz) {
  History& seen = history();
  seen.clocks.insert(seen.clocks.end(), clocks_ghz.begin(), clocks_ghz.end());
  seen.rejected += timing.rejected;
  if (timing.spoiled && timing.spoiled->kind == NullKind::contended) {
    seen.contended = true;
  }
}

TimerLog timer_log() {
  const History& seen = history();
  TimerLog log;
  log.clock_median_ghz = median(seen.clocks);
  if (!seen.clocks.empty()) {
    const auto [low, high] = std::minmax_element(seen.clocks.begin(), seen.clocks.end());
    log.clock_min_ghz = *low;
    log.clock_max_ghz = *high;
  }
  if (seen.canary_expected_s) {
    log.canary_expected_us = 1e6 * *seen.canary_expected_s;
    if (seen.canary_worst_s > 0.0) {
      log.canary_worst_us = 1e6 * seen.canary_worst_s;
    }
  }
  log.rejected = seen.rejected;
  log.contended = seen.contended;
  return log;
}

}  // namespace assay
