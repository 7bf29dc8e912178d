// SPDX-License-Identifier: Apache-2.0
// How far has a device moved from an approved dossier, and was the comparison like with like?
#include "dossiers/drift.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <utility>

namespace assay {
namespace {

struct Floor {
  Unit unit;
  double same_device;  ///< against a pin of the same UUID
  double same_sku;     ///< against a pin of another device of the SKU
};

// What a healthy device may move between runs, however steady its samples are.
constexpr std::array<Floor, 12> kFloors{{
    // Counted in clocks: neither power nor temperature moves them; disabled units do, by SKU.
    {Unit::cycles, 0.01, 0.03},
    {Unit::flop_per_clock_per_sm, 0.01, 0.02},
    {Unit::bytes_per_clock_per_sm, 0.01, 0.02},
    // Clocks and what hangs on them: the boost clock steps with temperature.
    {Unit::ghz, 0.02, 0.05},
    {Unit::ns, 0.02, 0.05},
    // Memory clocks are fixed; refresh and page placement move bandwidth a little.
    {Unit::gb_per_s, 0.02, 0.03},
    // Addresses are hashed over the L2 slices anew with each allocation: in 50 runs each of two
    // H200s one of many facts ranged over 3.2 %, all others over less.
    {Unit::gop_per_s, 0.05, 0.10},
    // Ratios of two figures of one run.
    {Unit::ratio, 0.02, 0.03},
    // Wall rates of arithmetic are power-capped: leakage and cooling decide.
    {Unit::tflop_per_s, 0.10, 0.15},
    // Launches: the host's processor, kernel and neighbours decide. Ten runs within two minutes on
    // a quiet H200 virtual machine ranged over 29 %, on different days over 40 %.
    {Unit::us, 0.60, 1.00},
    // Counts are exact: one wrong element or one lost SM of a thousand is more than this.
    {Unit::count, 0.0005, 0.0005},
    // Every other unit.
    {Unit::none, 0.05, 0.10},
}};

struct PathFloor {
  std::string_view start;  ///< of the fact's path
  double same_device, same_sku;
};

// Facts that move more than others of their unit; the first that fits counts.
constexpr std::array<PathFloor, 20> kPathFloors{{
    // Every recorded run of one H200 held 1.980 GHz; one step of the boost clock is 15 MHz, 0.8 %.
    {"clock.", 0.015, 0.05},
    // Between devices, from five H200s of one driver: some read 4.63, some 4.71 TB/s, with their
    // latencies (L2 272 to 281, DRAM 658 to 686 cycles) and random rows (157 and 173 GB/s).
    {"dram_bw.gather_", 0.03, 0.15},
    // One sample of five dipped by 4 % in a recorded run; they tell whether zeros are faster.
    {"dram_bw.read_zeros", 0.05, 0.06},
    {"dram_bw.write_zeros", 0.05, 0.06},
    // Three runs of one H200 within minutes: no other rate of the DRAM moved by more than 0.12 %.
    {"dram_bw.", 0.015, 0.03},
    // Three H200s, 174.6 to 184.6 cycles, each the same to 0.01 % in 20 runs: which SMs of a
    // cluster are neighbours differs by device.
    {"latency.dsmem", 0.02, 0.10},
    {"latency.l2_ns", 0.02, 0.06},
    {"latency.l2", 0.01, 0.06},
    {"latency.dram", 0.015, 0.08},
    {"latency.tlb_", 0.02, 0.08},

    // Three H200s within 40 runs: the fastest path meets the power cap first, and its clock moves.
    {"mma.wgmma_f16_f32_sparse", 0.15, 0.25},
    {"mma_per_clock.wgmma_f16_f32_sparse", 0.02, 0.04},

    // Which SMs and slices are disabled decides the way between them: four H200s read 4624 to 4908
    // GB/s writing and 11,110 to 11,620 reading.
    {"l2_bw.", 0.02, 0.10},
    // Whose turn it is to swap decides: 4.1 % within 50 runs of one H200.
    {"atomics_cas_", 0.06, 0.10},
    // One core of the host copies, and its neighbours decide.
    {"transfer_bw.h2d_pageable", 0.75, 1.00},
    {"transfer_bw.d2h_pageable", 0.75, 1.00},
    // Both ways at once share the host's memory with its neighbours: 77, 101 GB/s within minutes.
    {"transfer_bw.bidirectional", 0.40, 0.60},
    // The link is the same; root port, NUMA node and packet size differ by host.
    {"transfer_bw.", 0.10, 0.25},
    // Polling through the L2: which SMs and slices take part changes with each launch.
    {"grid_barrier.cooperative_cycles", 0.05, 0.10},
    {"cluster_barrier.", 0.05, 0.10},
}};

constexpr double kSpreads = 6.0;  // robust standard deviations of either side's samples
// The timer calls samples that spread by more than 5 % unsteady, so that six spreads of an honest
// fact stay below this; a wild one must not widen its own tolerance without end.
constexpr double kMostFromSpread = 0.30;

}  // namespace

double usual_move(std::string_view path, Unit unit, bool same_device) {
  for (const PathFloor& floor : kPathFloors) {
    if (path.starts_with(floor.start)) return same_device ? floor.same_device : floor.same_sku;
  }
  const auto found = std::find_if(kFloors.begin(), kFloors.end() - 1,
                                  [unit](const Floor& floor) { return floor.unit == unit; });
  return same_device ? found->same_device : found->same_sku;
}

int better_way(Unit unit) {
  switch (unit) {
    case Unit::gb_per_s:
    case Unit::tflop_per_s:
    case Unit::gop_per_s:
    case Unit::flop_per_clock_per_sm:
    case Unit::bytes_per_clock_per_sm:
    case Unit::khz:
    case Unit::mhz:
    case Unit::ghz:
      return 1;
    case Unit::cycles:
    case Unit::ns:
    case Unit::us:
    case Unit::ms:
    case Unit::s:
      return -1;
    default:
      return 0;
  }
}

namespace {

Drifted direction_of(double rel, Unit unit) {
  const int way = better_way(unit);
  if (way == 0 || rel == 0.0 || std::isnan(rel)) return Drifted::either;
  return (rel > 0.0) == (way > 0) ? Drifted::better : Drifted::worse;
}

double tolerance_of(const std::string& path, const Fact& current, const Fact& pinned,
                    bool same_device) {
  const double spread = std::max(current.rel_spread.value_or(0.0), pinned.rel_spread.value_or(0.0));
  const double by_spread = std::min(kSpreads * spread, kMostFromSpread);
  return std::max(usual_move(path, pinned.units, same_device), by_spread);
}

std::string text_of(const std::optional<bool>& flag) {
  return !flag ? "unknown" : *flag ? "on" : "off";
}

std::string text_of(const std::optional<double>& watts) {
  std::ostringstream text;
  if (watts) {
    text << *watts << " W";
  } else {
    text << "unknown";
  }
  return text.str();
}

/// The build whose probes measured: another one may have measured otherwise.
std::string text_of(const SuiteIdentity& suite) {
  constexpr std::size_t kShortCommit = 10;
  std::string text = suite.version;
  if (!suite.commit.empty()) text += " (" + suite.commit.substr(0, kShortCommit) + ")";
  return suite.dirty ? text + " with local changes" : text;
}

class Differences {
 public:
  void compare(const std::string& what, const std::string& current, const std::string& pinned) {
    if (current != pinned) {
      list.push_back(what + ": " + current + " now, " + pinned + " pinned");
    }
  }
  std::vector<std::string> list;
};

bool known_and_different(const std::optional<bool>& a, const std::optional<bool>& b) {
  return a && b && *a != *b;
}

/// True when the two cannot be compared at all.
bool is_other_kind(const DeviceIdentity& current, const DeviceIdentity& pinned) {
  return current.name != pinned.name || architecture(current) != architecture(pinned) ||
         known_and_different(current.ecc, pinned.ecc) ||
         known_and_different(current.mig, pinned.mig);
}

std::vector<std::string> differences_of(const Dossier& current, const Dossier& pinned) {
  const DeviceIdentity& now = current.device;
  const DeviceIdentity& then = pinned.device;
  Differences differences;
  differences.compare("SKU", now.name + " (" + architecture(now) + ")",
                      then.name + " (" + architecture(then) + ")");
  differences.compare("ECC", text_of(now.ecc), text_of(then.ecc));
  differences.compare("MIG", text_of(now.mig), text_of(then.mig));
  const bool both_known = now.power_limit_w && then.power_limit_w;
  if (!both_known || !(std::abs(*now.power_limit_w - *then.power_limit_w) <= 1.0)) {
    differences.compare("power cap", text_of(now.power_limit_w), text_of(then.power_limit_w));
  }
  const auto branch = [](const std::string& driver) {
    return driver.empty() ? std::string("unknown") : driver.substr(0, driver.find('.'));
  };
  differences.compare("driver branch", branch(now.driver), branch(then.driver));
  differences.compare("suite", text_of(current.suite), text_of(pinned.suite));
  differences.compare("level", std::string(to_string(current.level)),
                      std::string(to_string(pinned.level)));
  return differences.list;
}

using PathFact = std::pair<std::string, const Fact*>;

/// Every fact (of the entry `only`, when named) by its path, sorted: a fleet is compared dossier by
/// dossier, and maps cost more than the comparison.
std::vector<PathFact> facts_of(const Dossier& dossier, std::string_view only) {
  std::vector<PathFact> facts;
  for (const auto& [name, entry] : dossier.entries) {
    if (!only.empty() && name != only) continue;
    for (const auto& [key, fact] : entry.facts) {
      facts.emplace_back(fact_path(name, key), &fact);
    }
  }
  std::sort(facts.begin(), facts.end());
  return facts;
}

bool is_measured(const Fact* fact) {
  return fact != nullptr && fact->samples > 0 && as_number(fact->value).has_value();
}

bool is_null(const Fact* fact) {
  return fact != nullptr && std::holds_alternative<std::monostate>(fact->value);
}

/// Measured facts only, or those that should have been: stated and text facts are identity, not
/// drift.
void compare_fact(const std::string& path, const Fact* current, const Fact* pinned, Drift& drift) {
  const bool now = is_measured(current);
  const bool then = is_measured(pinned);
  if (!now && !then) {
    return;
  }
  if (!then) {
    (is_null(pinned) ? drift.missing : drift.added).push_back(path);
    return;
  }
  const double base = as_number(pinned->value).value();
  // A count of 0 (no wrong element) is a baseline: what comes on top counts against one.
  const double scale = is_whole(pinned->units) ? std::max(std::abs(base), 1.0) : std::abs(base);
  if (!now || scale == 0.0 || current->units != pinned->units) {
    drift.missing.push_back(path);
    if (now) {
      drift.differences.push_back(
          path + (scale == 0.0 ? ": a pinned 0 is no baseline" : ": the units differ"));
    }
    return;
  }
  DriftEntry entry;
  entry.path = path;
  entry.current = as_number(current->value).value();
  entry.pinned = base;
  entry.rel = (entry.current - base) / scale;
  entry.drifted = direction_of(entry.rel, pinned->units);
  const bool own_tier = drift.same_device && entry.drifted != Drifted::better;
  entry.tolerance = drift.rel_tol.value_or(tolerance_of(path, *current, *pinned, own_tier));
  entry.over = !(std::abs(entry.rel) <= entry.tolerance);
  drift.worst_rel = std::max(drift.worst_rel, std::abs(entry.rel));
  drift.over_tol += entry.over ? 1 : 0;
  ++drift.compared;
  drift.entries.push_back(std::move(entry));
}

}  // namespace

std::string_view to_string(Drifted drifted) {
  if (drifted == Drifted::either) return "either";
  return drifted == Drifted::worse ? "worse" : "better";
}

Drift compare_dossiers(const Dossier& current, const Dossier& pinned, std::optional<double> rel_tol,
                       std::string_view only) {
  Drift drift;
  drift.rel_tol = rel_tol;
  drift.same_device = !current.device.uuid.empty() &&
                      hashed_uuid(current.device.uuid) == hashed_uuid(pinned.device.uuid);
  drift.differences = differences_of(current, pinned);
  if (is_other_kind(current.device, pinned.device)) {
    return drift;
  }
  const std::vector<PathFact> now = facts_of(current, only);
  const std::vector<PathFact> then = facts_of(pinned, only);
  auto a = now.begin();
  auto b = then.begin();
  while (a != now.end() || b != then.end()) {
    const bool only_now = b == then.end() || (a != now.end() && a->first < b->first);
    const bool only_then = a == now.end() || (b != then.end() && b->first < a->first);
    const std::string& path = only_then ? b->first : a->first;
    compare_fact(path, only_then ? nullptr : a->second, only_now ? nullptr : b->second, drift);
    a += only_then ? 0 : 1;
    b += only_now ? 0 : 1;
  }
  drift.pass = drift.compared > 0 && drift.over_tol == 0 && drift.missing.empty();
  return drift;
}

}  // namespace assay
