// SPDX-License-Identifier: Apache-2.0
// How many bytes a second does the device memory move: reading, writing, copying, by triads of
// three access widths, by random rows, by the copy unit, and by the driver's own commands?
#include <array>
#include <cstdint>
#include <string>

#include <cuda_runtime_api.h>

#include "probes/dram_checks.h"
#include "probes/dram_sm_share.h"
#include "probes/dram_streams.h"
#include "probes/harness/probe.h"
#include "probes/memory_plan.h"

namespace assay {
namespace {

constexpr std::uint32_t kGuard = kStreamSalt;  // no thread's fold, but for a chance of 2^-32 each

struct Work {
  const char* key;
  const char* method;
  StreamKernel counts;
  void (*enqueue)(const Streams&, cudaStream_t);
  void (*check)(const Streams&);
  int needs_cc = 0;
  bool in_graph = true;  ///< see SlopeOptions
};

constexpr std::array kWorks{
    Work{"read", "16 B ld.global.cs, 4 in flight per thread, 256 threads, one 16 KiB tile a block",
         StreamKernel::read, [](const Streams& s, cudaStream_t q) { enqueue_read(s, kGuard, q); },
         check_read},
    Work{"write", "16 B st.global.cs, one per thread, 256 threads", StreamKernel::write,
         [](const Streams& s, cudaStream_t q) { enqueue_write(s, ~0u, q); }, check_write},
    Work{"copy", "16 B ld.global.cs and st.global.cs, one per thread, 256 threads; read + written",
         StreamKernel::copy, enqueue_copy, check_copy},
    Work{"triad_4B", "a = b + s*c, one float per thread, 256 threads; read + written",
         StreamKernel::triad, enqueue_triad_4b, check_triad},
    Work{"triad_8B", "a = b + s*c, one float2 per thread, 256 threads; read + written",
         StreamKernel::triad, enqueue_triad_8b, check_triad},
    Work{"triad_16B",
         "a = b + s*c, one float4 per thread, 1024 threads, loads as they come, st.global.cs; read "
         "+ "
         "written",
         StreamKernel::triad, enqueue_triad_16b, check_triad},
    Work{"gather_4B",
         "4 B ld.global.cg at hashed addresses over the whole stream, 16 in flight per thread; "
         "useful bytes only",
         StreamKernel::gather_4b,
         [](const Streams& s, cudaStream_t q) { enqueue_gather_4b(s, kGuard, q); },
         check_gather_4b},
    Work{"gather_16B",
         "16 B ld.global.cg at hashed addresses over the whole stream, 8 in flight per thread; "
         "useful bytes only",
         StreamKernel::gather_16b,
         [](const Streams& s, cudaStream_t q) { enqueue_gather_16b(s, kGuard, q); },
         check_gather_16b},
    Work{"gather_128B",
         "aligned 128 B rows at hashed places of the whole stream, 8 lanes x 16 B ld.global.cg a "
         "row, 8 in flight per thread",
         StreamKernel::gather_128b,
         [](const Streams& s, cudaStream_t q) { enqueue_gather_128b(s, kGuard, q); },
         check_gather_128b},
    Work{"read_tma",
         "cp.async.bulk to shared memory, 4 chunks of 8 KiB in flight per block, one 32 KiB tile a "
         "block, then read from there by 128 threads",
         StreamKernel::read,
         [](const Streams& s, cudaStream_t q) { enqueue_bulk_read(s, kGuard, q); }, check_bulk_read,
         90},
    Work{"copy_engine", "cudaMemcpyAsync, device to device, outside of graphs; read + written",
         StreamKernel::copy, enqueue_copy_engine, check_copy, 0, false},
    Work{"memset", "cudaMemsetAsync, bytes of 0x5a", StreamKernel::write,
         [](const Streams& s, cudaStream_t q) { enqueue_memset(s, kMemsetByte, q); }, check_memset},
    Work{"write_zeros", "as write, all words 0", StreamKernel::write,
         [](const Streams& s, cudaStream_t q) { enqueue_write(s, 0, q); }, check_zeros},
    // After write_zeros: it reads the stream that was filled there, and its check sees to that.
    Work{"read_zeros", "as read, all words 0", StreamKernel::read,
         [](const Streams& s, cudaStream_t q) { enqueue_read_of_a(s, kGuard, q); },
         check_read_zeros},
};

constexpr const char* kSetMethod =
    "bytes of one stream, the smallest set that a reading kernel covers; at least 8 x L2";

std::string path(const Work& work) {
  return std::string("dram_bw.") + work.key;
}

/// Stated peak in bytes per second; 0 where the driver does not say.
double stated_peak(const Device& device) {
  const double khz = device.attribute(cudaDevAttrMemoryClockRate);
  const double bits = device.attribute(cudaDevAttrGlobalMemoryBusWidth);
  return 2.0 * khz * 1e3 * bits / 8.0;
}

Measurements nothing_available(Level level, const std::string& detail) {
  Measurements out;
  const NullReason reason{NullKind::not_available, detail};
  for (const Work& work : kWorks) out.add(path(work), absent(Unit::gb_per_s, work.method, reason));
  out.add("dram_bw.working_set_bytes", absent(Unit::bytes, kSetMethod, reason));
  if (level == Level::full) add_absent_sm_share_facts(reason, out);
  return out;
}

SlopeOptions slope_options(Level level, bool in_graph) {
  SlopeOptions options;
  options.in_graph = in_graph;
  options.samples = level == Level::quick ? 5 : 31;
  // Calls of 2.5 ms and more, the slow ones of the list, then count by one more call.
  options.target_span_s = level == Level::quick ? 2.5e-3 : 5e-3;
  return options;
}

Fact measure(const Device& device, const Streams& streams, const Work& work) {
  if (device.cc() < work.needs_cc) {
    return absent(Unit::gb_per_s, work.method,
                  {NullKind::not_supported, "bulk copies need compute capability 9.0"});
  }
  const Timing timing = time_slope(
      device, [&](cudaStream_t stream) { work.enqueue(streams, stream); },
      slope_options(device.level(), work.in_graph));
  work.check(streams);
  const double bytes = static_cast<double>(bytes_per_call(work.counts, streams.bytes()));
  return rate(timing, bytes, Unit::gb_per_s, work.method);
}

}  // namespace

Measurements run_probe(const Device& device) {
  const auto bytes = dram_stream_bytes(device.free_bytes(), device.l2_bytes(), stated_peak(device));
  if (!bytes) {
    return nothing_available(device.level(), "free memory does not hold three streams of 8 x L2");
  }
  const auto streams = allocate_streams(*bytes);
  if (!streams) {
    return nothing_available(device.level(), "the free memory was taken before it could be used");
  }
  fill(*streams);

  Measurements out;
  for (const Work& work : kWorks) out.add(path(work), measure(device, *streams, work));
  out.add("dram_bw.working_set_bytes",
          derived(static_cast<double>(*bytes), Unit::bytes, kSetMethod));
  if (device.level() == Level::full) add_sm_share_facts(device, *streams, out);
  return out;
}

}  // namespace assay
