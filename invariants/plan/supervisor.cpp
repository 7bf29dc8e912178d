// SPDX-License-Identifier: Apache-2.0
// How did a program end, and what did it say last?
#include "invariants/plan/supervisor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "invariants/plan/file_descriptor.h"
#include "invariants/plan/text.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kTailBytes = 2000;
constexpr std::size_t kCaptureBytes = 1u << 20;
constexpr auto kPoll = milliseconds(20);
constexpr auto kTermGrace = std::chrono::seconds(2);
// A process stuck inside the driver cannot be killed; waiting for it would hang the whole run.
constexpr auto kKillGrace = std::chrono::seconds(10);

struct Pipe {
  FileDescriptor read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw CannotStart(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return;  // our own stderr is gone or full: the tail still holds what was said
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

/// "NAME=value" strings: ours, overlaid with the program's own.
std::vector<std::string> environment_of(const Program& program) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(program.environment.begin(), program.environment.end(),
                                      [&](const auto& set) { return set.first == name; });
    if (!replaced) {
      result.emplace_back(text);
    }
  }
  for (const auto& [name, value] : program.environment) {
    result.push_back(std::string(name).append("=").append(value));
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (auto& text : strings) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

/// What the child needs, prepared before the fork: after it only async-signal-safe calls are legal.
struct ChildSetup {
  const char* file;
  char* const* argv;
  char* const* envp;
  int stdin_fd, stdout_fd, stderr_fd, error_fd;
  pid_t parent;
};

[[noreturn]] void become(const ChildSetup& setup) {
  static_cast<void>(::setpgid(0, 0));
  static_cast<void>(::prctl(PR_SET_PDEATHSIG, SIGKILL));
  if (::getppid() != setup.parent) {
    ::_exit(127);  // the parent died before the death signal was armed
  }
  sigset_t none;
  sigemptyset(&none);
  static_cast<void>(::sigprocmask(SIG_SETMASK, &none, nullptr));
  static_cast<void>(std::signal(SIGPIPE, SIG_DFL));
  const bool placed = ::dup2(setup.stdin_fd, STDIN_FILENO) >= 0 &&
                      (setup.stdout_fd < 0 || ::dup2(setup.stdout_fd, STDOUT_FILENO) >= 0) &&
                      ::dup2(setup.stderr_fd, STDERR_FILENO) >= 0;
  if (placed) {
    ::execve(setup.file, setup.argv, setup.envp);
  }
  const int cause = errno;
  static_cast<void>(!::write(setup.error_fd, &cause, sizeof cause));
  ::_exit(127);
}

/// Blocks until the exec happened (the pipe closes) or its errno arrives.
int exec_error(int fd) {
  int cause = 0;
  ssize_t n = 0;
  do {
    n = ::read(fd, &cause, sizeof cause);
  } while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(sizeof cause) ? cause : 0;
}

class Supervision {
 public:
  explicit Supervision(const Program& program) : program_(program) { start(); }
  Ended run();

 private:
  void start();
  pid_t spawn(int stdout_fd, int stderr_fd, int error_fd);
  bool leader_ended() const;
  void pump(milliseconds wait);
  bool take(FileDescriptor& from, bool is_stderr);
  void drain();
  void keep(std::string_view bytes, bool is_stderr);
  void escalate();
  void collect();

  const Program& program_;
  pid_t pid_ = -1;
  FileDescriptor stdout_, stderr_;
  Clock::time_point started_, next_;
  int signals_sent_ = 0;
  Ended ended_;
};

pid_t Supervision::spawn(int stdout_fd, int stderr_fd, int error_fd) {
  const char* input = program_.input.empty() ? "/dev/null" : program_.input.c_str();
  const FileDescriptor in(::open(input, O_RDONLY | O_CLOEXEC));
  if (!in.open()) {
    throw CannotStart(std::string(input) + ": cannot be read: " + std::strerror(errno));
  }
  std::vector<std::string> arguments{program_.file.string()};
  arguments.insert(arguments.end(), program_.arguments.begin(), program_.arguments.end());
  std::vector<std::string> environment = environment_of(program_);
  const auto argv = pointers(arguments);
  const auto envp = pointers(environment);
  const ChildSetup setup{program_.file.c_str(),
                         argv.data(),
                         envp.data(),
                         in.get(),
                         stdout_fd,
                         stderr_fd,
                         error_fd,
                         ::getpid()};
  const pid_t pid = ::fork();
  if (pid < 0) {
    throw CannotStart(program_.file.string() + ": cannot fork: " + std::strerror(errno));
  }
  if (pid == 0) {
    become(setup);
  }
  // Both sides set the group, so that it exists whichever runs first.
  static_cast<void>(::setpgid(pid, pid));
  return pid;
}

void Supervision::start() {
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  Pipe error = make_pipe();
  int stdout_fd = -1;
  if (program_.output == ChildOutput::captured) {
    stdout_fd = out.write.get();
  } else if (program_.output == ChildOutput::to_stderr) {
    stdout_fd = STDERR_FILENO;
  }
  started_ = Clock::now();
  next_ = started_ + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(program_.deadline_s));
  pid_ = spawn(stdout_fd, err.write.get(), error.write.get());
  out.write.reset();
  err.write.reset();
  error.write.reset();
  if (const int cause = exec_error(error.read.get()); cause != 0) {
    static_cast<void>(::waitpid(pid_, nullptr, 0));
    throw CannotStart(program_.file.string() + ": cannot run: " + std::strerror(cause));
  }
  for (const int fd : {out.read.get(), err.read.get()}) {
    static_cast<void>(::fcntl(fd, F_SETFL, O_NONBLOCK));
  }
  stdout_ = std::move(out.read);
  stderr_ = std::move(err.read);
}

/// Looks without reaping: the zombie keeps the process group's id from being reused.
bool Supervision::leader_ended() const {
  siginfo_t info{};
  const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return result == 0 && info.si_pid == pid_;
}

void Supervision::keep(std::string_view bytes, bool is_stderr) {
  if (!is_stderr) {
    const auto room = kCaptureBytes - std::min(kCaptureBytes, ended_.output.size());
    ended_.output.append(bytes.substr(0, room));
    return;
  }
  if (program_.echo_stderr) {
    write_all(STDERR_FILENO, bytes);
  }
  ended_.stderr_tail.append(bytes);
  if (ended_.stderr_tail.size() > 2 * kTailBytes) {
    ended_.stderr_tail.erase(0, ended_.stderr_tail.size() - kTailBytes);
  }
}

/// One read. False when there is nothing more for now.
bool Supervision::take(FileDescriptor& from, bool is_stderr) {
  std::array<char, 16384> buffer;
  const ssize_t n = ::read(from.get(), buffer.data(), buffer.size());
  if (n > 0) {
    keep({buffer.data(), static_cast<std::size_t>(n)}, is_stderr);
    return true;
  }
  if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
    from.reset();
  }
  return false;
}

void Supervision::pump(milliseconds wait) {
  std::array<pollfd, 2> fds{{{stdout_.get(), POLLIN, 0}, {stderr_.get(), POLLIN, 0}}};
  // Both streams closed: the end is near, and poll() has nothing left to wake for.
  const bool closed = !stdout_.open() && !stderr_.open();
  const int timeout = closed ? 1 : static_cast<int>(wait.count());
  if (::poll(fds.data(), fds.size(), timeout) <= 0) {
    return;
  }
  if (fds[0].revents != 0) {
    take(stdout_, false);
  }
  if (fds[1].revents != 0) {
    take(stderr_, true);
  }
}

/// What was written before the end. Bounded: a process that left the group may still be writing.
void Supervision::drain() {
  for (int i = 0; i < 64 && stdout_.open() && take(stdout_, false); ++i) {
  }
  for (int i = 0; i < 64 && stderr_.open() && take(stderr_, true); ++i) {
  }
}

void Supervision::escalate() {
  ended_.timed_out = !ended_.stopped;
  const bool first = signals_sent_++ == 0;
  static_cast<void>(::kill(-pid_, first ? SIGTERM : SIGKILL));
  next_ = Clock::now() + (first ? Clock::duration(kTermGrace) : Clock::duration(kKillGrace));
}

void Supervision::collect() {
  static_cast<void>(::kill(-pid_, SIGKILL));
  drain();
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) {
    ended_.exit_code = WEXITSTATUS(status);
  } else {
    ended_.signal = WTERMSIG(status);
  }
}

Ended Supervision::run() {
  bool stuck = false;
  while (!leader_ended()) {
    if (!ended_.stopped && signals_sent_ == 0 && program_.stop && program_.stop()) {
      ended_.stopped = true;
      next_ = Clock::now();
    }
    if (Clock::now() >= next_) {
      if (signals_sent_ == 2) {
        stuck = true;
        break;
      }
      escalate();
    }
    pump(kPoll);
  }
  if (stuck) {
    ended_.signal = SIGKILL;  // sent; not even that ended it
  } else {
    collect();
  }
  ended_.pid = pid_;
  ended_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  ended_.stderr_tail = utf8_tail(ended_.stderr_tail, kTailBytes);
  ended_.output = utf8_tail(ended_.output, kCaptureBytes);
  return std::move(ended_);
}

}  // namespace

Ended supervise(const Program& program) {
  return Supervision(program).run();
}

std::string describe(const Ended& ended) {
  if (ended.stopped) {
    return "stopped after " + compact(ended.seconds) + " s";
  }
  if (ended.timed_out) {
    return "no end within its deadline, stopped after " + compact(ended.seconds) + " s";
  }
  if (ended.signal) {
    return "signal " + std::to_string(*ended.signal) + " (" + ::strsignal(*ended.signal) + ")";
  }
  return "exit " + std::to_string(ended.exit_code.value_or(-1));
}

}  // namespace assay
