// SPDX-License-Identifier: Apache-2.0
// How fast does this device reach the memory of each other one that this process sees: by its copy
// engines, by its SMs, and how long does one access take?
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/chase_lanes.h"
#include "probes/harness/probe.h"
#include "probes/side_by_side.h"

namespace assay {
namespace {

using Word = std::uint32_t;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr int kThreads = 512;
constexpr int kInFlight = 4;
constexpr std::size_t kTileBytes = std::size_t{kThreads} * kInFlight * sizeof(uint4);
constexpr std::size_t kChecked = 1024;
constexpr std::size_t kRingBytes = kMiB / 2;  // beyond any L1, within any L2
constexpr int kTimedRounds = 129;             // not divisible by the ring's laps
constexpr int kRuns = 7;

__global__ void __launch_bounds__(kThreads) copy_tiles(uint4* to, const uint4* from) {
  const std::size_t first = std::size_t{blockIdx.x} * kThreads * kInFlight + threadIdx.x;
  uint4 v[kInFlight];
#pragma unroll
  for (int j = 0; j < kInFlight; ++j) v[j] = __ldcs(from + first + j * kThreads);
#pragma unroll
  for (int j = 0; j < kInFlight; ++j) __stcs(to + first + j * kThreads, v[j]);
}

/// Makes another device current for as long as it lives.
class Current {
 public:
  Current(int peer, const Device& device) : home_(device.ordinal()) {
    ASSAY_CUDA(cudaSetDevice(peer));
  }
  ~Current() { static_cast<void>(cudaSetDevice(home_)); }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  int home_;
};

template <typename T>
DeviceBuffer<T> buffer_on(int peer, const Device& device, std::size_t count) {
  const Current current(peer, device);
  return DeviceBuffer<T>(count);
}

/// Memory on both devices: each way has its own, so that both can run.
struct Pair {
  Pair(const Device& device, int other, std::size_t bytes)
      : peer(other),
        local_in(bytes / sizeof(Word)),
        local_out(bytes / sizeof(Word)),
        peer_in(buffer_on<Word>(other, device, bytes / sizeof(Word))),
        peer_out(buffer_on<Word>(other, device, bytes / sizeof(Word))) {
    const Stream stream = make_stream();
    fill_random_words(local_in.data(), bytes, 21, stream.get());
    ASSAY_CUDA(
        cudaMemcpyAsync(peer_out.data(), local_in.data(), bytes, cudaMemcpyDefault, stream.get()));
    fill_random_words(local_out.data(), bytes, 22, stream.get());
    ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  }
  std::size_t bytes() const { return local_in.bytes(); }

  int peer;
  DeviceBuffer<Word> local_in, local_out, peer_in, peer_out;
};

void engine_read(const Pair& pair, cudaStream_t stream) {
  ASSAY_CUDA(cudaMemcpyAsync(pair.local_in.data(), pair.peer_out.data(), pair.bytes(),
                             cudaMemcpyDefault, stream));
}

void engine_write(const Pair& pair, cudaStream_t stream) {
  ASSAY_CUDA(cudaMemcpyAsync(pair.peer_in.data(), pair.local_out.data(), pair.bytes(),
                             cudaMemcpyDefault, stream));
}

void copy_by_sm(const DeviceBuffer<Word>& to, const DeviceBuffer<Word>& from, cudaStream_t stream) {
  copy_tiles<<<static_cast<unsigned>(to.bytes() / kTileBytes), kThreads, 0, stream>>>(
      reinterpret_cast<uint4*>(to.data()), reinterpret_cast<const uint4*>(from.data()));
  ASSAY_CUDA(cudaGetLastError());
}

void sm_read(const Pair& pair, cudaStream_t stream) {
  copy_by_sm(pair.local_in, pair.peer_out, stream);
}

void sm_write(const Pair& pair, cudaStream_t stream) {
  copy_by_sm(pair.peer_in, pair.local_out, stream);
}

/// Clears the place where a copy lands, so that an earlier one cannot answer for it.
void forget(const DeviceBuffer<Word>& landed, int owner, const Device& device) {
  const Current current(owner, device);
  ASSAY_CUDA(cudaMemset(landed.data(), 0, landed.bytes()));
  ASSAY_CUDA(cudaDeviceSynchronize());
}

void check_landed(const DeviceBuffer<Word>& to, const DeviceBuffer<Word>& from, const char* what) {
  for (const std::size_t first : {std::size_t{0}, to.size() / 2, to.size() - kChecked}) {
    std::vector<Word> got(kChecked);
    std::vector<Word> want(kChecked);
    ASSAY_CUDA(
        cudaMemcpy(got.data(), to.data() + first, kChecked * sizeof(Word), cudaMemcpyDefault));
    ASSAY_CUDA(
        cudaMemcpy(want.data(), from.data() + first, kChecked * sizeof(Word), cudaMemcpyDefault));
    if (got != want) {
      throw WrongResult(std::string(what) + ": the copy differs near word " +
                        std::to_string(first));
    }
  }
}

SlopeOptions options_of(const Device& device) {
  SlopeOptions options;
  options.samples = device.level() == Level::quick ? 7 : 21;
  return options;
}

/// One way of copying.
struct Way {
  const char* entry;
  const char* method;
  void (*enqueue)(const Pair&, cudaStream_t);
  bool reads;
};

constexpr Way kWays[] = {
    {"peer_read", "wall slope of cudaMemcpyAsync nodes from the other device", engine_read, true},
    {"peer_write", "wall slope of cudaMemcpyAsync nodes to the other device", engine_write, false},
    {"peer_read_sm",
     "wall slope of a kernel on this device: 16 B loads from the other one, 4 in flight a thread",
     sm_read, true},
    {"peer_write_sm", "wall slope of a kernel on this device: 16 B stores to the other one",
     sm_write, false},
};
constexpr const char* kBothMethod =
    "wall slope of a copy to the other device and one of its own back at once; sum of both ways";
constexpr const char* kLatencyMethod =
    "one lane on each SM at once, ld.global.cg of 64-bit pointers, ring of 512 KiB in the other "
    "device's memory in 128 B lines, random single cycle, each lane from its own place; median "
    "over "
    "the SMs; %globaltimer";

Fact rate_of(const Device& device, const Pair& pair, const Way& way) {
  const DeviceBuffer<Word>& to = way.reads ? pair.local_in : pair.peer_in;
  const DeviceBuffer<Word>& from = way.reads ? pair.peer_out : pair.local_out;
  forget(to, way.reads ? device.ordinal() : pair.peer, device);
  const Timing timing = time_slope(
      device, [&](cudaStream_t stream) { way.enqueue(pair, stream); }, options_of(device));
  check_landed(to, from, way.entry);
  return rate(timing, static_cast<double>(pair.bytes()), Unit::gb_per_s, way.method);
}

/// Two copies that run one after the other add up to one way's rate: no fact about both ways. Both
/// enqueued on one device did so (395 GB/s on two H200s whose links carry that one way), in a graph
/// and one by one; so each device's own engines send.
constexpr double kLeastGain = 1.2;

/// Beside this device's stream, one of the peer.
SideBySide beside_peer(const Device& device, int peer) {
  const Current current(peer, device);
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(device.ordinal(), 0);
  if (enabled != cudaErrorPeerAccessAlreadyEnabled) ASSAY_CUDA(enabled);
  static_cast<void>(cudaGetLastError());
  Stream stream = make_stream();
  Event event = make_event();
  ASSAY_CUDA(cudaSetDevice(device.ordinal()));  // the fork is this device's event
  return {std::move(stream), std::move(event)};
}

Fact both_ways_rate(const Device& device, const Pair& pair, const Fact& one_way) {
  const SideBySide both = beside_peer(device, pair.peer);
  const auto work = [&](cudaStream_t stream) {
    both.enqueue(
        stream, [&](cudaStream_t out) { engine_write(pair, out); },
        [&](cudaStream_t peers) { engine_read(pair, peers); });
  };
  SlopeOptions options = options_of(device);
  options.in_graph = false;
  const Timing timing = time_slope(device, work, options);
  Fact both_rate =
      rate(timing, 2.0 * static_cast<double>(pair.bytes()), Unit::gb_per_s, kBothMethod);
  const std::optional<double> sum = as_number(both_rate.value), one = as_number(one_way.value);
  if (sum && one && !(*sum >= kLeastGain * *one)) {
    return absent(Unit::gb_per_s, kBothMethod,
                  {NullKind::not_available, "the two copies did not overlap"});
  }
  return both_rate;
}

Fact latency(const Device& device, int peer) {
  const auto ring = buffer_on<std::uint64_t>(peer, device, kRingBytes / sizeof(std::uint64_t));
  const LaneChase chase = chase_on_each_sm(device, ring, kTimedRounds, kRuns, "peer latency");
  if (!chase.timing.spoiled && chase.samples.middle_ns.empty()) {
    return absent(Unit::ns, kLatencyMethod,
                  {NullKind::clock_lost, "clock64 or globaltimer stood still"});
  }
  return sampled(chase.timing, chase.samples.middle_ns, Unit::ns, kLatencyMethod);
}

/// "0>1": this device's number in PCI order, then the other's.
std::string key_of(const Device& device, int peer) {
  std::string key = ".";
  key += std::to_string(device.ordinal());
  key += '>';
  return key += std::to_string(peer);
}

void add_unreachable(const std::string& key, const NullReason& reason, Measurements& facts) {
  for (const Way& way : kWays) {
    facts.add(way.entry + key, absent(Unit::gb_per_s, way.method, reason));
  }
  facts.add("peer_bidirectional" + key, absent(Unit::gb_per_s, kBothMethod, reason));
  facts.add("peer_latency_ns" + key, absent(Unit::ns, kLatencyMethod, reason));
}

void add_peer(const Device& device, int peer, Measurements& facts) {
  const std::string key = key_of(device, peer);
  int reachable = 0;
  ASSAY_CUDA(cudaDeviceCanAccessPeer(&reachable, device.ordinal(), peer));
  if (reachable == 0) {
    return add_unreachable(
        key, {NullKind::not_supported, "the driver gives these two no access to each other"},
        facts);
  }
  ASSAY_CUDA(cudaDeviceEnablePeerAccess(peer, 0));
  const Pair pair(device, peer, (device.level() == Level::quick ? 256 : 512) * kMiB);
  for (const Way& way : kWays) {
    facts.add(way.entry + key, rate_of(device, pair, way));
  }
  facts.add("peer_bidirectional" + key,
            both_ways_rate(device, pair, *facts.find("peer_read" + key)));
  facts.add("peer_latency_ns" + key, latency(device, peer));
}

}  // namespace

Measurements run_probe(const Device& device) {
  int count = 0;
  ASSAY_CUDA(cudaGetDeviceCount(&count));
  if (count < 2) {
    throw NotApplicable("one GPU visible: no peers");
  }
  Measurements facts;
  for (int peer = 0; peer < count; ++peer) {
    if (peer != device.ordinal()) add_peer(device, peer, facts);
  }
  return facts;
}

}  // namespace assay
