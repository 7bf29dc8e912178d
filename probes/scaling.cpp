// SPDX-License-Identifier: Apache-2.0
#include "probes/scaling.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace assay {

int scaled_trips(int trips, double measured, double target) {
  const double wanted = trips * target / measured;
  if (!(wanted >= 1.0)) {
    return 1;
  }
  constexpr double kMost = std::numeric_limits<int>::max() / 4.0;
  return static_cast<int>(std::min(wanted, kMost));
}

Fact scaling(const Timing& once, const Timing& twice, std::string method) {
  for (const Timing* timing : {&once, &twice}) {
    if (timing->spoiled) {
      return absent(Unit::ratio, std::move(method), *timing->spoiled);
    }
  }
  if (!(once.cycles > 0.0) || !(twice.cycles > 0.0) || once.cycles_samples.empty() ||
      twice.cycles_samples.empty()) {
    return absent(Unit::ratio, std::move(method), {NullKind::clock_lost, "no positive sample"});
  }
  std::vector<double> ratios;
  const std::size_t count = std::min(once.cycles_samples.size(), twice.cycles_samples.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (once.cycles_samples[i] > 0.0) {
      ratios.push_back(twice.cycles_samples[i] / once.cycles_samples[i]);
    }
  }
  return measured(twice.cycles / once.cycles, Unit::ratio, std::move(method), twice.clock_ghz,
                  std::move(ratios));
}

}  // namespace assay
