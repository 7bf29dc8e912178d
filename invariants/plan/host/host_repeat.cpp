// SPDX-License-Identifier: Apache-2.0
// `assay certify --all --repeat`: every GPU of the host again and again, and counted.
#include "invariants/plan/host/host_repeat.h"

#include <chrono>
#include <iostream>
#include <ostream>
#include <stdexcept>

#include "dossiers/driver/libcuda.h"
#include "dossiers/exit_code.h"
#include "invariants/plan/host/host_run.h"
#include "invariants/plan/interrupt.h"
#include "invariants/plan/repeat_runs.h"

namespace assay {
namespace {

/// What a device's run of this round is counted as.
void count(RepeatCount& counted, std::size_t index, const HostOrder& order,
           const HostDevice& device) {
  if (device.certificate_sha256.empty()) {
    counted.add(index, device.verdict);
    return;
  }
  counted.add(index, judging_of(order.certify), order.certify.out / device.folder,
              exit_code(device.verdict) == kExitFail);
}

/// "pass, inconclusive"
std::string verdicts_of(const HostRecord& record) {
  std::string text;
  for (const HostDevice& device : record.devices) {
    text += (text.empty() ? "" : ", ") + std::string(to_string(device.verdict));
  }
  return text;
}

/// The rounds of one sitting.
class Rounds {
 public:
  Rounds(const HostOrder& order, const HostRecord& host, std::int64_t rounds, std::ostream& prose)
      : order_(order),
        host_(host),
        rounds_(rounds),
        prose_(prose),
        counted_(order.certify, devices_of_host(), rounds) {}
  void run();
  const RepeatCount& counted() const { return counted_; }

 private:
  void one(std::int64_t number);

  const HostOrder& order_;
  const HostRecord& host_;
  std::int64_t rounds_;
  std::ostream& prose_;
  RepeatCount counted_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

void Rounds::one(std::int64_t number) {
  const HostCertified certified = certify_host(order_, host_, [](const std::string&) {});
  if (certified.code == kExitUsage) {
    throw std::runtime_error(certified.record.reason);
  }
  for (std::size_t i = 0; i < certified.record.devices.size(); ++i) {
    count(counted_, i, order_, certified.record.devices[i]);
  }
  counted_.keep();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun_;
  prose_ << "round " << number << " of " << rounds_ << ": " << verdicts_of(certified.record) << " ("
         << certified.record.run_id << ")" << time_left(number, rounds_, elapsed.count()) << '\n'
         << std::flush;
}

void Rounds::run() {
  try {
    for (std::int64_t number = 1; number <= rounds_; ++number) {
      if (order_.certify.stop && order_.certify.stop()) break;
      one(number);
    }
  } catch (const Interrupted&) {
    // The round that was cut is not counted; its folders stay, without a host's document.
  }
}

}  // namespace

int repeat_all_verb(const HostOrder& order, std::int64_t rounds, bool json) {
  std::ostream& prose = json ? std::cerr : std::cout;
  const HostRecord host = look_at_host();
  if (const auto found = static_cast<std::int64_t>(host.devices.size());
      order.expected && found < *order.expected) {
    std::cerr << "assay certify: " << found << " of " << *order.expected << " GPUs were found\n";
    return kExitFail;
  }
  const InterruptWatch watch;
  HostOrder watched = order;
  watched.certify.stop = [&watch] { return watch.asked(); };
  Rounds run(watched, host, rounds, prose);
  run.run();
  if (watch.asked()) prose << "interrupted\n";
  const Repeat& all = run.counted().all();
  if (!all.sessions.empty()) {
    prose << repeat_table(all) << "counted in " << (order.certify.out / "repeat.json").string()
          << '\n';
    if (json) std::cout << repeat_text(all);
  }
  return exit_code(run.counted().sessions());
}

}  // namespace assay
