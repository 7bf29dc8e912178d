// SPDX-License-Identifier: Apache-2.0
// Work that runs beside the probe, in its own context: no canary can hear it, because nobody's turn
// is taken. ASSAY_BESIDE names the kind of hog.
#include <atomic>
#include <exception>
#include <stop_token>
#include <thread>

#include "probes/faults/faulty_probe.h"
#include "probes/faults/hog_work.h"

namespace assay {
namespace {

/// Long rounds, so that the pauses between them hardly count. The probe's own waits for the whole
/// device end with the round.
constexpr double kRoundSeconds = 20e-3;
/// Leaves room on every SM: a probe that had to wait would know.
constexpr unsigned kBlocksPerSm = 1;

/// Hogs from its construction to its end.
class Beside {
 public:
  Beside(const Device& device, HogKind kind)
      : thread_([this, ordinal = device.ordinal(), kind](const std::stop_token& stop) {
          hog(ordinal, kind, stop);
        }) {
    while (!is_running_.load()) std::this_thread::yield();
  }

  /// Throws what ended the hog before its time.
  void stop() {
    thread_.request_stop();
    thread_.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void hog(int ordinal, HogKind kind, const std::stop_token& stop) {
    try {
      ASSAY_CUDA(cudaSetDevice(ordinal));
      HogWork work(kind, {.blocked_sms = 1, .blocks_per_sm = kBlocksPerSm});
      is_running_.store(true);
      while (!stop.stop_requested()) work.run(kRoundSeconds);
    } catch (...) {
      error_ = std::current_exception();
    }
    is_running_.store(true);
  }

  std::atomic<bool> is_running_{false};
  std::exception_ptr error_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace

Measurements run_probe(const Device& device) {
  Beside hog(device, HogKind::ASSAY_BESIDE);
  Measurements facts = healthy_run_probe(device);
  hog.stop();
  return facts;
}

}  // namespace assay
