// SPDX-License-Identifier: Apache-2.0
// Which GPUs do the two pretended driver libraries show? Told by environment variables, read at
// every call, so that a test can change its mind:
//   ASSAY_FAKE_GPUS=N       how many (default 1)
//   ASSAY_FAKE_SCENARIO=    words: crossed (case: 2 of 3 GPUs, CUDA's order is not NVML's),
//                           mig (device 0 is a slice), fields_unsupported (NVML knows the device
//                           and nothing else), nvml_by_pci (other UUIDs in NVML), nvml_elsewhere
//                           (other UUIDs and PCI ids in NVML), same_prefix (UUIDs begin alike)
//   ASSAY_FAKE_CUINIT=code  what cuInit returns;  ASSAY_FAKE_DRIVER_CUDA=12040  the driver's CUDA
//   ASSAY_FAKE_REASONS=mask clock event reasons;  ASSAY_FAKE_PIDS=1,2 compute processes
//   ASSAY_FAKE_REPLAYS=n, ASSAY_FAKE_LINK_RETRIES=n, ASSAY_FAKE_LINK_RECOVERIES=n,
//   ASSAY_FAKE_XIDS=79,48  fault counters and events; more words: row_pending, row_failed,
//   no_links, link_lost
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace assay::fake {

inline std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

inline bool scenario(const char* word) {
  return environment("ASSAY_FAKE_SCENARIO").find(word) != std::string::npos;
}

inline int number(const char* name, int otherwise) {
  const std::string text = environment(name);
  return text.empty() ? otherwise : static_cast<int>(std::strtol(text.c_str(), nullptr, 0));
}

inline int gpu_count() {
  return scenario("crossed") ? 2 : number("ASSAY_FAKE_GPUS", 1);
}

/// The bus of libcuda's device: what tells the GPUs apart everywhere here.
inline unsigned cuda_bus(int ordinal) {
  if (scenario("crossed")) {
    return ordinal == 0 ? 0xc1 : 0x41;
  }
  return 0x10U * static_cast<unsigned>(ordinal + 1);
}

inline int nvml_count() {
  return scenario("crossed") ? 3 : gpu_count();
}

inline unsigned nvml_bus(unsigned index) {
  constexpr std::array<unsigned, 3> kCrossed = {0x41, 0x81, 0xc1};
  return scenario("crossed") ? kCrossed.at(index) : cuda_bus(static_cast<int>(index));
}

/// 16 bytes that begin with the bus, or with the same four bytes for all.
inline std::array<std::uint8_t, 16> uuid_of(unsigned bus, bool slice) {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes.at(i) = static_cast<std::uint8_t>(0x11 * i + (slice ? 7 : 0));
  }
  bytes[0] = scenario("same_prefix") ? 0xab : static_cast<std::uint8_t>(bus);
  bytes[15] = static_cast<std::uint8_t>(bus);
  return bytes;
}

}  // namespace assay::fake
