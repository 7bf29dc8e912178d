// SPDX-License-Identifier: Apache-2.0
// Which machine instructions does a kernel's loop execute? Read from the program file itself, with
// no CUDA toolkit: claimed work = opcode count of the loop body x trips.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "probes/sass/elf.h"
#include "probes/sass/opcodes.h"

namespace assay::sass {

struct Kernel {
  std::string name;  ///< mangled; device functions that were not inlined are listed too
  int arch = 0;      ///< 90 for sm_90 and sm_90a
  std::vector<Instruction> code;
};

/// A backward branch and what it encloses, as instruction indices; both ends belong to the loop.
struct Loop {
  std::size_t first = 0;
  std::size_t last = 0;  ///< the branch
  std::size_t size() const { return last - first + 1; }
  bool operator==(const Loop&) const = default;
};

using OpcodeCounts = std::map<std::string, int>;

/// One cubin of a file, and for what it was made.
struct CubinElf {
  Elf elf;       ///< refers to the file's bytes
  int arch = 0;  ///< 90 for sm_90 and sm_90a
};

/// The cubins of a program, object or cubin, in file order. Throws SassError.
std::vector<CubinElf> read_cubins(Bytes file);

/// All kernels of a program, object or cubin, for every architecture. Throws SassError.
std::vector<Kernel> read_kernels(Bytes file);
/// The same for a file. Throws SassError also when it cannot be read; the message names the file.
std::vector<Kernel> read_kernels(const std::filesystem::path& file);

/// The architectures that appear among `kernels`.
std::set<int> architectures(const std::vector<Kernel>& kernels);

/// The one kernel for `arch` whose mangled name contains `name`.
/// Throws SassError when there is none or more than one; the message lists the candidates.
const Kernel& find_kernel(const std::vector<Kernel>& kernels, std::string_view name, int arch);

/// Every loop that holds no other loop, in address order. A branch to itself (the padding after
/// EXIT) is no loop. Throws SassError when a branch leaves the kernel.
std::vector<Loop> innermost_loops(const Kernel& kernel);

/// How often each opcode stands in `loop`.
OpcodeCounts count_opcodes(const Kernel& kernel, const Loop& loop);

/// How often each opcode stands in one innermost loop of the one kernel for `arch` whose mangled
/// name contains `name`: the loop with most instructions called `holding` ("LDG"), or the largest
/// loop when `holding` is empty. Throws SassError, also when the kernel has no such loop.
OpcodeCounts loop_opcodes(const std::filesystem::path& file, std::string_view name, int arch,
                          std::string_view holding = {});

}  // namespace assay::sass
