// SPDX-License-Identifier: Apache-2.0
// How does a roofline look as SVG?
#include <array>
#include <cmath>

#include "dossiers/cli/table.h"
#include "dossiers/models/chart.h"

namespace assay {
namespace {

constexpr double kWide = 720.0;
constexpr double kHigh = 400.0;
constexpr double kLeft = 64.0;
constexpr double kRight = 16.0;
constexpr double kTop = 40.0;
constexpr double kBottom = 56.0;

std::string number(double value) {
  return fixed(value, 1);
}

/// Text that is safe in element content and in attributes.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char letter : printable(text)) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

class Plane {
 public:
  explicit Plane(const ChartRange& range) : range_(range) {}
  double x(double ai) const {
    return kLeft + (kWide - kLeft - kRight) * std::log2(ai / range_.ai_low) /
                       std::log2(range_.ai_high / range_.ai_low);
  }
  double y(double tflops) const {
    return kHigh - kBottom -
           (kHigh - kTop - kBottom) * std::log10(tflops / range_.tflops_low) /
               std::log10(range_.tflops_high / range_.tflops_low);
  }
  const ChartRange& range() const { return range_; }

 private:
  ChartRange range_;
};

std::string text_at(double x, double y, const std::string& anchor, const std::string& text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" +
         escaped(text) + "</text>\n";
}

std::string grid_line(double x1, double y1, double x2, double y2) {
  return "<line class=\"g\" x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" +
         number(x2) + "\" y2=\"" + number(y2) + "\"/>\n";
}

std::string grid(const Plane& plane) {
  const ChartRange& range = plane.range();
  std::string out;
  for (double decade = range.tflops_low; decade <= range.tflops_high; decade *= 10.0) {
    out += grid_line(kLeft, plane.y(decade), kWide - kRight, plane.y(decade));
    out += text_at(kLeft - 6, plane.y(decade) + 4, "end", shortest(decade));
  }
  for (double ai = range.ai_low; ai <= range.ai_high * 1.0001; ai *= 4.0) {
    out += grid_line(plane.x(ai), kTop, plane.x(ai), kHigh - kBottom);
    out += text_at(plane.x(ai), kHigh - kBottom + 16, "middle", shortest(ai));
  }
  out += text_at((kLeft + kWide) / 2, kHigh - 16, "middle", "arithmetic intensity, FLOP per byte");
  return out + text_at(8, kTop - 8, "start", "TFLOP/s");
}

/// Lines differ by dashes as well as by colour.
std::string roof_line(const Plane& plane, const ChartLine& line, std::size_t index) {
  static constexpr std::array<const char*, 5> kDashes = {"none", "8 4", "2 3", "10 3 2 3", "5 2"};
  const ChartRange& range = plane.range();
  const double first = std::max(range.ai_low, line.from);
  const double ridge = ridge_flop_per_byte({"", line.gbs, line.tflops});
  std::string points;
  for (const double ai : {first, std::max(first, ridge), range.ai_high}) {
    points += number(plane.x(ai)) + "," + number(plane.y(height_of(line, ai))) + " ";
  }
  const std::string label = line.from > 0.0 ? line.label + " " + shortest(line.tflops) + " TFLOP/s"
                                            : line.label + " " + shortest(line.gbs) + " GB/s";
  std::string out = "<polyline class=\"r r" + std::to_string(index % kDashes.size()) +
                    "\" stroke-dasharray=\"" + kDashes.at(index % kDashes.size()) + "\" points=\"" +
                    points + "\"/>\n";
  if (line.from > 0.0) {
    return out + text_at(kWide - kRight - 4, plane.y(line.tflops) - 5, "end", label);
  }
  const double at = range.ai_low * 1.3;  // below the line, which rises away from the text
  return out + text_at(plane.x(at), plane.y(height_of(line, at)) + 16, "start", label);
}

std::string mark_point(const Plane& plane, const Mark& mark, const ChartLine& roof) {
  const double height = mark.tflops.value_or(height_of(roof, mark.flop_per_byte));
  const double x = plane.x(mark.flop_per_byte);
  const double y = plane.y(height);
  const bool right = x < kWide * 0.7;
  return "<circle class=\"m\" cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"4.5\"/>\n" +
         text_at(x + (right ? 9 : -9), y + 14, right ? "start" : "end", mark.name);
}

constexpr const char* kStyle =
    "<style>svg{color-scheme:light dark;background:#fff}text{font:12px system-ui,sans-serif;"
    "fill:#1a1a1a}.g{stroke:#d5d5d5}.r{fill:none;stroke-width:2}.r0{stroke:#0b57a4}"
    ".r1{stroke:#a3360a}.r2{stroke:#1c6b2f}.r3{stroke:#6b2fa3}.r4{stroke:#555}"
    ".m{fill:#b3003c;stroke:#fff}@media(prefers-color-scheme:dark){svg{background:#16181c}"
    "text{fill:#ececec}.g{stroke:#3a3f47}.r0{stroke:#7db8ff}.r1{stroke:#ff9d6e}"
    ".r2{stroke:#7fd894}.r3{stroke:#cda2ff}.r4{stroke:#bbb}.m{fill:#ff6b98;stroke:#16181c}}"
    "</style>\n";

}  // namespace

std::string svg_chart(const Chart& chart) {
  const Plane plane(range_of(chart));
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + fixed(kWide, 0) +
                    " " + fixed(kHigh, 0) + "\" role=\"img\" width=\"" + fixed(kWide, 0) +
                    "\">\n<title>" + escaped("Roofline: " + chart.title) + "</title>\n" + kStyle;
  out += text_at(kWide / 2, 20, "middle", chart.title);
  out += grid(plane);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    out += roof_line(plane, chart.lines[i], i);
  }
  for (const Mark& mark : chart.marks) {
    out += mark_point(plane, mark, chart.lines.front());
  }
  return out + "</svg>\n";
}

}  // namespace assay
