// SPDX-License-Identifier: Apache-2.0
// How long does judging take? Prints, asserts nothing:
//   judge_benchmark DOSSIER [COUNT]
// reads and judges one dossier COUNT times (10,000) on one core, a tenth of them to the sealed
// certificate, and says what each part costs and how much memory the process came to hold.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <sys/resource.h>

#include "dossiers/json/json_reader.h"
#include "invariants/certificate.h"
#include "invariants/share.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

/// Adds the milliseconds of its life to `total`.
class Timed {
 public:
  explicit Timed(double& total) : total_(total) {}
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() { total_ += std::chrono::duration<double, std::milli>(Clock::now() - begun_).count(); }

 private:
  double& total_;
  Clock::time_point begun_ = Clock::now();
};

struct Cost {
  double read_ms = 0.0, judge_ms = 0.0, certificate_ms = 0.0;
};

long peak_kib() {
  rusage usage{};
  static_cast<void>(::getrusage(RUSAGE_SELF, &usage));
  return usage.ru_maxrss;
}

void judge_once(const Rules& rules, const PinnedDossier* pinned, const std::string& file,
                bool certificates, Cost& cost) {
  Dossier dossier;
  {
    const Timed timed(cost.read_ms);
    dossier = read_dossier(file);
  }
  {
    const Timed timed(cost.judge_ms);
    static_cast<void>(judge_dossier(rules, dossier, pinned, {}));
  }
  if (!certificates) return;
  const Timed timed(cost.certificate_ms);
  static_cast<void>(certificate_text(make_certificate(rules, dossier, pinned, {})));
}

void report(int count, double total_ms, const Cost& cost, const char* what) {
  std::printf("%d dossiers %s: %.1f s, %.2f ms each (read %.2f, judge %.2f, certificate %.2f)\n",
              count, what, total_ms / 1000.0, total_ms / count, cost.read_ms / count,
              cost.judge_ms / count, cost.certificate_ms / count);
}

int benchmark(const std::string& file, int count) {
  const std::filesystem::path share = share_dir();
  const Dossier first = read_dossier(file);
  const Rules rules = load_rules(share, first.level);
  const auto pinned = find_pinned(first, pinned_dir(share));
  long warm_kib = 0;
  for (const bool certificates : {false, true}) {
    const int runs = certificates ? std::max(1, count / 10) : count;
    Cost cost;
    double total_ms = 0.0;
    {
      const Timed timed(total_ms);
      for (int i = 0; i < runs; ++i) {
        judge_once(rules, pinned ? &*pinned : nullptr, file, certificates, cost);
        if (warm_kib == 0) warm_kib = peak_kib();
      }
    }
    report(runs, total_ms, cost, certificates ? "read, judged, sealed" : "read and judged");
  }
  std::printf("peak memory %ld KiB after the first, %ld KiB after the last\n", warm_kib,
              peak_kib());
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: judge_benchmark DOSSIER [COUNT]\n";
    return 2;
  }
  try {
    const int count = argc == 3 ? std::atoi(argv[2]) : 10000;
    return assay::benchmark(argv[1], count < 1 ? 1 : count);
  } catch (const std::exception& error) {
    std::cerr << "judge_benchmark: " << error.what() << '\n';
    return 2;
  }
}
