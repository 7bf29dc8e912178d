// SPDX-License-Identifier: Apache-2.0
// What does a kernel use of an SM, by its cubin?
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "probes/sass/elf.h"

namespace assay::sass {

struct KernelResources {
  std::string name;                ///< mangled
  int arch = 0;                    ///< 90 for sm_90 and sm_90a
  std::optional<int> registers;    ///< per thread
  std::optional<int> barriers;     ///< named barriers per block
  std::int64_t smem_static = 0;    ///< bytes per block, without the driver's reserve
  std::optional<int> max_threads;  ///< of __launch_bounds__
};

/// The kernels of a cubin, program or object with fatbins. Throws SassError.
std::vector<KernelResources> read_resources(Bytes file);
/// The same for a file. Throws SassError also when it cannot be read; the message names the file.
std::vector<KernelResources> read_resources(const std::filesystem::path& file);

}  // namespace assay::sass
