// SPDX-License-Identifier: Apache-2.0
// What does the driver state about this device, and how many of its SMs really run?
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dossiers/peaks.h"
#include "probes/harness/device_clock.cuh"
#include "probes/harness/probe.h"

namespace assay {

namespace {

constexpr const char* kDriver = "driver attribute";
constexpr const char* kManagement = "management library";
constexpr int kCensusRuns = 5;
constexpr int kCensusBlocksPerSm = 8;
constexpr double kCensusBlockSeconds = 20e-6;
/// More SM ids than any device has.
constexpr unsigned kMaxSmIds = 1024;

/// Every block stays long enough that all of the grid is resident at once, on every SM there is.
__global__ void census_kernel(unsigned* blocks_seen, std::uint64_t cycles) {
  const unsigned sm = read_smid();
  if (sm < kMaxSmIds) {
    atomicAdd(&blocks_seen[sm], 1U);
  }
  spin_for(cycles);
}

/// A stated number; drivers write 0 for what they do not know.
Fact stated_number(int value, Unit units) {
  if (value <= 0) {
    return absent(units, kDriver,
                  {NullKind::not_available, "the driver says " + std::to_string(value)});
  }
  return stated(std::int64_t{value}, units, kDriver);
}

template <typename T>
Fact stated_or_absent(const std::optional<T>& value, Unit units, const char* method) {
  return value ? stated(*value, units, method)
               : absent(units, method, {NullKind::not_available, "the source has no answer"});
}

void add_identity(const Device& device, Measurements& facts) {
  const DeviceIdentity& identity = device.identity();
  const std::optional<std::string> driver =
      identity.driver.empty() ? std::nullopt : std::optional(identity.driver);
  facts.add("device.name", stated(identity.name, Unit::none, kDriver));
  facts.add("device.compute_capability",
            stated(std::to_string(identity.cc_major) + "." + std::to_string(identity.cc_minor),
                   Unit::none, kDriver));
  facts.add("device.driver", stated_or_absent(driver, Unit::none, kManagement));
  facts.add("device.ecc", stated_or_absent(identity.ecc, Unit::none, kDriver));
  facts.add("device.mig", stated_or_absent(identity.mig, Unit::none, kDriver));
  facts.add("device.power_limit_w",
            stated_or_absent(identity.power_limit_w, Unit::watt, kManagement));
}

void add_sizes(const Device& device, Measurements& facts) {
  const auto number = [&](const char* path, cudaDeviceAttr attribute, Unit units) {
    facts.add(path, stated_number(device.attribute(attribute), units));
  };
  number("device.sm_count", cudaDevAttrMultiProcessorCount, Unit::count);
  number("device.l2_bytes", cudaDevAttrL2CacheSize, Unit::bytes);
  number("device.smem_per_sm_bytes", cudaDevAttrMaxSharedMemoryPerMultiprocessor, Unit::bytes);
  number("device.regs_per_sm", cudaDevAttrMaxRegistersPerMultiprocessor, Unit::count);
  number("device.max_threads_per_sm", cudaDevAttrMaxThreadsPerMultiProcessor, Unit::count);
  number("device.fp32_to_fp64_ratio", cudaDevAttrSingleToDoublePrecisionPerfRatio, Unit::ratio);
  std::size_t available = 0;
  std::size_t total = 0;
  ASSAY_CUDA(cudaMemGetInfo(&available, &total));
  facts.add("device.memory_bytes", stated(std::uint64_t{total}, Unit::bytes, "cudaMemGetInfo"));
}

void add_clocks(const Device& device, Measurements& facts) {
  const int sm_khz = device.attribute(cudaDevAttrClockRate);
  const int memory_khz = device.attribute(cudaDevAttrMemoryClockRate);
  const int bus_bits = device.attribute(cudaDevAttrGlobalMemoryBusWidth);
  facts.add("device.sm_clock_max_mhz",
            sm_khz > 0 ? stated(sm_khz * 1e-3, Unit::mhz, kDriver)
                       : absent(Unit::mhz, kDriver, {NullKind::not_available, "no clock stated"}));
  facts.add("device.memory_clock_khz", stated_number(memory_khz, Unit::khz));
  facts.add("device.memory_bus_bits", stated_number(bus_bits, Unit::bits));
  constexpr const char* kFormula = "2 * memory_clock_khz * 1e3 * memory_bus_bits / 8 / 1e9";
  const std::optional<double> peak = dram_peak_gbs(memory_khz, bus_bits);
  facts.add("device.dram_peak_gbs",
            peak ? derived(*peak, Unit::gb_per_s, kFormula)
                 : absent(Unit::gb_per_s, kFormula,
                          {NullKind::not_available, "no memory clock or bus width stated"}));
}

/// Distinct SM ids among all runs, with the count of each run as a sample.
Fact census(const Device& device) {
  constexpr const char* kMethod =
      "distinct %smid over 5 grids of 8 blocks a SM that are resident at once";
  const auto khz = static_cast<double>(std::max(device.attribute(cudaDevAttrClockRate), 1'000'000));
  const auto cycles = static_cast<std::uint64_t>(kCensusBlockSeconds * 1e3 * khz);
  DeviceBuffer<unsigned> seen((kCensusRuns + 1) * kMaxSmIds);
  seen.clear();
  int run = 0;  // watch() runs the work once more, before the first sample
  const Timing timing = watch(
      device,
      [&](cudaStream_t stream) {
        census_kernel<<<kCensusBlocksPerSm * device.sm_count(), 32, 0, stream>>>(
            seen.data() + static_cast<std::size_t>(run) * kMaxSmIds, cycles);
        ++run;
      },
      kCensusRuns);
  const std::vector<unsigned> blocks = seen.download();
  std::vector<double> counts;
  std::set<std::size_t> alive;
  for (std::size_t i = 1; i <= kCensusRuns; ++i) {
    std::size_t count = 0;
    for (std::size_t sm = 0; sm < kMaxSmIds; ++sm) {
      if (blocks[i * kMaxSmIds + sm] > 0) {
        alive.insert(sm);
        ++count;
      }
    }
    counts.push_back(static_cast<double>(count));
  }
  if (timing.clock_ghz > 0.0 && !alive.empty()) {  // others' work cannot hide or add an SM
    return measured(static_cast<double>(alive.size()), Unit::count, kMethod, timing.clock_ghz,
                    counts);
  }
  return absent(Unit::count, kMethod, {NullKind::clock_lost, "no SM clock around the census"});
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements facts;
  add_identity(device, facts);
  add_sizes(device, facts);
  add_clocks(device, facts);
  facts.add("device.sm_count_alive", census(device));
  return facts;
}

}  // namespace assay
