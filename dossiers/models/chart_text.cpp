// SPDX-License-Identifier: Apache-2.0
// How does a roofline look in a terminal?
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dossiers/cli/table.h"
#include "dossiers/models/chart.h"

namespace assay {
namespace {

constexpr int kRows = 16;
constexpr int kLabel = 10;  // "  1000 T |"
constexpr int kDotsAcross = 2;
constexpr int kDotsDown = 4;

int nearest_cell(double place) {
  return static_cast<int>(std::lround(place));
}

/// U+2800 + mask in UTF-8.
std::string braille(unsigned mask) {
  const unsigned code = 0x2800U + mask;
  return {static_cast<char>(0xe0U | (code >> 12U)),
          static_cast<char>(0x80U | ((code >> 6U) & 0x3fU)),
          static_cast<char>(0x80U | (code & 0x3fU))};
}

struct Cell {
  unsigned dots = 0;
  int line = -1;
  char mark = '\0';
};

/// Cells of one chart, and where a point of the axes falls. With `fine`, 2 x 4 dots per cell.
class Canvas {
 public:
  Canvas(const ChartRange& range, int columns, bool fine)
      : range_(range),
        columns_(columns),
        fine_(fine),
        cells_(static_cast<std::size_t>(columns) * kRows) {}

  void draw(const ChartLine& line, int index) {
    const int steps = columns_ * kDotsAcross * kDotsDown;
    const double span = std::log2(range_.ai_high / range_.ai_low);
    for (int i = 0; i <= steps; ++i) {
      const double ai = range_.ai_low * std::exp2(span * i / steps);
      if (ai >= line.from) dot(ai, height_of(line, ai), index);
    }
  }
  void mark(double ai, double tflops, char letter) {
    const int x = nearest_cell(across(ai) * (columns_ - 1));
    const int y = nearest_cell(up(tflops) * (kRows - 1));
    at(std::clamp(x, 0, columns_ - 1), kRows - 1 - std::clamp(y, 0, kRows - 1)).mark = letter;
  }
  Cell& at(int column, int row) {
    return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(column)];
  }
  double across(double ai) const {
    return std::log2(ai / range_.ai_low) / std::log2(range_.ai_high / range_.ai_low);
  }
  double up(double tflops) const {
    return std::log10(tflops / range_.tflops_low) /
           std::log10(range_.tflops_high / range_.tflops_low);
  }

 private:
  void dot(double ai, double tflops, int index) {
    const double height = up(tflops);
    if (!(height >= 0.0) || height > 1.0) return;
    const int wide = fine_ ? columns_ * kDotsAcross : columns_;
    const int high = fine_ ? kRows * kDotsDown : kRows;
    const int x = std::min(nearest_cell(across(ai) * (wide - 1)), wide - 1);
    const int y = high - 1 - std::min(nearest_cell(height * (high - 1)), high - 1);
    Cell& cell = fine_ ? at(x / kDotsAcross, y / kDotsDown) : at(x, y);
    static constexpr unsigned kBits[kDotsDown][kDotsAcross] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cell.dots |= fine_ ? kBits[y % kDotsDown][x % kDotsAcross] : 1U;
    if (cell.line < 0) cell.line = index;  // the first line lies on top
  }

  ChartRange range_;
  int columns_;
  bool fine_;
  std::vector<Cell> cells_;
};

std::string coloured(const std::string& text, int index, const TextStyle& style) {
  if (!style.colour || text == " ") return text;
  constexpr int kColours = 6;  // red ... cyan
  return "\x1b[3" + std::to_string(1 + (index + 3) % kColours) + "m" + text + "\x1b[0m";
}

std::string cell_text(const Cell& cell, const TextStyle& style) {
  if (cell.mark != '\0') {
    return style.colour ? std::string("\x1b[1m") + cell.mark + "\x1b[0m"
                        : std::string(1, cell.mark);
  }
  if (cell.dots == 0) return " ";
  const std::string text = style.ascii
                               ? std::string(1, line_sign(static_cast<std::size_t>(cell.line)))
                               : braille(cell.dots);
  return coloured(text, cell.line, style);
}

/// The decade that falls into `row`, as a label; else blank.
std::string row_label(const Canvas& canvas, const ChartRange& range, int row) {
  for (double decade = range.tflops_low; decade <= range.tflops_high * 1.0001; decade *= 10.0) {
    const int at = kRows - 1 - nearest_cell(canvas.up(decade) * (kRows - 1));
    if (at == row) {
      const std::string text = shortest(decade);
      return std::string(static_cast<std::size_t>(std::max(0, kLabel - 2 - int(text.size()))),
                         ' ') +
             text;
    }
  }
  return std::string(kLabel - 2, ' ');
}

std::string bottom_axis(const Canvas& canvas, const ChartRange& range, int columns,
                        const TextStyle& style) {
  std::string labels(static_cast<std::size_t>(columns) + 8, ' ');
  for (double ai = range.ai_low; ai <= range.ai_high * 1.0001; ai *= 4.0) {
    const std::string text = shortest(ai);
    const auto at = static_cast<std::size_t>(nearest_cell(canvas.across(ai) * (columns - 1)));
    if (at + text.size() <= static_cast<std::size_t>(columns))
      labels.replace(at, text.size(), text);
  }
  labels.erase(labels.find_last_not_of(' ') + 1);
  std::string line(static_cast<std::size_t>(kLabel - 1), ' ');
  line += style.ascii ? "+" : "└";
  for (int i = 0; i < columns; ++i) line += style.ascii ? "-" : "─";
  return line + "\n" + std::string(kLabel, ' ') + labels + "\n" + std::string(kLabel, ' ') +
         "FLOP per byte\n";
}

std::string legend(const Chart& chart, const TextStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    const std::string sign =
        std::string(1, line_digit(i)) + (style.ascii ? std::string(" ") + line_sign(i) : "");
    text += "  " + coloured(sign, static_cast<int>(i), style) + " " + printable(line.label);
    text += line.from > 0.0
                ? ": " + shortest(line.tflops) + " TFLOP/s"
                : ": " + shortest(line.gbs) + " GB/s, up to " + shortest(line.tflops) + " TFLOP/s";
    text += "\n";
  }
  return text;
}

}  // namespace

TextStyle standard_output_style(bool ascii) {
  TextStyle style;
  style.ascii = ascii;
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  winsize size{};
  if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.columns = std::min<int>(size.ws_col, 120);
  }
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  style.colour = terminal && (no_colour == nullptr || *no_colour == '\0') &&
                 (term == nullptr || std::string(term) != "dumb");
  return style;
}

std::string text_chart(const Chart& chart, const TextStyle& style) {
  const ChartRange range = range_of(chart);
  const int columns = std::max(style.columns, 40) - kLabel - 1;
  Canvas canvas(range, columns, !style.ascii);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    canvas.draw(chart.lines[i], static_cast<int>(i));
  }
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    const double ridge = ridge_flop_per_byte({"", line.gbs, line.tflops});
    canvas.mark(ridge, line.tflops, line_digit(i));
  }
  for (std::size_t i = 0; i < chart.marks.size(); ++i) {
    const Mark& mark = chart.marks[i];
    const double on_roof = height_of(chart.lines.front(), mark.flop_per_byte);
    canvas.mark(mark.flop_per_byte, mark.tflops.value_or(on_roof), mark_letter(i));
  }
  std::string text = printable(chart.title) + "\n  TFLOP/s\n";
  for (int row = 0; row < kRows; ++row) {
    std::string line = row_label(canvas, range, row) + (style.ascii ? " |" : " │");
    std::size_t kept = line.size();
    for (int column = 0; column < columns; ++column) {
      const std::string cell = cell_text(canvas.at(column, row), style);
      line += cell;
      if (cell != " ") kept = line.size();
    }
    text += line.substr(0, kept) + "\n";
  }
  return text + bottom_axis(canvas, range, columns, style) + legend(chart, style);
}

}  // namespace assay
