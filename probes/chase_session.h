// SPDX-License-Identifier: Apache-2.0
// How does a latency chase become two facts, cycles and nanoseconds? The way that all chases share:
// watched runs, a check of where each of them ended, medians.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "probes/chase_log.h"
#include "probes/harness/probe.h"
#include "probes/pointer_ring.h"

namespace assay {

/// What is measured on, and what has been found.
struct Session {
  const Device& device;
  Measurements facts = {};
  std::set<std::uint64_t> sms = {};  ///< that ran the lane
  std::string note = {};             ///< remarks on the chases

  void add_note(const std::string& text) { note += (note.empty() ? "" : "; ") + text; }
};

/// One latency: the key of its facts, how it is read, and how far the lane runs.
struct Chase {
  std::string key;
  std::string method;
  ChaseSteps steps;
  std::optional<std::uint64_t> sm = {};  ///< runs on another SM do not count
};

/// Enqueues one run of the lane.
using LaunchChase = std::function<void(ChaseLog*, cudaStream_t)>;

/// Runs the chase under watch, checks where it went, and adds `latency.<key>` and
/// `latency.<key>_ns`. Throws WrongResult when a run ended at another place than its route says.
void measure_chase(Session& session, const Chase& chase, const Route& route,
                   const LaunchChase& launch);

/// Both facts, absent.
void add_absent_chase(Session& session, const Chase& chase, const NullReason& reason);

/// Runs of a chase at this level.
int chase_runs(Level level);

/// `values` in device memory, there for certain: a copy may return before it has landed.
DeviceBuffer<std::uint32_t> upload_words(const std::vector<std::uint32_t>& values);

/// Writes the route's addresses into the lines at `memory`, and waits for them.
void link_route(std::uint64_t* memory, const Route& route);

/// Fills the L2 with something else: linking left the end of a ring there, a twentieth of a
/// gibibyte. By reading, because dirty lines would be written back in the middle of the chase.
void evict_l2(const Device& device);

/// The load of a chase in global memory: through the L1 (ld.global.ca) or past it (ld.global.cg).
enum class ChaseLoad { l1, l2 };

/// Enqueues one run of `lanes` lanes through the lines at `memory`, each with a log of its own.
void enqueue_lanes(ChaseLoad load, const std::uint64_t* memory, ChaseSteps steps, ChaseLog* logs,
                   unsigned lanes, cudaStream_t stream);

/// A chase along `route` through the lines at `memory`; `prepare` is enqueued before each run.
void measure_route(Session& session, const Chase& chase, ChaseLoad load, const Route& route,
                   const std::uint64_t* memory, const Enqueue& prepare = {});

}  // namespace assay
