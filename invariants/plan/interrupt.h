// SPDX-License-Identifier: Apache-2.0
// Has somebody asked this program to end (Ctrl-C, SIGTERM)? A long run then says what it has.
#pragma once

#include <array>
#include <csignal>

namespace assay {

/// While it lives, the first SIGINT or SIGTERM is only noted; a second one ends the program as if
/// nobody listened. One at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  bool asked() const;

 private:
  std::array<struct sigaction, 2> before_{};
};

}  // namespace assay
