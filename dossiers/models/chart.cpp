// SPDX-License-Identifier: Apache-2.0
// What is drawn in a roofline chart, and over which range?
#include "dossiers/models/chart.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace assay {
namespace {

double power_of_2_below(double value) {
  return std::exp2(std::floor(std::log2(value)));
}
double power_of_2_above(double value) {
  return std::exp2(std::ceil(std::log2(value)));
}
double power_of_10_below(double value) {
  return std::pow(10.0, std::floor(std::log10(value)));
}

}  // namespace

double height_of(const ChartLine& line, double flop_per_byte) {
  return attainable_tflops({line.label, line.gbs, line.tflops}, flop_per_byte);
}

Chart chart_of(const Rungs& rungs, const std::vector<Mark>& marks) {
  Chart chart;
  chart.title = rungs.title;
  chart.marks = marks;
  const auto by_value = [](const Rung& a, const Rung& b) { return a.value < b.value; };
  const double top = std::max_element(rungs.peaks.begin(), rungs.peaks.end(), by_value)->value;
  const double fastest =
      std::max_element(rungs.bandwidths.begin(), rungs.bandwidths.end(), by_value)->value;
  for (const Rung& rung : rungs.bandwidths) {
    chart.lines.push_back({rung.name, rung.value, top, 0.0});
  }
  const auto is_near_a_line = [&](double value) {
    constexpr double kApart = 1.15;  // closer ones cannot be told apart in a logarithmic chart
    return std::any_of(chart.lines.begin(), chart.lines.end(), [&](const ChartLine& line) {
      return value < line.tflops * kApart && line.tflops < value * kApart;
    });
  };
  for (const Rung& rung : rungs.peaks) {
    if (!is_near_a_line(rung.value)) {
      const double from = ridge_flop_per_byte({"", fastest, rung.value});
      chart.lines.push_back({rung.name, fastest, rung.value, from});
    }
  }
  return chart;
}

ChartRange range_of(const Chart& chart) {
  constexpr double kLow = 0.125;  // the usual range: 2^-3 ... 2^8
  constexpr double kHigh = 256.0;
  constexpr double kHeadroom = 1.3;
  ChartRange range{kLow, kHigh, 0.0, 0.0};
  for (const Mark& mark : chart.marks) {
    range.ai_low = std::min(range.ai_low, power_of_2_below(mark.flop_per_byte / 2.0));
    range.ai_high = std::max(range.ai_high, power_of_2_above(mark.flop_per_byte * 2.0));
  }
  for (const ChartLine& line : chart.lines) {
    const double ridge = ridge_flop_per_byte({"", line.gbs, line.tflops});
    range.ai_high = std::max(range.ai_high, power_of_2_above(ridge * 4.0));
    range.tflops_high = std::max(range.tflops_high, line.tflops * kHeadroom);
  }
  range.tflops_low = range.tflops_high;
  for (const ChartLine& line : chart.lines) {
    const double lowest = height_of(line, std::max(range.ai_low, line.from));
    range.tflops_low = std::min(range.tflops_low, power_of_10_below(lowest));
  }
  for (const Mark& mark : chart.marks) {
    if (!mark.tflops) continue;
    range.tflops_low = std::min(range.tflops_low, power_of_10_below(*mark.tflops));
    range.tflops_high = std::max(range.tflops_high, *mark.tflops * kHeadroom);
  }
  return range;
}

char line_sign(std::size_t index) {
  constexpr std::string_view kSigns = "*o+x#";
  return kSigns.at(index % kSigns.size());
}

char line_digit(std::size_t index) {
  constexpr std::size_t kDigits = 9;
  return static_cast<char>('1' + static_cast<int>(index % kDigits));
}

char mark_letter(std::size_t index) {
  constexpr std::size_t kLetters = 26;
  return static_cast<char>('A' + static_cast<int>(index % kLetters));
}

std::string printable(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    out += code < 0x20 || code == 0x7f ? '?' : letter;
  }
  return out;
}

}  // namespace assay
