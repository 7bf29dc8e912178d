// SPDX-License-Identifier: Apache-2.0
// Has somebody asked this program to end?
#include "invariants/plan/interrupt.h"

#include <cerrno>
#include <system_error>

namespace assay {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM};

// A signal handler reaches nothing but this.
volatile std::sig_atomic_t asked_to_end = 0;

extern "C" void note_interrupt(int /*signal*/) {
  asked_to_end = 1;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  asked_to_end = 0;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (::sigaction(kSignals[i], &action, &before_[i]) != 0) {
      throw std::system_error(errno, std::generic_category(), "cannot listen for an interrupt");
    }
  }
}

InterruptWatch::~InterruptWatch() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    static_cast<void>(::sigaction(kSignals[i], &before_[i], nullptr));
  }
}

bool InterruptWatch::asked() const {
  return asked_to_end != 0;
}

}  // namespace assay
