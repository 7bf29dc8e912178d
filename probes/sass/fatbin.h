// SPDX-License-Identifier: Apache-2.0
// Which cubins does a program's .nv_fatbin section hold?
#pragma once

#include <vector>

#include "probes/sass/elf.h"

namespace assay::sass {

struct Cubin {
  int arch = 0;  ///< 90 for sm_90 and for sm_90a
  Bytes elf;     ///< a view into the section
};

/// Every cubin of every container, in file order; PTX entries are passed over.
/// Throws SassError on a malformed container and on a compressed cubin: probes are linked with
/// --no-compress so that no decompressor is needed.
std::vector<Cubin> read_fatbin(Bytes section);

}  // namespace assay::sass
