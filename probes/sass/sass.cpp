// SPDX-License-Identifier: Apache-2.0
#include "probes/sass/sass.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "probes/sass/fatbin.h"

namespace assay::sass {

namespace {

constexpr std::size_t kInstructionBytes = 16;
constexpr std::uint16_t kBranch = 0x947;         // BRA, predicated or not
constexpr std::uint16_t kBranchUniform = 0x547;  // BRA.U, by a uniform predicate (sm_100 on)

std::vector<Instruction> decode(const std::string& name, Bytes text) {
  if (text.size() % kInstructionBytes != 0) {
    throw SassError(name + " holds " + std::to_string(text.size()) +
                    " bytes, which is no multiple of 16");
  }
  std::vector<Instruction> code;
  code.reserve(text.size() / kInstructionBytes);
  for (std::size_t at = 0; at < text.size(); at += kInstructionBytes) {
    code.push_back({read_le<std::uint64_t>(text, at, "instruction"),
                    read_le<std::uint64_t>(text, at + 8, "instruction")});
  }
  return code;
}

void read_cubin(const Elf& elf, int arch, std::vector<Kernel>& kernels) {
  constexpr std::string_view kPrefix = ".text.";
  for (const Section& section : elf.sections) {
    if (section.name.starts_with(kPrefix)) {
      kernels.push_back(
          {section.name.substr(kPrefix.size()), arch, decode(section.name, section.bytes)});
    }
  }
}

int arch_of(const Elf& cubin) {
  // ABI 8 (CUDA 13) moved the architecture from the low byte of e_flags to the next one.
  return static_cast<int>(cubin.abi_version >= 8 ? (cubin.flags >> 8) & 0xff : cubin.flags & 0xff);
}

/// Where the branch at `index` goes, relative to the next instruction, in bytes.
std::int64_t branch_offset(const Instruction& branch, int arch) {
  // 48 bits from bit 34 on, in units of 4 bytes; from sm_90 on they are the upper part and bits
  // 16 to 23 the lowest 8 bits.
  const std::uint64_t upper = (branch.low >> 34) | ((branch.high & 0x3ffff) << 30);
  const auto extended = static_cast<std::int64_t>(upper << 16) >> 16;
  if (arch < 90) {
    return extended * 4;
  }
  return (extended * 256 + static_cast<std::int64_t>((branch.low >> 16) & 0xff)) * 4;
}

std::optional<std::size_t> branch_target(const Kernel& kernel, std::size_t index) {
  const Instruction& instruction = kernel.code[index];
  if (instruction.opcode() != kBranch && instruction.opcode() != kBranchUniform) {
    return std::nullopt;
  }
  const auto next = static_cast<std::int64_t>((index + 1) * kInstructionBytes);
  const std::int64_t target = next + branch_offset(instruction, kernel.arch);
  const auto end = static_cast<std::int64_t>(kernel.code.size() * kInstructionBytes);
  if (target < 0 || target >= end || target % static_cast<std::int64_t>(kInstructionBytes) != 0) {
    throw SassError("the branch at instruction " + std::to_string(index) + " of " + kernel.name +
                    " (sm_" + std::to_string(kernel.arch) + ") leaves the kernel");
  }
  return static_cast<std::size_t>(target) / kInstructionBytes;
}

std::vector<Loop> all_loops(const Kernel& kernel) {
  std::vector<Loop> loops;
  for (std::size_t index = 0; index < kernel.code.size(); ++index) {
    const auto target = branch_target(kernel, index);
    if (target && *target < index) {
      loops.push_back({*target, index});
    }
  }
  return loops;
}

std::string names_of(const std::vector<Kernel>& kernels, int arch) {
  std::string text;
  for (const Kernel& kernel : kernels) {
    if (kernel.arch == arch) {
      text += (text.empty() ? "" : ", ") + kernel.name;
    }
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::vector<CubinElf> read_cubins(Bytes file) {
  Elf elf = read_elf(file);
  std::vector<CubinElf> cubins;
  if (elf.machine == kMachineCuda) {
    const int arch = arch_of(elf);
    cubins.push_back({std::move(elf), arch});
    return cubins;
  }
  for (const Section& section : elf.sections) {
    if (section.name != ".nv_fatbin") {
      continue;
    }
    for (const Cubin& cubin : read_fatbin(section.bytes)) {
      cubins.push_back({read_elf(cubin.elf), cubin.arch});
      if (cubins.back().elf.machine != kMachineCuda) {
        throw SassError("a fatbin entry claims to be a cubin but is for another machine");
      }
    }
  }
  return cubins;
}

std::vector<Kernel> read_kernels(Bytes file) {
  std::vector<Kernel> kernels;
  for (const CubinElf& cubin : read_cubins(file)) {
    read_cubin(cubin.elf, cubin.arch, kernels);
  }
  return kernels;
}

std::vector<Kernel> read_kernels(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw SassError(file.string() + ": cannot be opened");
  }
  const std::vector<char> raw{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) {
    throw SassError(file.string() + ": cannot be read");
  }
  const std::vector<std::uint8_t> bytes(raw.begin(), raw.end());
  try {
    return read_kernels(Bytes(bytes));
  } catch (const SassError& error) {
    throw SassError(file.string() + ": " + error.what());
  }
}

std::set<int> architectures(const std::vector<Kernel>& kernels) {
  std::set<int> archs;
  for (const Kernel& kernel : kernels) {
    archs.insert(kernel.arch);
  }
  return archs;
}

const Kernel& find_kernel(const std::vector<Kernel>& kernels, std::string_view name, int arch) {
  const auto matches = [&](const Kernel& kernel) {
    return kernel.arch == arch && kernel.name.find(name) != std::string::npos;
  };
  const auto count = std::count_if(kernels.begin(), kernels.end(), matches);
  if (count != 1) {
    throw SassError(std::to_string(count) + " kernels for sm_" + std::to_string(arch) +
                    " match \"" + std::string(name) +
                    "\", one is wanted; there are: " + names_of(kernels, arch));
  }
  return *std::find_if(kernels.begin(), kernels.end(), matches);
}

std::vector<Loop> innermost_loops(const Kernel& kernel) {
  const std::vector<Loop> loops = all_loops(kernel);
  std::vector<Loop> innermost;
  for (const Loop& outer : loops) {
    const bool holds_another = std::any_of(loops.begin(), loops.end(), [&](const Loop& inner) {
      return inner != outer && outer.first <= inner.first && inner.last <= outer.last;
    });
    if (!holds_another) {
      innermost.push_back(outer);
    }
  }
  return innermost;
}

OpcodeCounts count_opcodes(const Kernel& kernel, const Loop& loop) {
  OpcodeCounts counts;
  for (std::size_t index = loop.first; index <= loop.last && index < kernel.code.size(); ++index) {
    ++counts[opcode_name(kernel.code[index].opcode())];
  }
  return counts;
}

OpcodeCounts loop_opcodes(const std::filesystem::path& file, std::string_view name, int arch,
                          std::string_view holding) {
  const std::vector<Kernel> kernels = read_kernels(file);
  const Kernel& kernel = find_kernel(kernels, name, arch);
  OpcodeCounts best;
  int most = 0;
  for (const Loop& loop : innermost_loops(kernel)) {
    OpcodeCounts counts = count_opcodes(kernel, loop);
    const auto found = counts.find(std::string(holding));
    const int weight = holding.empty()         ? static_cast<int>(loop.size())
                       : found == counts.end() ? 0
                                               : found->second;
    if (weight > most) {
      most = weight;
      best = std::move(counts);
    }
  }
  if (most == 0) {
    throw SassError(file.string() + ": " + kernel.name + " (sm_" + std::to_string(arch) +
                    ") has no loop" + (holding.empty() ? "" : " with " + std::string(holding)));
  }
  return best;
}

}  // namespace assay::sass
