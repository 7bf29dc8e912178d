// SPDX-License-Identifier: Apache-2.0
// How far is a long run, for a person at a terminal?
#include "dossiers/cli/progress.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <unistd.h>

namespace assay {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kQuiet{2};
constexpr std::chrono::milliseconds kBetween{200};

bool is_seen() {
  return ::isatty(STDERR_FILENO) == 1 || std::getenv(kTerminalBehind) != nullptr;
}

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

}  // namespace

std::string time_left(double done, double total, double elapsed_s) {
  if (!(done > 0.0) || !(total > done) || !(elapsed_s > 0.0)) return {};
  constexpr double kMinutesFrom = 180.0;
  constexpr double kMinute = 60.0;
  const double left = elapsed_s / done * (total - done);
  const bool minutes = left >= kMinutesFrom;
  char buffer[64];
  static_cast<void>(std::snprintf(buffer, sizeof buffer, ", about %.0f %s left",
                                  minutes ? left / kMinute : left, minutes ? "min" : "s"));
  return buffer;
}

std::string progress_line(std::size_t number, std::size_t total, const std::string& step,
                          double elapsed_s) {
  char buffer[64];
  static_cast<void>(std::snprintf(buffer, sizeof buffer, "[%2zu/%zu] ", number, total));
  return buffer + step +
         time_left(static_cast<double>(number) - 1.0, static_cast<double>(total), elapsed_s);
}

std::string share_line(std::size_t done, std::size_t total, const std::string& what,
                       double elapsed_s) {
  constexpr std::size_t kPercent = 100;
  const std::size_t percent = total == 0 ? 0 : std::min(kPercent * done / total, kPercent);
  return what + ": " + std::to_string(percent) + " %" +
         time_left(static_cast<double>(done), static_cast<double>(total), elapsed_s);
}

Progress::Progress(std::size_t total)
    : total_(total),
      terminal_(is_seen()),
      started_(steady_clock::now()),
      next_(started_ + kQuiet) {}

Progress::~Progress() {
  clear();
}

void Progress::clear() {
  if (shown_) std::cerr << "\r\033[K" << std::flush;
  shown_ = false;
}

void Progress::show(const std::string& line) {
  clear();
  std::cerr << line << std::flush;
  shown_ = true;
}

void Progress::begin(const std::string& step) {
  ++begun_;
  if (terminal_) show(progress_line(begun_, total_, step, seconds_since(started_)));
}

void Progress::at(std::size_t done, const std::string& what) {
  if (!terminal_ || steady_clock::now() < next_) return;
  next_ = steady_clock::now() + kBetween;
  show(share_line(done, total_, what, seconds_since(started_)));
}

}  // namespace assay
