// SPDX-License-Identifier: Apache-2.0
// How many atomics a second does a kernel do that does nothing else? The part that all families of
// atomics share: how long a call must be, and its rate.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "probes/harness/probe.h"

namespace assay {

inline constexpr std::uint32_t kHammerThreads = 256;
/// Counters lie a line apart, so that they spread over the slices of the L2.
inline constexpr std::uint32_t kWordsPerLine = 32;
inline constexpr std::uint32_t kHammerSalt = 0x5eed1234u;

/// A kernel in which each of `threads` threads does as many atomics as it is asked for.
struct Hammer {
  std::string name;  ///< for the message when a total is wrong
  std::string method;
  std::uint32_t threads = 0;
  std::uint32_t most_atomics = 0;  ///< per thread and call
  std::function<void(std::uint32_t atomics, cudaStream_t)> enqueue;
  /// Runs it once from zeroed counters and throws WrongResult unless every total is right.
  std::function<void(std::uint32_t atomics, cudaStream_t)> check;
};

/// Blocks of kHammerThreads that fill the device.
std::uint32_t full_device_blocks(const Device& device);

/// Checks the totals, then times. Gop/s.
Fact measure_hammer(const Device& device, const Hammer& hammer);

/// Throws WrongResult, naming the hammer and the address, unless both are the same.
void check_total(const std::string& name, std::size_t address, std::uint64_t got,
                 std::uint64_t expected);

/// `atomics_return_f32.*` and `atomics_cas_u32.*`: atomics whose result is used.
void measure_returning_atomics(const Device& device, Measurements& facts);
/// `atomics_shared.*`: atomics in shared memory.
void measure_shared_atomics(const Device& device, Measurements& facts);

}  // namespace assay
