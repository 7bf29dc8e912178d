// SPDX-License-Identifier: Apache-2.0
// What would a fault have changed in the facts of a run?
#include "invariants/rates/plants.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "invariants/catalog.h"

namespace assay {
namespace {

constexpr double kDramLeft = 0.98;
constexpr double kClockLeft = 0.98;
constexpr double kLatencyGrown = 1.05;
constexpr double kSlowSm = 1.05;  // the slow SM takes this much longer

using Change = std::function<void(const std::string& path, Fact& fact)>;

void change_all(Dossier& dossier, const Change& change) {
  for (auto& [entry, measurement] : dossier.entries) {
    for (auto& [key, fact] : measurement.facts) change(fact_path(entry, key), fact);
  }
}

void scale(Fact& fact, double factor) {
  const auto number = as_number(fact.value);
  if (number) fact.value = *number * factor;
}

bool starts_with_any(std::string_view path, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [path](std::string_view start) { return path.starts_with(start); });
}

/// Rates of what happens inside the SMs: arithmetic, L1, shared memory.
bool is_rate_of_sms(const std::string& path, const Fact& fact) {
  if (fact.units == Unit::tflop_per_s) return true;
  return starts_with_any(path, {"l1_bw.", "smem_bw.", "dsmem_bw.", "int_rate.", "atomics_shared."});
}

/// Rates per clock of a whole grid. wgmma's is the middle SM's own: another SM does not move it.
bool is_rate_of_grid_per_clock(const std::string& path, const Fact& fact) {
  return (fact.units == Unit::flop_per_clock_per_sm ||
          fact.units == Unit::bytes_per_clock_per_sm) &&
         !path.starts_with("mma_per_clock.wgmma_");
}

void lose_dram(const std::string& path, Fact& fact) {
  if (path.starts_with("dram_bw.") && fact.units == Unit::gb_per_s) scale(fact, kDramLeft);
}

/// The driver still states the clock it may reach; what is measured runs slower, and what takes
/// clocks inside the SMs takes longer.
void lose_clock(const std::string& path, Fact& fact) {
  const bool measured_clock = fact.units == Unit::ghz && path != "clock.max_ghz";
  if (measured_clock || is_rate_of_sms(path, fact)) scale(fact, kClockLeft);
  const bool in_sm =
      starts_with_any(path, {"latency.shared_ns", "latency.l1_ns", "latency.constant_ns",
                             "latency.dsmem_ns", "latency.l2"}) &&
      fact.units == Unit::ns;
  if (in_sm || path == "grid_barrier.cooperative_us") scale(fact, 1.0 / kClockLeft);
}

void grow_latency(const std::string& path, Fact& fact, std::string_view start) {
  if (path.starts_with(start)) scale(fact, kLatencyGrown);
}

/// An SM that runs no code while the driver still counts it.
void lose_sm(const std::string& path, Fact& fact, std::int64_t sms) {
  const bool counts = path == "device.sm_count_alive" || path.ends_with("_sms");
  if (counts && is_whole(fact.units)) {
    const auto number = as_number(fact.value);
    if (number && *number == static_cast<double>(sms)) fact.value = sms - 1;
  } else if (is_rate_of_sms(path, fact) || is_rate_of_grid_per_clock(path, fact)) {
    scale(fact, static_cast<double>(sms - 1) / static_cast<double>(sms));
  }
}

/// A grid that fills the device once ends with its slowest SM.
void slow_sm(const std::string& path, Fact& fact) {
  if (is_rate_of_sms(path, fact) || is_rate_of_grid_per_clock(path, fact))
    scale(fact, 1.0 / kSlowSm);
}

std::int64_t sm_count(const Dossier& dossier) {
  const Fact* fact = dossier.find("device.sm_count");
  const auto number = fact == nullptr ? std::nullopt : as_number(fact->value);
  return number ? static_cast<std::int64_t>(*number) : 0;
}

struct Fault {
  Plant plant;
  std::function<void(Dossier&)> apply;
};

Fault latency_fault(const char* id, const char* title, const char* start) {
  return {{id, title, std::string("every latency under ") + start + "* x 1.05"},
          [start](Dossier& dossier) {
            change_all(dossier, [start](const std::string& path, Fact& fact) {
              grow_latency(path, fact, start);
            });
          }};
}

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all{
      {{"dram_loss_2", "2 % of the DRAM bandwidth lost", "every rate of dram_bw x 0.98"},
       [](Dossier& dossier) { change_all(dossier, lose_dram); }},
      {{"clock_loss_2", "2 % of the SM clock lost",
        "measured clocks, rates of arithmetic, L1 and shared memory x 0.98; times / 0.98"},
       [](Dossier& dossier) { change_all(dossier, lose_clock); }},
      latency_fault("latency_l2_5", "5 % more latency of the L2", "latency.l2"),
      latency_fault("latency_dram_5", "5 % more latency of the DRAM", "latency.dram"),
      latency_fault("latency_l1_5", "5 % more latency of the L1", "latency.l1"),
      {{"sm_missing", "one SM runs no code",
        "SMs alive and covered - 1; rates of arithmetic, L1 and shared memory x (n-1)/n"},
       [](Dossier& dossier) {
         const std::int64_t sms = sm_count(dossier);
         change_all(dossier,
                    [sms](const std::string& path, Fact& fact) { lose_sm(path, fact, sms); });
       }},
      {{"sm_slow_5", "one SM takes 5 % longer",
        "a grid ends with its slowest SM: rates of arithmetic, L1 and shared memory / 1.05"},
       [](Dossier& dossier) { change_all(dossier, slow_sm); }},
  };
  return all;
}

}  // namespace

const std::vector<Plant>& plants() {
  static const std::vector<Plant> all = [] {
    std::vector<Plant> list;
    for (const Fault& fault : faults()) list.push_back(fault.plant);
    return list;
  }();
  return all;
}

Dossier planted(Dossier dossier, std::string_view id) {
  for (const Fault& fault : faults()) {
    if (fault.plant.id != id) continue;
    fault.apply(dossier);
    return dossier;
  }
  throw std::invalid_argument("no planted fault `" + std::string(id) + "`");
}

}  // namespace assay
