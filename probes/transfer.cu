// SPDX-License-Identifier: Apache-2.0
// How many bytes a second pass between host and device, by copies and by reads of the SMs, and over
// which link?
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "probes/harness/nvml_device.h"
#include "probes/harness/probe.h"
#include "probes/host_link.h"
#include "probes/side_by_side.h"
#include "probes/two_way_train.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;
using Word = std::uint32_t;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr int kThreads = 256;
constexpr int kReadsPerThread = 4;
constexpr std::size_t kTileBytes = std::size_t{kThreads} * kReadsPerThread * sizeof(uint4);
constexpr Word kUnlikelyGuard = 0x5eed1234u;
constexpr int kLinkCopies = 32;
// Copies of one train: a fork and a join cost 20 us, so that it should last long.
constexpr std::size_t kTrainCopies = 4;
constexpr int kBalancings = 3;
constexpr int kPageableCopies = 3;  // in the long one of the two trains; the short one has 1
constexpr std::size_t kChecked = 1024;

/// `.cs` loads of host memory by the SMs. What a thread reads is folded into one word, stored when
/// it equals `guard`, which is known at run time only.
__global__ void __launch_bounds__(kThreads) read_host(const uint4* host, Word guard, Word* sink) {
  const uint4* mine = host + std::size_t{blockIdx.x} * kThreads * kReadsPerThread + threadIdx.x;
  uint4 v[kReadsPerThread];
#pragma unroll
  for (int j = 0; j < kReadsPerThread; ++j) v[j] = __ldcs(mine + j * kThreads);
  Word seen = 0;
#pragma unroll
  for (int j = 0; j < kReadsPerThread; ++j) seen ^= v[j].x ^ v[j].y ^ v[j].z ^ v[j].w;
  if (seen == guard) *sink = seen;
}

/// Memory on both sides: what goes out and what comes in have their own, so that both can run.
struct Sides {
  explicit Sides(std::size_t bytes)
      : host_out(bytes / sizeof(Word)),
        host_in(bytes / sizeof(Word)),
        device_out(bytes / sizeof(Word)),
        device_in(bytes / sizeof(Word)),
        sink(1) {}
  std::size_t bytes() const { return device_in.bytes(); }

  PinnedBuffer<Word> host_out, host_in;
  DeviceBuffer<Word> device_out, device_in;
  DeviceBuffer<Word> sink;
};

void fill(Sides& sides) {
  const Stream stream = make_stream();
  fill_random_words(sides.device_out.data(), sides.bytes(), 11, stream.get());
  ASSAY_CUDA(cudaMemcpyAsync(sides.host_out.data(), sides.device_out.data(), sides.bytes(),
                             cudaMemcpyDeviceToHost, stream.get()));
  fill_random_words(sides.device_out.data(), sides.bytes(), 12, stream.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
}

void to_device(const Sides& sides, std::size_t bytes, cudaStream_t stream) {
  ASSAY_CUDA(cudaMemcpyAsync(sides.device_in.data(), sides.host_out.data(), bytes,
                             cudaMemcpyHostToDevice, stream));
}

void to_host(const Sides& sides, std::size_t bytes, cudaStream_t stream) {
  ASSAY_CUDA(cudaMemcpyAsync(sides.host_in.data(), sides.device_out.data(), bytes,
                             cudaMemcpyDeviceToHost, stream));
}

/// Throws WrongResult unless `host` holds what lies at `device`: at the start, the middle, the end.
void check_copy(const Word* host, const Word* device, std::size_t words, const char* what) {
  for (const std::size_t first : {std::size_t{0}, words / 2, words - kChecked}) {
    std::vector<Word> there(kChecked);
    ASSAY_CUDA(
        cudaMemcpy(there.data(), device + first, kChecked * sizeof(Word), cudaMemcpyDeviceToHost));
    if (!std::equal(there.begin(), there.end(), host + first)) {
      throw WrongResult(std::string(what) + ": the copy differs near word " +
                        std::to_string(first));
    }
  }
}

SlopeOptions options_of(const Device& device) {
  SlopeOptions options;
  options.samples = device.level() == Level::quick ? 7 : 21;
  options.target_span_s = 4e-3;
  return options;
}

Fact to_device_rate(const Device& device, const Sides& sides, std::size_t bytes) {
  const Timing timing = time_slope(
      device, [&](cudaStream_t stream) { to_device(sides, bytes, stream); }, options_of(device));
  check_copy(sides.host_out.data(), sides.device_in.data(), bytes / sizeof(Word), "host to device");
  return rate(timing, static_cast<double>(bytes), Unit::gb_per_s,
              "wall slope of cudaMemcpyAsync nodes from pinned memory");
}

Fact to_host_rate(const Device& device, const Sides& sides, std::size_t bytes) {
  const Timing timing = time_slope(
      device, [&](cudaStream_t stream) { to_host(sides, bytes, stream); }, options_of(device));
  check_copy(sides.host_in.data(), sides.device_out.data(), bytes / sizeof(Word), "device to host");
  return rate(timing, static_cast<double>(bytes), Unit::gb_per_s,
              "wall slope of cudaMemcpyAsync nodes to pinned memory");
}

/// Enqueues `bytes` by `copy`, a buffer at a time.
template <typename Copy>
void enqueue_train(const Sides& sides, std::size_t bytes, const Copy& copy, cudaStream_t stream) {
  for (std::size_t done = 0; done < bytes; done += sides.bytes()) {
    copy(sides, std::min(sides.bytes(), bytes - done), stream);
  }
}

void enqueue_both(const Sides& sides, const SideBySide& both, const TwoWayTrain& bytes,
                  cudaStream_t stream) {
  both.enqueue(
      stream, [&](cudaStream_t down) { enqueue_train(sides, bytes.down, to_device, down); },
      [&](cudaStream_t up) { enqueue_train(sides, bytes.up, to_host, up); });
}

/// Milliseconds that `enqueue` takes on its stream, by events.
class EventSpan {
 public:
  template <typename Enqueue>
  explicit EventSpan(const Enqueue& enqueue) {
    ASSAY_CUDA(cudaEventRecord(begin_.get(), stream_.get()));
    enqueue(stream_.get());
    ASSAY_CUDA(cudaEventRecord(end_.get(), stream_.get()));
  }
  double milliseconds() const {
    float span = 0.0f;
    ASSAY_CUDA(cudaStreamSynchronize(stream_.get()));
    ASSAY_CUDA(cudaEventElapsedTime(&span, begin_.get(), end_.get()));
    return static_cast<double>(span);
  }

 private:
  Stream stream_ = make_stream();
  Event begin_ = make_event(), end_ = make_event();
};

/// Trains of both ways that end together. By events: they give a proportion only.
TwoWayTrain balanced(const Sides& sides) {
  TwoWayTrain bytes{kTrainCopies * sides.bytes(), kTrainCopies * sides.bytes()};
  for (int i = 0; i < kBalancings; ++i) {
    const EventSpan down(
        [&](cudaStream_t stream) { enqueue_train(sides, bytes.down, to_device, stream); });
    const EventSpan up(
        [&](cudaStream_t stream) { enqueue_train(sides, bytes.up, to_host, stream); });
    bytes = two_way_train(bytes, down.milliseconds(), up.milliseconds());
  }
  return bytes;
}

Fact both_ways_rate(const Device& device, const Sides& sides) {
  const SideBySide both;
  const TwoWayTrain bytes = balanced(sides);
  const auto work = [&](cudaStream_t stream) { enqueue_both(sides, both, bytes, stream); };
  SlopeOptions options = options_of(device);
  // The two ways do not begin at one moment; in a short train that is 5 % of the difference.
  options.target_span_s = 16e-3;
  // The host's memory is shared with its neighbours: within one run of a rented H200 samples lay
  // between 83 and 101 GB/s, their middle good to 2 %. What judges it allows for more.
  options.max_rel_spread = 0.15;
  const Timing timing = time_slope(device, work, options);
  return rate(timing, static_cast<double>(bytes.down + bytes.up), Unit::gb_per_s,
              "wall slope of copies to the device and to the host at once, pinned memory, in the "
              "proportion in which the two ways go; sum of both");
}

void enqueue_read(const Sides& sides, Word guard, cudaStream_t stream) {
  void* mapped = nullptr;
  ASSAY_CUDA(cudaHostGetDevicePointer(&mapped, sides.host_out.data(), 0));
  read_host<<<static_cast<unsigned>(sides.bytes() / kTileBytes), kThreads, 0, stream>>>(
      static_cast<const uint4*>(mapped), guard, sides.sink.data());
  ASSAY_CUDA(cudaGetLastError());
}

/// Proves that the guard hangs on every load of the last thread.
void check_read(const Sides& sides) {
  const std::size_t words = sides.bytes() / sizeof(Word);
  const std::size_t tile = words - kTileBytes / sizeof(Word);
  Word expected = 0;
  for (int j = 1; j <= kReadsPerThread; ++j) {
    const std::size_t end = tile + static_cast<std::size_t>(j) * kThreads * 4;
    for (std::size_t word = end - 4; word < end; ++word) expected ^= sides.host_out.data()[word];
  }
  const Stream stream = make_stream();
  const int other = static_cast<int>(~expected & 0xff);
  ASSAY_CUDA(cudaMemsetAsync(sides.sink.data(), other, sizeof(Word), stream.get()));
  enqueue_read(sides, expected, stream.get());
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  if (sides.sink.download().front() != expected) {
    throw WrongResult("zero-copy read: the last thread did not read what lies in host memory");
  }
}

Fact zero_copy_rate(const Device& device, const Sides& sides) {
  constexpr const char* kMethod =
      "wall slope of 16 B ld.global.cs by the SMs from pinned host memory, 4 in flight a thread";
  if (device.attribute(cudaDevAttrCanMapHostMemory) == 0) {
    return absent(Unit::gb_per_s, kMethod,
                  {NullKind::not_supported, "the device cannot map host memory"});
  }
  check_read(sides);
  const Timing timing = time_slope(
      device, [&](cudaStream_t stream) { enqueue_read(sides, kUnlikelyGuard, stream); },
      options_of(device));
  return rate(timing, static_cast<double>(sides.bytes()), Unit::gb_per_s, kMethod);
}

/// Wall seconds of so many copies, waited for.
double train_seconds(int copies, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                     cudaStream_t stream) {
  const auto start = Clock::now();
  for (int i = 0; i < copies; ++i) {
    ASSAY_CUDA(cudaMemcpyAsync(to, from, bytes, kind, stream));
  }
  ASSAY_CUDA(cudaStreamSynchronize(stream));
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The clock held and whether somebody else runs, around what is timed by the host alone.
Timing label(const Device& device, const Sides& sides) {
  return watch(
      device, [&](cudaStream_t stream) { to_device(sides, sides.bytes(), stream); }, 3);
}

/// GB/s of pageable copies: these wait for the host in between, so that no graph can hold them.
std::vector<double> pageable_samples(const Device& device, void* to, const void* from,
                                     std::size_t bytes, cudaMemcpyKind kind) {
  const Stream stream = make_stream();
  const int samples = device.level() == Level::quick ? 5 : 7;
  train_seconds(1, to, from, bytes, kind, stream.get());
  std::vector<double> rates;
  for (int i = 0; i < samples; ++i) {
    const double brief = train_seconds(1, to, from, bytes, kind, stream.get());
    const double full = train_seconds(kPageableCopies, to, from, bytes, kind, stream.get());
    const double seconds = (full - brief) / (kPageableCopies - 1);
    rates.push_back(seconds > 0.0 ? 1e-9 * static_cast<double>(bytes) / seconds : 0.0);
  }
  return rates;
}

void add_pageable(const Device& device, const Sides& sides, std::size_t bytes,
                  Measurements& facts) {
  constexpr const char* kMethod =
      "wall slope over trains of 1 and 3 cudaMemcpyAsync, memory that is not pinned";
  std::vector<Word> out(sides.host_out.data(), sides.host_out.data() + bytes / sizeof(Word));
  std::vector<Word> in(out.size());
  const Timing before = label(device, sides);
  const auto down =
      pageable_samples(device, sides.device_in.data(), out.data(), bytes, cudaMemcpyHostToDevice);
  check_copy(out.data(), sides.device_in.data(), out.size(), "pageable host to device");
  const auto up =
      pageable_samples(device, in.data(), sides.device_out.data(), bytes, cudaMemcpyDeviceToHost);
  check_copy(in.data(), sides.device_out.data(), in.size(), "pageable device to host");
  const Timing after = label(device, sides);
  const Timing& around = before.spoiled ? before : after;
  facts.add("transfer_bw.h2d_pageable", sampled(around, down, Unit::gb_per_s, kMethod));
  facts.add("transfer_bw.d2h_pageable", sampled(around, up, Unit::gb_per_s, kMethod));
}

void add_by_size(const Device& device, const Sides& sides, Measurements& facts) {
  constexpr std::array<std::pair<const char*, std::size_t>, 5> kSizes{{
      {"4KiB", 4096},
      {"64KiB", 65536},
      {"1MiB", kMiB},
      {"16MiB", 16 * kMiB},
      {"128MiB", 128 * kMiB},
  }};
  for (const auto& [name, bytes] : kSizes) {
    facts.add(std::string("transfer_bw.h2d_") + name, to_device_rate(device, sides, bytes));
    facts.add(std::string("transfer_bw.d2h_") + name, to_host_rate(device, sides, bytes));
  }
}

/// The best that NVML says about the link while copies keep it busy: an idle one is trained down.
struct Link {
  Answer<unsigned> generation, lanes;
};

void keep_greater(Answer<unsigned>& best, const Answer<unsigned>& reading) {
  if (!best || (reading && *reading.value > *best.value)) best = reading;
}

Link read_busy_link(const NvmlDeviceMatch& match, const Sides& sides) {
  const Stream stream = make_stream();
  for (int i = 0; i < kLinkCopies; ++i) to_device(sides, sides.bytes(), stream.get());
  Link link{no_answer<unsigned>(match.why), no_answer<unsigned>(match.why)};
  cudaError_t state = cudaErrorNotReady;
  while (match.device && state == cudaErrorNotReady) {
    NvmlHandle handle = match.device->nvml_handle;
    keep_greater(link.generation, match.nvml->pcie_generation(handle));
    keep_greater(link.lanes, match.nvml->pcie_width(handle));
    state = cudaStreamQuery(stream.get());
  }
  static_cast<void>(cudaGetLastError());  // "not ready" stays on the runtime's record
  ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  return link;
}

Fact link_fact(const Answer<unsigned>& answer, const char* method) {
  return answer && *answer.value > 0
             ? stated(std::int64_t{*answer.value}, Unit::count, method)
             : absent(Unit::count, method, {NullKind::not_available, answer.why});
}

void add_link(const Device& device, const Sides& sides, Measurements& facts) {
  constexpr const char* kBusy = "NVML while copies to the device run, the greatest of its readings";
  constexpr const char* kMost = "NVML, the most that device and slot allow";
  constexpr const char* kPeak = "line rate of that generation and width, line code taken off";
  const NvmlDeviceMatch match = find_in_nvml(device.identity());
  const Link link = read_busy_link(match, sides);
  facts.add("transfer_bw.link_generation", link_fact(link.generation, kBusy));
  facts.add("transfer_bw.link_width", link_fact(link.lanes, kBusy));
  const auto none = no_answer<unsigned>(match.why);
  NvmlHandle handle = match.device ? match.device->nvml_handle : nullptr;
  facts.add("transfer_bw.link_generation_max",
            link_fact(match.device ? match.nvml->max_pcie_generation(handle) : none, kMost));
  facts.add("transfer_bw.link_width_max",
            link_fact(match.device ? match.nvml->max_pcie_width(handle) : none, kMost));
  const auto peak = pcie_gbs(link.generation.value.value_or(0), link.lanes.value.value_or(0));
  facts.add("transfer_bw.link_peak_gbs",
            peak ? derived(*peak, Unit::gb_per_s, kPeak)
                 : absent(Unit::gb_per_s, kPeak,
                          {NullKind::not_available, "generation or width unknown"}));
}

/// Moves this thread, and with it the memory it takes, to the device's side of the host.
Fact settle_on_node(const Device& device) {
  constexpr const char* kMethod = "sysfs; the thread and its memory stayed on that node";
  const NumaPlace place = numa_place(device.identity().pci_bus_id);
  if (!place.node) return absent(Unit::count, kMethod, {NullKind::not_available, place.why});
  if (!stay_on(place.processors)) {
    return absent(Unit::count, kMethod,
                  {NullKind::no_permission,
                   "this process may use no processor of node " + std::to_string(*place.node)});
  }
  return stated(std::int64_t{*place.node}, Unit::count, kMethod);
}

}  // namespace

Measurements run_probe(const Device& device) {
  Measurements facts;
  facts.add("transfer_bw.numa_node", settle_on_node(device));
  const bool quick = device.level() == Level::quick;
  Sides sides((quick ? 64 : 256) * kMiB);
  fill(sides);
  add_link(device, sides, facts);  // also trains the link up
  facts.add("transfer_bw.h2d_pinned", to_device_rate(device, sides, sides.bytes()));
  facts.add("transfer_bw.d2h_pinned", to_host_rate(device, sides, sides.bytes()));
  facts.add("transfer_bw.bidirectional", both_ways_rate(device, sides));
  facts.add("transfer_bw.zero_copy_read", zero_copy_rate(device, sides));
  add_pageable(device, sides, (quick ? 32 : 128) * kMiB, facts);
  if (!quick) add_by_size(device, sides, facts);
  return facts;
}

}  // namespace assay
