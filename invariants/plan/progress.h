// SPDX-License-Identifier: Apache-2.0
// How far is a long run, for a person at a terminal? One line on stderr, rewritten.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace assay {

class Progress {
 public:
  /// Of `total` steps; silent unless stderr is a terminal.
  explicit Progress(std::size_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void begin(const std::string& step);

 private:
  void clear();

  std::size_t total_, begun_ = 0;
  bool shown_;
  std::chrono::steady_clock::time_point started_;
};

/// "[ 3/29] probe.latency, about 12 s left"; without an estimate for the first step.
std::string progress_line(std::size_t number, std::size_t total, const std::string& step,
                          double elapsed_s);

}  // namespace assay
