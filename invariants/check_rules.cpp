// SPDX-License-Identifier: Apache-2.0
// May these rules be built in? A catalogue entry without edits that break it stops the build here.
#include <exception>
#include <iostream>

#include "invariants/pinned.h"
#include "invariants/share.h"

namespace {

void check(const std::filesystem::path& share) {
  for (const assay::Level level : {assay::Level::quick, assay::Level::full}) {
    static_cast<void>(assay::load_rules(share, level));
  }
  static_cast<void>(assay::find_pinned({}, assay::pinned_dir(share)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: assay-check-rules SHARE_DIR\n";
    return 2;
  }
  try {
    check(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
