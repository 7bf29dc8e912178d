// SPDX-License-Identifier: Apache-2.0
// How fast can a kernel be at best?
#include "dossiers/models/roofline.h"

#include <algorithm>
#include <stdexcept>

#include "dossiers/cli/numbers.h"
#include "dossiers/peaks.h"

namespace assay {
namespace {

constexpr double kGigaPerTera = 1000.0;
constexpr double kAboveRoofPercent = 101.0;

}  // namespace

double ridge_flop_per_byte(const Roof& roof) {
  return kGigaPerTera * roof.tflops / roof.gbs;
}

double attainable_tflops(const Roof& roof, double flop_per_byte) {
  return std::min(roof.tflops, flop_per_byte * roof.gbs / kGigaPerTera);
}

std::string_view to_string(Bound bound) {
  return bound == Bound::memory ? "memory-bound" : "compute-bound";
}

Mark read_mark(std::string_view text) {
  const auto is_number = [](std::string_view field) {
    try {
      static_cast<void>(positive_number("", field));
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  };
  const std::size_t last = text.rfind(':');
  if (last == std::string_view::npos || last == 0) {
    throw std::invalid_argument("--mark: '" + std::string(text) +
                                "': want name:FLOP-per-byte or name:FLOP-per-byte:TFLOP/s, such "
                                "as gemm:400:600");
  }
  const std::size_t before = text.rfind(':', last - 1);
  Mark mark;
  if (before != std::string_view::npos && before > 0 &&
      is_number(text.substr(before + 1, last - before - 1))) {
    mark.name = text.substr(0, before);
    mark.flop_per_byte = positive_number("--mark", text.substr(before + 1, last - before - 1));
    mark.tflops = positive_number("--mark", text.substr(last + 1));
  } else {
    mark.name = text.substr(0, last);
    mark.flop_per_byte = positive_number("--mark", text.substr(last + 1));
  }
  return mark;
}

Placement place(const Roof& roof, const Mark& mark) {
  Placement placement;
  placement.bound = mark.flop_per_byte < ridge_flop_per_byte(roof) ? Bound::memory : Bound::compute;
  placement.attainable = attainable_tflops(roof, mark.flop_per_byte);
  placement.percent_of_roof = percent_of_peak(mark.tflops, placement.attainable);
  placement.above_roof =
      placement.percent_of_roof && *placement.percent_of_roof > kAboveRoofPercent;
  return placement;
}

}  // namespace assay
