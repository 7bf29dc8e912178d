// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/slope.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace assay {

namespace {

constexpr double kMinClockGhz = 0.1;
constexpr double kMaxClockGhz = 5.0;
constexpr std::size_t kMinSamples = 3;

bool is_clock(double ghz) {
  return ghz > kMinClockGhz && ghz < kMaxClockGhz;
}

/// The slopes of one kind, with what had to be dropped.
struct Slopes {
  std::vector<double> kept;
  std::size_t dropped = 0;
  void add(double slope) {
    if (slope > 0.0 && std::isfinite(slope)) {
      kept.push_back(slope);
    } else {
      ++dropped;
    }
  }
};

std::string share(std::size_t part, std::size_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

std::string percent(double value) {
  return std::to_string(static_cast<int>(std::lround(100.0 * value))) + " %";
}

std::vector<SlopePair> accepted(const std::vector<SlopePair>& pairs) {
  std::vector<SlopePair> quiet;
  std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(quiet),
               [](const SlopePair& pair) { return !pair.disturbed; });
  return quiet;
}

/// More than half disturbed or too few left: nothing can be said about the work alone.
std::optional<NullReason> contention(std::size_t rejected, std::size_t total) {
  if (2 * rejected > total || (rejected > 0 && total - rejected < kMinSamples)) {
    return NullReason{NullKind::contended, share(rejected, total) + " windows disturbed"};
  }
  return std::nullopt;
}

/// Fills the clock fields; a reason when too few windows have a clock.
std::optional<NullReason> label_clock(Timing& timing, const std::vector<double>& clocks,
                                      std::size_t windows) {
  const std::optional<double> middle = median(clocks);
  if (middle) {
    timing.clock_ghz = *middle;
    const auto [low, high] = std::minmax_element(clocks.begin(), clocks.end());
    timing.clock_min_ghz = *low;
    timing.clock_max_ghz = *high;
  }
  const std::size_t lost = windows - clocks.size();
  if (!middle || 2 * lost > windows) {
    return NullReason{NullKind::clock_lost, "no SM clock in " + share(lost, windows) + " windows"};
  }
  return std::nullopt;
}

void fill_slopes(Timing& timing, const std::vector<SlopePair>& quiet, const Slopes& wall,
                 double calls) {
  timing.seconds_samples = wall.kept;
  timing.seconds = median(wall.kept).value_or(0.0);
  Slopes cycles;
  std::vector<double> events;
  std::vector<double> intercepts;
  for (const SlopePair& pair : quiet) {
    if (pair.short_graph.window.cycles && pair.long_graph.window.cycles) {
      cycles.add((*pair.long_graph.window.cycles - *pair.short_graph.window.cycles) / calls);
    }
    events.push_back((pair.long_graph.event_seconds - pair.short_graph.event_seconds) / calls);
    intercepts.push_back(pair.short_graph.wall_seconds - timing.short_calls * timing.seconds);
  }
  timing.cycles_samples = cycles.kept;
  timing.cycles = median(cycles.kept).value_or(0.0);
  timing.event_seconds = median(events).value_or(0.0);
  timing.overhead_seconds = median(intercepts).value_or(0.0);
}

std::optional<NullReason> unsteadiness(const Slopes& wall, double max_rel_spread) {
  if (wall.dropped >= 2 || wall.kept.size() < kMinSamples) {
    return NullReason{NullKind::unsteady, share(wall.dropped, wall.dropped + wall.kept.size()) +
                                              " slopes were not positive, " +
                                              std::to_string(wall.kept.size()) + " left"};
  }
  const std::optional<double> spread = relative_spread(wall.kept);
  if (!spread || !(*spread <= max_rel_spread)) {
    return NullReason{NullKind::unsteady, "samples spread " +
                                              (spread ? percent(*spread) : std::string("unknown")) +
                                              ", allowed " + percent(max_rel_spread)};
  }
  return std::nullopt;
}

}  // namespace

StampWindow read_window(const std::vector<Stamp>& before, const std::vector<Stamp>& after) {
  std::vector<double> cycles;
  std::vector<double> clocks;
  const std::size_t slots = std::min(before.size(), after.size());
  for (std::size_t sm = 0; sm < slots; ++sm) {
    const Stamp& start = before[sm];
    const Stamp& end = after[sm];
    if (start.time_ns == 0 || end.time_ns == 0 || end.clock <= start.clock) {
      continue;
    }
    const auto ticks = static_cast<double>(end.clock - start.clock);
    cycles.push_back(ticks);
    if (end.time_ns <= start.time_ns) {
      continue;
    }
    const double ghz = ticks / static_cast<double>(end.time_ns - start.time_ns);
    if (is_clock(ghz)) {
      clocks.push_back(ghz);
    }
  }
  return {median(cycles), median(clocks)};
}

CallPlan choose_calls(double seconds_per_call, double target_span_s, int max_calls) {
  if (seconds_per_call >= target_span_s || max_calls < 4) {
    return {1, 2};
  }
  const int short_calls = 2;
  const int most = max_calls - short_calls;
  if (!(seconds_per_call > 0.0)) {
    return {short_calls, short_calls + most};
  }
  const double wanted = std::ceil(target_span_s / seconds_per_call);
  const int extra = wanted < most ? std::max(1, static_cast<int>(wanted)) : most;
  return {short_calls, short_calls + extra};
}

Timing judge_slope(const std::vector<SlopePair>& pairs, const CallPlan& plan,
                   const SlopeOptions& options, double stolen_share) {
  Timing timing;
  timing.short_calls = plan.short_calls;
  timing.long_calls = plan.long_calls;
  const std::vector<SlopePair> quiet = accepted(pairs);
  timing.windows = static_cast<int>(pairs.size());
  timing.rejected = static_cast<int>(pairs.size() - quiet.size());
  const double calls = plan.long_calls - plan.short_calls;
  Slopes wall;
  std::vector<double> clocks;
  for (const SlopePair& pair : quiet) {
    wall.add((pair.long_graph.wall_seconds - pair.short_graph.wall_seconds) / calls);
    // The short window can be a few microseconds, too short for coarse timers: the long one counts.
    if (pair.long_graph.window.clock_ghz) {
      clocks.push_back(*pair.long_graph.window.clock_ghz);
    }
  }
  fill_slopes(timing, quiet, wall, calls);
  const std::optional<NullReason> no_clock = label_clock(timing, clocks, quiet.size());
  timing.spoiled = contention(pairs.size() - quiet.size(), pairs.size());
  if (!timing.spoiled && !(stolen_share <= kMaxStolenShare)) {
    timing.spoiled =
        NullReason{NullKind::contended, percent(stolen_share) + " of the time ran other work"};
  }
  if (!timing.spoiled) {
    timing.spoiled = no_clock;
  }
  if (!timing.spoiled) {
    timing.spoiled = unsteadiness(wall, options.max_rel_spread);
  }
  return timing;
}

Timing join(const std::vector<Timing>& parts) {
  Timing joined = parts.at(0);
  std::vector<double> clocks{joined.clock_ghz}, events{joined.event_seconds},
      overheads{joined.overhead_seconds};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Timing& part = parts[i];
    std::copy(part.seconds_samples.begin(), part.seconds_samples.end(),
              std::back_inserter(joined.seconds_samples));
    std::copy(part.cycles_samples.begin(), part.cycles_samples.end(),
              std::back_inserter(joined.cycles_samples));
    clocks.push_back(part.clock_ghz);
    events.push_back(part.event_seconds);
    overheads.push_back(part.overhead_seconds);
    joined.clock_min_ghz = std::min(joined.clock_min_ghz, part.clock_min_ghz);
    joined.clock_max_ghz = std::max(joined.clock_max_ghz, part.clock_max_ghz);
    joined.windows += part.windows;
    joined.rejected += part.rejected;
    if (!joined.spoiled) joined.spoiled = part.spoiled;
  }
  joined.seconds = median(joined.seconds_samples).value_or(0.0);
  joined.cycles = median(joined.cycles_samples).value_or(0.0);
  joined.clock_ghz = median(clocks).value_or(0.0);
  joined.event_seconds = median(events).value_or(0.0);
  joined.overhead_seconds = median(overheads).value_or(0.0);
  return joined;
}

Timing judge_watch(const std::vector<WatchedRun>& runs) {
  Timing timing;
  timing.windows = static_cast<int>(runs.size());
  std::vector<double> clocks;
  std::size_t quiet = 0;
  for (const WatchedRun& run : runs) {
    if (run.disturbed) {
      ++timing.rejected;
      continue;
    }
    ++quiet;
    if (run.window.clock_ghz) {
      clocks.push_back(*run.window.clock_ghz);
    }
  }
  const std::optional<NullReason> no_clock = label_clock(timing, clocks, quiet);
  const auto rejected = static_cast<std::size_t>(timing.rejected);
  if (2 * rejected > runs.size()) {
    timing.spoiled =
        NullReason{NullKind::contended, share(rejected, runs.size()) + " windows disturbed"};
  } else {
    timing.spoiled = no_clock;
  }
  return timing;
}

double launch_floor(const std::vector<CanaryRun>& runs) {
  double floor = kMaxLaunchFloorSeconds;
  for (const CanaryRun& run : runs) {
    floor = std::min(floor, run.wall_seconds - run.inside_seconds);
  }
  return std::max(floor, 0.0);
}

bool is_disturbed(const CanaryRun& run, double floor_seconds) {
  const double outside = run.wall_seconds - run.inside_seconds;
  const bool quiet =
      outside <= floor_seconds + kDisturbanceSeconds && run.stolen_seconds <= 1e-9 * kPauseNs;
  return !quiet;
}

double stolen_share(const std::vector<CanaryRun>& runs) {
  double inside = 0.0;
  double stolen = 0.0;
  for (const CanaryRun& run : runs) {
    inside += run.inside_seconds;
    stolen += run.stolen_seconds;
  }
  return inside > 0.0 ? stolen / inside : 0.0;
}

}  // namespace assay
