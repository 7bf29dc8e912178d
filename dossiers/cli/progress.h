// SPDX-License-Identifier: Apache-2.0
// How far is a long run, for a person at a terminal? One line on stderr, rewritten.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace assay {

/// Set in the environment of a child whose stderr its parent passes on to a terminal.
inline constexpr const char* kTerminalBehind = "ASSAY_STDERR_IS_TERMINAL";

class Progress {
 public:
  /// Of `total` steps, bytes or files; silent unless stderr is a terminal, or one is behind it.
  explicit Progress(std::size_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// The next step begins: for few steps of seconds each.
  void begin(const std::string& step);
  /// `done` of the total are done: for very many. Cheap to call; says nothing in the first two
  /// seconds, nor more often than five times a second.
  void at(std::size_t done, const std::string& what);

 private:
  void clear();
  void show(const std::string& line);

  std::size_t total_, begun_ = 0;
  bool terminal_, shown_ = false;
  std::chrono::steady_clock::time_point started_, next_;
};

/// ", about 12 s left" or, from three minutes on, ", about 4 min left"; empty where nothing is done
/// yet, nothing left, or no time has passed.
std::string time_left(double done, double total, double elapsed_s);

/// "[ 3/29] probe.latency, about 12 s left"; without an estimate for the first step.
std::string progress_line(std::size_t number, std::size_t total, const std::string& step,
                          double elapsed_s);

/// "reading trace.csv: 45 %, about 3 s left"
std::string share_line(std::size_t done, std::size_t total, const std::string& what,
                       double elapsed_s);

}  // namespace assay
