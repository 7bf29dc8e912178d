// SPDX-License-Identifier: Apache-2.0
// How far is a long run, for a person at a terminal?
#include "invariants/plan/progress.h"

#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace assay {

std::string progress_line(std::size_t number, std::size_t total, const std::string& step,
                          double elapsed_s) {
  char buffer[160];
  static_cast<void>(
      std::snprintf(buffer, sizeof buffer, "[%2zu/%zu] %s", number, total, step.c_str()));
  std::string line = buffer;
  if (number > 1) {
    const double done = static_cast<double>(number - 1);
    const double left = elapsed_s / done * static_cast<double>(total - number + 1);
    static_cast<void>(std::snprintf(buffer, sizeof buffer, ", about %.0f s left", left));
    line += buffer;
  }
  return line;
}

Progress::Progress(std::size_t total)
    : total_(total),
      shown_(::isatty(STDERR_FILENO) == 1),
      started_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  clear();
}

void Progress::clear() {
  if (shown_ && begun_ > 0) {
    std::cerr << "\r\033[K";
  }
}

void Progress::begin(const std::string& step) {
  clear();
  ++begun_;
  if (shown_) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
    std::cerr << progress_line(begun_, total_, step, elapsed.count()) << std::flush;
  }
}

}  // namespace assay
