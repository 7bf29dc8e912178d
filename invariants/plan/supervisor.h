// SPDX-License-Identifier: Apache-2.0
// How did a program end, and what did it say last? Run it so that it cannot outlive us, hang us or
// flood us.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// A program that could not be started: missing, not executable, no memory. what() is one line.
class CannotStart : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where the program's standard output goes.
enum class ChildOutput {
  to_stderr,  ///< to this process's standard error, so that our own stdout stays machine-readable
  captured,   ///< into Ended::output, its first 1 MiB
  inherited,
};

struct Program {
  std::filesystem::path file;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  ///< set beside our own
  std::filesystem::path input;  ///< its standard input; empty: nothing to read
  double deadline_s = 60.0;     ///< then SIGTERM to the group, 2 s later SIGKILL
  ChildOutput output = ChildOutput::to_stderr;
  bool echo_stderr = true;     ///< also pass its standard error on to ours
  std::function<bool()> stop;  ///< asked every 20 ms; true ends the program as a deadline does
};

struct Ended {
  std::optional<int> exit_code;  ///< nullopt: ended by a signal
  std::optional<int> signal;
  bool timed_out = false;
  bool stopped = false;     ///< by Program::stop, before its deadline
  std::string stderr_tail;  ///< the last 2000 bytes at most, valid UTF-8
  std::string output;       ///< only with ChildOutput::captured
  double seconds = 0.0;
  std::int64_t pid = 0;  ///< that it had; another program may have it now
};

/// Runs `program` in a process group of its own and waits for it. Whatever it leaves running in
/// that group is killed; it dies with this process. Throws CannotStart.
Ended supervise(const Program& program);

/// "exit 3", "signal 11 (Segmentation fault)", "no end within 60 s".
std::string describe(const Ended& ended);

}  // namespace assay
