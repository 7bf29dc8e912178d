// SPDX-License-Identifier: Apache-2.0
// How does a roofline look, in a terminal and as SVG?
#pragma once

#include <string>
#include <vector>

#include "dossiers/models/rungs.h"

namespace assay {

/// One line of a chart: FLOP/B * GB/s, flat at `tflops`, drawn from `from` FLOP/B on.
struct ChartLine {
  std::string label;
  double gbs = 0.0;
  double tflops = 0.0;
  double from = 0.0;
};

struct Chart {
  std::string title;
  std::vector<ChartLine> lines;
  std::vector<Mark> marks;  ///< one without a rate stands on the first line
};

/// The chart of one device: each bandwidth rises to the highest peak; each peak begins where the
/// fastest bandwidth reaches it; peaks within 15 % of a line are left out.
Chart chart_of(const Rungs& rungs, const std::vector<Mark>& marks);

/// The ranges of the axes, both logarithmic; powers of 2 and 10.
struct ChartRange {
  double ai_low = 0.0, ai_high = 0.0;  ///< FLOP per byte
  double tflops_low = 0.0, tflops_high = 0.0;
};
ChartRange range_of(const Chart& chart);
/// The height of a line at `flop_per_byte`.
double height_of(const ChartLine& line, double flop_per_byte);

struct TextStyle {
  int columns = 80;  ///< of the whole chart, labels included; at least 40 are used
  bool ascii = false;
  bool colour = false;
};
/// What standard output allows: the terminal's width (80 in a pipe), colour on a terminal unless
/// NO_COLOR is set or TERM is dumb.
TextStyle standard_output_style(bool ascii);

/// Axes, lines (a digit at each ridge) and marks (A, B, ... in order), 16 rows high, ending in a
/// newline.
std::string text_chart(const Chart& chart, const TextStyle& style);
/// A whole SVG document, 720 x 400, readable on light and dark ground; names are escaped.
std::string svg_chart(const Chart& chart);

/// The sign of line `index` in an ASCII chart.
char line_sign(std::size_t index);
/// The digit at the ridge of line `index`: the lines stay apart without colour.
char line_digit(std::size_t index);
/// The letter of mark `index`.
char mark_letter(std::size_t index);
/// `text` without control characters, for a terminal.
std::string printable(const std::string& text);

}  // namespace assay
