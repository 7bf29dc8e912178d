// SPDX-License-Identifier: Apache-2.0
// How many watts does the device draw idle and under loads of memory, FMA and tensor work, and
// which clock does it hold there?
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <cuda_fp16.h>

#include "probes/cublas_lt.h"
#include "probes/fma_chain.cuh"
#include "probes/gemm_plan.h"
#include "probes/harness/nvml_device.h"
#include "probes/harness/probe.h"
#include "probes/harness/stamps.h"
#include "probes/power_trace.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSettleSeconds = 1.0;
constexpr double kWindowSeconds = 2.0;
constexpr double kLeastWindowSeconds = 1.0;
constexpr int kTrains = 4;             // in a window; each gives a clock
constexpr double kCallSeconds = 5e-3;  // so that a train stays below the driver's queue of launches
constexpr int kMostCallsPerTrain = 400;
constexpr auto kPoll = std::chrono::milliseconds(2);
constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;

/// One call of a load: some milliseconds of work.
using Load = std::function<void(cudaStream_t)>;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The median clock held and the driver's readings over one window.
struct Window {
  std::vector<PowerReading> readings;
  std::vector<double> clocks;
};

class PowerMeter {
 public:
  PowerMeter(const Device& device, NvmlDeviceMatch match)
      : match_(std::move(match)), stamper_(device.sm_count()), stream_(make_stream()) {}

  /// Idles, or keeps `load` running, and reads meanwhile.
  Window window(const Load& load) {
    const int calls = load ? calls_for(load, kWindowSeconds / kTrains) : 0;
    if (load) {
      run_train(load, static_cast<int>(calls * kTrains * kSettleSeconds / kWindowSeconds));
    } else {
      std::this_thread::sleep_for(std::chrono::duration<double>(kSettleSeconds));
    }
    Window window;
    for (int train = 0; train < kTrains; ++train) {
      stamper_.clear(stream_.get());
      stamper_.stamp_before(stream_.get());
      if (load) {
        enqueue(load, calls);
        stamper_.stamp_after(stream_.get());
        watch_train(window.readings);
      } else {
        watch_idle(window.readings);
        stamper_.stamp_after(stream_.get());
      }
      if (const auto ghz = stamper_.read(stream_.get()).clock_ghz) window.clocks.push_back(*ghz);
    }
    return window;
  }

 private:
  void enqueue(const Load& load, int calls) const {
    for (int call = 0; call < calls; ++call) load(stream_.get());
  }

  double run_train(const Load& load, int calls) const {
    const auto start = Clock::now();
    enqueue(load, calls);
    ASSAY_CUDA(cudaStreamSynchronize(stream_.get()));
    return seconds_since(start);
  }

  int calls_for(const Load& load, double seconds) const {
    run_train(load, 1);
    const double one = run_train(load, 4) / 4.0;
    return std::clamp(static_cast<int>(seconds / one), 1, kMostCallsPerTrain);
  }

  void read(std::vector<PowerReading>& readings) const {
    NvmlHandle handle = match_.device->nvml_handle;
    readings.push_back({seconds_since(start_), match_.nvml->energy_j(handle).value,
                        match_.nvml->power_w(handle).value});
    std::this_thread::sleep_for(kPoll);
  }

  void watch_train(std::vector<PowerReading>& readings) const {
    cudaError_t state = cudaErrorNotReady;
    while ((state = cudaStreamQuery(stream_.get())) == cudaErrorNotReady) read(readings);
    static_cast<void>(cudaGetLastError());  // "not ready" stays on the runtime's record
    ASSAY_CUDA(state);
  }

  void watch_idle(std::vector<PowerReading>& readings) const {
    const auto start = Clock::now();
    while (seconds_since(start) < kWindowSeconds / kTrains) read(readings);
  }

  NvmlDeviceMatch match_;
  Stamper stamper_;
  Stream stream_;
  Clock::time_point start_ = Clock::now();
};

// The loads.

__global__ void to_half(__half* halves, const float* floats, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    halves[i] = __float2half_rn(floats[i]);
  }
}

/// Copies inside the device memory; random data.
struct CopyLoad {
  explicit CopyLoad(const Device& device) : from(words(device)), to(from.size()) {
    const Stream stream = make_stream();
    fill_random_words(from.data(), from.bytes(), 41, stream.get());
    ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  }
  static std::size_t words(const Device& device) {
    constexpr std::size_t kMostBytes = std::size_t{8} << 30;
    return std::min(kMostBytes, device.free_bytes() / 4) / sizeof(std::uint64_t);
  }
  void operator()(cudaStream_t stream) const {
    ASSAY_CUDA(
        cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream));
  }
  DeviceBuffer<std::uint64_t> from, to;
};

/// One chain of multiply-adds a thread on 64 warps an SM, or as many as it holds.
struct FmaLoad {
  explicit FmaLoad(const Device& device)
      : blocks(device.sm_count() *
               std::max(1, device.attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / kThreads)),
        operands(static_cast<std::size_t>(blocks) * kThreads),
        results(operands.size()) {
    const Stream stream = make_stream();
    fill_random_floats(operands.data(), operands.size(), 42, stream.get());
    ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
    const auto start = Clock::now();
    (*this)(stream.get());
    ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
    const double one = seconds_since(start);
    repeats = std::clamp(static_cast<int>(kCallSeconds / one), 1, 16);
  }
  void operator()(cudaStream_t stream) const {
    for (int i = 0; i < repeats; ++i) {
      fma_chain<<<blocks, kThreads, 0, stream>>>(operands.data(), results.data(), kTrips);
      ASSAY_CUDA(cudaGetLastError());
    }
  }
  static constexpr int kThreads = 512;
  static constexpr int kTrips = 1200;
  int blocks;
  int repeats = 1;
  DeviceBuffer<float> operands, results;
};

/// fp16 products by the vendor's library, random operands: the tensor cores at their full rate on
/// every generation, which no generic instruction reaches.
struct GemmLoad {
  GemmLoad(const CublasLt& library, int n)
      : side(n),
        a(elements()),
        b(elements()),
        d(elements()),
        workspace(kWorkspaceBytes),
        gemm(library, {CUDA_R_16F, CUDA_R_16F, CublasCompute::f32, CUDA_R_32F}, n,
             kWorkspaceBytes) {
    randomize(a, 43);
    randomize(b, 44);
  }
  std::size_t elements() const {
    return static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  }
  static void randomize(const DeviceBuffer<__half>& halves, std::uint64_t seed) {
    const Stream stream = make_stream();
    const DeviceBuffer<float> floats(halves.size());
    fill_random_floats(floats.data(), floats.size(), seed, stream.get());
    to_half<<<2048, 256, 0, stream.get()>>>(halves.data(), floats.data(), floats.size());
    ASSAY_CUDA(cudaGetLastError());
    ASSAY_CUDA(cudaStreamSynchronize(stream.get()));
  }
  void operator()(cudaStream_t stream) const {
    gemm.enqueue(a.data(), b.data(), d.data(), workspace.data(), stream);
  }
  int side;
  DeviceBuffer<__half> a, b, d;
  DeviceBuffer<unsigned char> workspace;
  CublasGemm gemm;
};

// The facts.

struct Drawn {
  std::optional<double> watts;
  std::vector<double> samples;
  const char* how = "energy counter between two of its steps";
};

Drawn drawn_in(const Window& window) {
  const auto steps = energy_steps(window.readings);
  Drawn drawn{watts_by_energy(steps, kLeastWindowSeconds), watts_of_steps(steps)};
  if (!drawn.watts) {
    drawn.samples = settled_watts(window.readings);
    drawn.watts = median(drawn.samples);
    drawn.how = "power readings in the last third of the window";
  }
  return drawn;
}

void add_window(const std::string& key, const Window& window, const std::string& what,
                Measurements& facts) {
  const Drawn drawn = drawn_in(window);
  const std::optional<double> clock = median(window.clocks);
  const std::string method =
      std::string("NVML, ") + drawn.how + ", 2 s after 1 s to settle; " + what;
  if (!drawn.watts || !(*drawn.watts > 0.0) || drawn.samples.empty()) {
    facts.add("power." + key + "_w",
              absent(Unit::watt, method, {NullKind::not_available, "NVML gave no power"}));
  } else if (clock) {
    facts.add("power." + key + "_w",
              measured(*drawn.watts, Unit::watt, method, *clock, drawn.samples));
  } else {
    facts.add("power." + key + "_w", derived(*drawn.watts, Unit::watt, method));
  }
  if (key == "idle") return;
  const std::string clock_method = "clock64 / %globaltimer around trains of half a second; " + what;
  facts.add("clock_under." + key,
            clock ? measured(*clock, Unit::ghz, clock_method, *clock, window.clocks)
                  : absent(Unit::ghz, clock_method,
                           {NullKind::clock_lost, "no SM clock around the load"}));
}

void add_absent(const std::string& key, const std::string& what, const NullReason& reason,
                Measurements& facts) {
  facts.add("power." + key + "_w", absent(Unit::watt, "NVML; " + what, reason));
  facts.add("clock_under." + key, absent(Unit::ghz, "clock64 / %globaltimer; " + what, reason));
}

void add_tensor_load(const Device& device, PowerMeter& meter, Measurements& facts) {
  constexpr const char* kWhat = "cublasLt fp16 products, random operands";
  std::unique_ptr<const CublasLt> library;
  try {
    library = std::make_unique<const CublasLt>();
  } catch (const CublasError&) {
    throw;
  } catch (const std::runtime_error& missing) {
    return add_absent("mma", kWhat, {NullKind::not_supported, missing.what()}, facts);
  }
  const std::optional<int> side = fitting_side({8192, 4, 2}, device.free_bytes());
  if (!side) {
    return add_absent("mma", kWhat, {NullKind::not_available, "too little free memory"}, facts);
  }
  const GemmLoad load(*library, *side);
  if (!load.gemm.is_supported()) {
    return add_absent("mma", kWhat,
                      {NullKind::not_supported, "cuBLAS has no such product on this device"},
                      facts);
  }
  add_window("mma", meter.window([&load](cudaStream_t stream) { load(stream); }), kWhat, facts);
}

}  // namespace

Measurements run_probe(const Device& device) {
  if (device.level() == Level::quick) {
    throw NotApplicable("power needs windows of seconds: measured at level full only");
  }
  NvmlDeviceMatch match = find_in_nvml(device.identity());
  if (!match.device) {
    throw NotApplicable("no power readings: " + match.why);
  }
  Measurements facts;
  PowerMeter meter(device, std::move(match));
  add_window("idle", meter.window(Load{}), "a context and no work", facts);
  {
    const CopyLoad load(device);
    add_window("dram", meter.window([&load](cudaStream_t stream) { load(stream); }),
               "copies inside the device memory, random data", facts);
  }
  {
    const FmaLoad load(device);
    add_window("fma", meter.window([&load](cudaStream_t stream) { load(stream); }),
               "one chain of FFMA a thread, all threads that an SM holds", facts);
  }
  add_tensor_load(device, meter, facts);
  return facts;
}

}  // namespace assay
