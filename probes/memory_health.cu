// SPDX-License-Identifier: Apache-2.0
// Does the device memory keep what is written there, and what do its error counters say?
#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "dossiers/driver/health.h"
#include "probes/harness/nvml_device.h"
#include "probes/harness/probe.h"
#include "probes/memory_patterns.h"

namespace assay {
namespace {

constexpr int kThreads = 256;
constexpr int kBlocksPerSm = 8;
constexpr std::uint64_t kSeed = 0x5eed1234;
constexpr std::uint64_t kQuickBytes = std::uint64_t{4} << 30;
constexpr double kTestedShare = 0.8;

/// What a sweep found wrong.
struct Findings {
  unsigned long long wrong_words;
  unsigned long long first_word;  ///< the lowest place of a wrong word
  unsigned long long bits;        ///< every bit that differed somewhere
};

__device__ void compare(std::uint64_t got, std::uint64_t want, std::uint64_t word,
                        Findings* findings) {
  if (got == want) return;
  atomicAdd(&findings->wrong_words, 1ull);
  atomicMin(&findings->first_word, static_cast<unsigned long long>(word));
  atomicOr(&findings->bits, static_cast<unsigned long long>(got ^ want));
}

template <bool kCheck, bool kWrite>
__global__ void __launch_bounds__(kThreads)
    sweep_kernel(ulonglong2* data, std::uint64_t vectors, MemoryPattern check, MemoryPattern write,
                 bool from_end, Findings* findings) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kThreads;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < vectors;
       i += stride) {
    const std::uint64_t vector = from_end ? vectors - 1 - i : i;
    const std::uint64_t word = 2 * vector;
    if constexpr (kCheck) {
      const ulonglong2 got = __ldcs(data + vector);
      compare(got.x, pattern_word(check, word), word, findings);
      compare(got.y, pattern_word(check, word + 1), word + 1, findings);
    }
    if constexpr (kWrite) {
      __stcs(data + vector,
             make_ulonglong2(pattern_word(write, word), pattern_word(write, word + 1)));
    }
  }
}

/// The memory under test and what was found wrong in it.
class Tested {
 public:
  Tested(const Device& device, std::uint64_t bytes)
      : blocks_(device.sm_count() * kBlocksPerSm),
        stream_(make_stream()),
        data_(bytes / sizeof(ulonglong2)),
        findings_(1) {
    forget();
  }

  std::uint64_t bytes() const { return data_.bytes(); }

  void sweep(const PatternSweep& sweep) const {
    const MemoryPattern check = sweep.check.value_or(MemoryPattern{});
    const MemoryPattern write = sweep.write.value_or(MemoryPattern{});
    const auto launch = [&](auto* kernel) {
      kernel<<<blocks_, kThreads, 0, stream_.get()>>>(data_.data(), data_.size(), check, write,
                                                      sweep.from_end, findings_.data());
      ASSAY_CUDA(cudaGetLastError());
    };
    if (sweep.check && sweep.write) {
      launch(&sweep_kernel<true, true>);
    } else if (sweep.check) {
      launch(&sweep_kernel<true, false>);
    } else {
      launch(&sweep_kernel<false, true>);
    }
  }

  /// Flips the lowest bit of the byte at `offset`.
  void damage(std::uint64_t offset) const {
    unsigned char* byte = reinterpret_cast<unsigned char*>(data_.data()) + offset;
    unsigned char held = 0;
    ASSAY_CUDA(cudaStreamSynchronize(stream_.get()));
    ASSAY_CUDA(cudaMemcpy(&held, byte, 1, cudaMemcpyDeviceToHost));
    held ^= 1u;
    ASSAY_CUDA(cudaMemcpy(byte, &held, 1, cudaMemcpyHostToDevice));
    ASSAY_CUDA(cudaDeviceSynchronize());  // a copy of this size may return before it has landed
  }

  Findings findings() const {
    ASSAY_CUDA(cudaStreamSynchronize(stream_.get()));
    return findings_.download().front();
  }

  void forget() {
    findings_.upload({{0, ~0ull, 0}});
    ASSAY_CUDA(cudaDeviceSynchronize());
  }

 private:
  int blocks_;
  Stream stream_;
  DeviceBuffer<ulonglong2> data_;
  DeviceBuffer<Findings> findings_;
};

/// nullopt when not even half of the memory that was free a moment ago can be had in one piece.
std::optional<Tested> allocate(const Device& device, std::uint64_t bytes) {
  constexpr std::uint64_t kVector = 2 * sizeof(std::uint64_t);
  for (std::uint64_t wanted = bytes; wanted >= bytes / 2; wanted -= bytes / 10) {
    try {
      return std::make_optional<Tested>(device, wanted / kVector * kVector);
    } catch (const CudaError& error) {
      if (error.code() != cudaErrorMemoryAllocation) throw;
    }
  }
  return std::nullopt;
}

/// Proves that a check sees one wrong bit, at its place, before it is trusted with seeing none.
void prove_check(Tested& tested) {
  const MemoryPattern address{PatternKind::address, 0};
  const std::uint64_t word = tested.bytes() / sizeof(std::uint64_t) * 2 / 3;
  tested.sweep({std::nullopt, address, false});
  tested.damage(word * sizeof(std::uint64_t));
  const Findings before = tested.findings();
  tested.sweep({address, std::nullopt, true});
  const Findings after = tested.findings();
  const std::uint64_t seen = after.wrong_words - before.wrong_words;
  if (seen == 0 || after.first_word > word || (after.bits & 1u) == 0) {
    throw WrongResult("the memory check did not see the bit that was flipped to prove it");
  }
  tested.forget();
}

std::string describe(const Findings& findings) {
  std::ostringstream text;
  if (findings.wrong_words == 0) {
    text << "every word held what was written";
  } else {
    text << findings.wrong_words << " wrong words, the first at byte " << std::hex << std::showbase
         << findings.first_word * sizeof(std::uint64_t) << " of the tested range, bits "
         << findings.bits;
  }
  return text.str();
}

HealthCounters read_counters(const NvmlDeviceMatch& match) {
  return match.device ? read_health(*match.nvml, match.device->nvml_handle)
                      : unknown_health(match.why);
}

Fact unknown_counter(const char* method, const std::string& why) {
  return absent(Unit::count, method, {NullKind::not_available, why});
}

Fact difference(const Answer<std::uint64_t>& before, const Answer<std::uint64_t>& after) {
  constexpr const char* kMethod =
      "NVML, errors since the driver was loaded: after the test - before it";
  if (!before) return unknown_counter(kMethod, before.why);
  if (!after) return unknown_counter(kMethod, after.why);
  if (*after.value < *before.value) {
    return unknown_counter(kMethod, "the counter was reset meanwhile");
  }
  return stated(std::uint64_t{*after.value - *before.value}, Unit::count, kMethod);
}

void add_counters(const HealthCounters& before, const HealthCounters& after, Measurements& facts) {
  constexpr const char* kRows = "NVML, rows replaced by spare ones, after the test";
  facts.add("memory_health.ecc_corrected_delta",
            difference(before.ecc_corrected, after.ecc_corrected));
  facts.add("memory_health.ecc_uncorrected_delta",
            difference(before.ecc_uncorrected, after.ecc_uncorrected));
  facts.add("memory_health.remapped_rows",
            after.rows_remapped ? stated(*after.rows_remapped.value, Unit::count, kRows)
                                : unknown_counter(kRows, after.rows_remapped.why));
}

void add_all(const Measurements& others, Measurements& facts) {
  for (const auto& [entry, measurement] : others.entries()) {
    for (const auto& [key, fact] : measurement.facts) {
      facts.add(entry + "." + key, fact);
    }
    if (!measurement.note.empty()) {
      facts.note(entry, measurement.note);
    }
  }
}

constexpr const char* kErrorsMethod =
    "8-byte words that differ from what was written: address-in-address, moving inversions, random";
constexpr const char* kBytesMethod = "bytes that every pattern was written to";
constexpr const char* kShareMethod = "tested bytes / bytes that were free before";

void add_untested(const std::string& why, Measurements& facts) {
  const NullReason reason{NullKind::not_available, why};
  facts.add("memory_health.errors", absent(Unit::count, kErrorsMethod, reason));
  facts.add("memory_health.tested_bytes", absent(Unit::bytes, kBytesMethod, reason));
  facts.add("memory_health.tested_share", absent(Unit::ratio, kShareMethod, reason));
}

void test_memory(const Device& device, Measurements& facts) {
  const bool quick = device.level() == Level::quick;
  const std::uint64_t available = device.free_bytes();
  const auto bytes = health_bytes(available, kTestedShare, quick ? kQuickBytes : ~std::uint64_t{0},
                                  device.l2_bytes());
  std::optional<Tested> tested = bytes ? allocate(device, *bytes) : std::nullopt;
  if (!tested) {
    return add_untested("the free memory does not hold eight times the L2", facts);
  }
  prove_check(*tested);
  for (const PatternSweep& sweep : pattern_sweeps(inversion_values(quick ? 0 : 8), kSeed)) {
    tested->sweep(sweep);
  }
  const Findings findings = tested->findings();
  facts.add("memory_health.errors",
            derived(static_cast<double>(findings.wrong_words), Unit::count, kErrorsMethod));
  facts.add("memory_health.tested_bytes",
            derived(static_cast<double>(tested->bytes()), Unit::bytes, kBytesMethod));
  facts.add("memory_health.tested_share",
            derived(static_cast<double>(tested->bytes()) / static_cast<double>(available),
                    Unit::ratio, kShareMethod));
  facts.note("memory_health", describe(findings));
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements facts;
  const NvmlDeviceMatch nvml = find_in_nvml(device.identity());
  XidWatch xids(nvml.nvml, nvml.device ? nvml.device->nvml_handle : nullptr);
  const HealthCounters before = read_counters(nvml);
  test_memory(device, facts);
  const HealthCounters after = read_counters(nvml);
  add_counters(before, after, facts);
  add_all(health_facts(before, after, xids.events()), facts);
  return facts;
}

}  // namespace assay
