// SPDX-License-Identifier: Apache-2.0
// How fast can a kernel be at best, and which of memory and arithmetic holds it back?
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// One roof: GB/s = 1e9 B/s, TFLOP/s = 1e12 FLOP/s; both above 0.
struct Roof {
  std::string name;
  double gbs = 0.0;
  double tflops = 0.0;
};

/// Where the slope meets the flat part, in FLOP per byte: 1000 * TFLOP/s / GB/s.
double ridge_flop_per_byte(const Roof& roof);
/// min(TFLOP/s, FLOP/B * GB/s / 1000).
double attainable_tflops(const Roof& roof, double flop_per_byte);

enum class Bound { memory, compute };
/// "memory-bound" left of the ridge, else "compute-bound".
std::string_view to_string(Bound bound);

/// A kernel: its arithmetic intensity and, where it was measured, its rate.
struct Mark {
  std::string name;
  double flop_per_byte = 0.0;
  std::optional<double> tflops;
};
/// "name:ai" or "name:ai:tflops"; the name may hold colons. Throws std::invalid_argument.
Mark read_mark(std::string_view text);

struct Placement {
  Bound bound = Bound::memory;
  double attainable = 0.0;                ///< TFLOP/s
  std::optional<double> percent_of_roof;  ///< null when the mark has no rate
  bool above_roof = false;  ///< by more than 1 %: the rate, the intensity or the roof is wrong
};
Placement place(const Roof& roof, const Mark& mark);

}  // namespace assay
