// SPDX-License-Identifier: Apache-2.0
// hog KIND PROGRAM [ARGUMENT ...]: runs a program while this process hogs the GPU; exits as it
// exits.
//
// The hog is the parent, so that one supervisor's deadline and kill are for both.
#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dossiers/driver/device_list.h"
#include "dossiers/exit_code.h"
#include "probes/faults/hog_work.h"
#include "probes/harness/ordinal.h"

namespace assay {
namespace {

constexpr int kCannotStart = 127;
constexpr double kRoundSeconds = 2e-3;
/// A quarter of an H200.
constexpr unsigned kBlockedSms = 33;

/// The program, waiting until it may begin: a process must not fork once it has used the GPU.
struct Waiting {
  pid_t pid = -1;
  int go = -1;
};

Waiting prepare(char** program) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("cannot fork");
  if (pid > 0) {
    ::close(ends[0]);
    return {pid, ends[1]};
  }
  static_cast<void>(::prctl(PR_SET_PDEATHSIG, SIGKILL));
  ::close(ends[1]);
  char go = 0;
  if (::read(ends[0], &go, 1) != 1) ::_exit(kCannotStart);  // the hog could not start
  ::close(ends[0]);
  ::execv(program[0], program);
  ::_exit(kCannotStart);
}

/// Hogs until the program has ended; its exit code, or 128 + its signal.
int hog_until_end(HogWork& work, const Waiting& program) {
  work.run(kRoundSeconds);
  if (::write(program.go, "g", 1) != 1) throw std::runtime_error("the program cannot be started");
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(program.pid, &status, WNOHANG);
    if (ended == program.pid) break;
    if (ended < 0) throw std::runtime_error("cannot wait for the program");
    work.run(kRoundSeconds);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

HogKind kind_of(const std::string& name) {
  const auto& names = hog_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    std::string allowed;
    for (const std::string& one : names) allowed += " " + one;
    throw std::invalid_argument("`" + name + "` is no kind of hog; allowed:" + allowed);
  }
  return static_cast<HogKind>(found - names.begin());
}

/// What follows `--device` among the program's arguments; empty: the only device there is.
std::string device_of(char** program) {
  for (char** argument = program; *argument != nullptr; ++argument) {
    if (std::string_view(*argument) == "--device" && argument[1] != nullptr) return argument[1];
  }
  return "";
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "hog: usage: hog KIND PROGRAM [ARGUMENT ...]\n";
    return kExitUsage;
  }
  const HogKind kind = kind_of(argv[1]);
  const Waiting program = prepare(argv + 2);
  order_devices_by_pci();
  std::string why;
  const auto nvml = load_nvml(why);
  const auto devices = list_devices(LibCuda(), nvml.get(), why);
  const ListedDevice& listed = devices.at(select_device(devices, device_of(argv + 2)));
  ASSAY_CUDA(cudaSetDevice(runtime_ordinal(listed)));
  HogWork work(kind, {.blocked_sms = kBlockedSms});
  return hog_until_end(work, program);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  try {
    return assay::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "hog: " << error.what() << '\n';
    return assay::kExitUsage;
  }
}
