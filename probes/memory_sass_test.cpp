// SPDX-License-Identifier: Apache-2.0
// Do the memory probes' programs hold the loads that their methods claim, on every architecture?
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "probes/sass/sass.h"

namespace assay {
namespace {

using sass::Instruction;
using sass::Kernel;
using sass::Loop;

const std::vector<Kernel>& kernels_of(const std::string& probe) {
  static std::map<std::string, std::vector<Kernel>> read;
  if (!read.contains(probe)) {
    const std::filesystem::path folder = ASSAY_TEST_BINARY_DIR "/libexec/assay/probes";
    read[probe] = sass::read_kernels(folder / probe);
  }
  return read[probe];
}

/// A load from a generic address, which the table of opcodes does not list.
constexpr std::string_view kGenericLoad = "LD";

bool is_opcode(const Instruction& instruction, std::string_view name) {
  if (name == kGenericLoad) return (instruction.opcode() & 0x1ff) == 0x180;
  return sass::opcode_name(instruction.opcode()) == name;
}

std::vector<Instruction> all_of(const std::vector<Instruction>& code, std::string_view name) {
  std::vector<Instruction> found;
  std::copy_if(code.begin(), code.end(), std::back_inserter(found),
               [&](const Instruction& i) { return is_opcode(i, name); });
  return found;
}

/// Bytes that a global load or store moves per thread.
int access_bytes(const Instruction& access) {
  switch ((access.high >> 9) & 7) {
    case 4:
      return 4;
    case 5:
      return 8;
    case 6:
      return 16;
    default:
      return 0;
  }
}

std::vector<Instruction> body_of(const Kernel& kernel, const Loop& loop) {
  const auto begin = kernel.code.begin();
  return {begin + static_cast<std::ptrdiff_t>(loop.first),
          begin + static_cast<std::ptrdiff_t>(loop.last) + 1};
}

/// `code` holds `count` of the opcode, each `bytes` wide.
void expect_accesses(const std::vector<Instruction>& code, std::string_view opcode,
                     std::size_t count, int bytes) {
  const auto found = all_of(code, opcode);
  EXPECT_EQ(found.size(), count) << opcode;
  for (const Instruction& access : found) EXPECT_EQ(access_bytes(access), bytes) << opcode;
}

/// The body of the innermost loop that holds most of the opcode; empty when none does.
std::vector<Instruction> loop_with(const Kernel& kernel, std::string_view opcode) {
  std::vector<Instruction> body;
  for (const Loop& loop : sass::innermost_loops(kernel)) {
    const auto candidate = body_of(kernel, loop);
    if (all_of(candidate, opcode).size() > all_of(body, opcode).size()) body = candidate;
  }
  return body;
}

template <typename Check>
void for_each_architecture(const std::string& probe, const Check& check) {
  const auto archs = sass::architectures(kernels_of(probe));
  ASSERT_FALSE(archs.empty());
  for (const int arch : archs) {
    SCOPED_TRACE("sm_" + std::to_string(arch));
    check(arch);
  }
}

TEST(DramBandwidthSass, ReadsFourVectorsPerThread) {
  for_each_architecture("dram_bandwidth", [](int arch) {
    const auto& kernel = sass::find_kernel(kernels_of("dram_bandwidth"), "read_16b", arch);
    expect_accesses(kernel.code, "LDG", 4, 16);
    EXPECT_TRUE(sass::innermost_loops(kernel).empty());
    // In flight together: nothing waits between the first and the last.
    const auto is_load = [](const Instruction& i) { return is_opcode(i, "LDG"); };
    const auto first = std::find_if(kernel.code.begin(), kernel.code.end(), is_load);
    const auto last = std::find_if(kernel.code.rbegin(), kernel.code.rend(), is_load).base();
    EXPECT_TRUE(
        std::none_of(first, last, [](const Instruction& i) { return is_opcode(i, "LOP3"); }));
  });
}

TEST(DramBandwidthSass, MovesWhatEachKernelCounts) {
  for_each_architecture("dram_bandwidth", [](int arch) {
    const auto code = [&](std::string_view name) -> const std::vector<Instruction>& {
      return sass::find_kernel(kernels_of("dram_bandwidth"), name, arch).code;
    };
    expect_accesses(code("write_16b"), "LDG", 0, 0);
    expect_accesses(code("write_16b"), "STG", 1, 16);
    expect_accesses(code("copy_16b"), "LDG", 1, 16);
    expect_accesses(code("copy_16b"), "STG", 1, 16);
    const std::vector<std::pair<std::string_view, int>> triads{
        {"triad_kernelIf", 4}, {"triad_kernelI6float2", 8}, {"wide_triad", 16}};
    for (const auto& [name, bytes] : triads) {
      expect_accesses(code(name), "LDG", 2, bytes);
      expect_accesses(code(name), "STG", 1, bytes);
    }
    expect_accesses(code("gather_4b"), "LDG", 16, 4);
    expect_accesses(code("gather_rowsILi1E"), "LDG", 8, 16);
    expect_accesses(code("gather_rowsILi8E"), "LDG", 8, 16);
  });
}

TEST(DramBandwidthSass, BulkReadCopiesFourChunksAndReadsAllOfThem) {
  for_each_architecture("dram_bandwidth", [](int arch) {
    const auto& code = sass::find_kernel(kernels_of("dram_bandwidth"), "read_bulk", arch).code;
    const bool exists = arch >= 90;
    EXPECT_EQ(all_of(code, "UBLKCP").size(), exists ? 4u : 0u);
    const auto reads = all_of(code, "LDS");  // some targets read a barrier's words, too
    EXPECT_EQ(std::count_if(reads.begin(), reads.end(),
                            [](const Instruction& i) { return access_bytes(i) == 16; }),
              exists ? 16 : 0);
    EXPECT_EQ(all_of(code, "LDG").size(), 0u);
  });
}

TEST(DramBandwidthSass, SharesOfTheSmsReadFourVectorsAStep) {
  for_each_architecture("dram_bandwidth", [](int arch) {
    const auto& kernel = sass::find_kernel(kernels_of("dram_bandwidth"), "read_by_some", arch);
    expect_accesses(loop_with(kernel, "LDG"), "LDG", 4, 16);
  });
}

TEST(L2BandwidthSass, LoopsMoveFourVectorsAStep) {
  for_each_architecture("l2_bandwidth", [](int arch) {
    for (const auto& [name, opcode] : {std::pair{"read_l2", "LDG"}, std::pair{"write_l2", "STG"}}) {
      const auto& kernel = sass::find_kernel(kernels_of("l2_bandwidth"), name, arch);
      const auto loops = sass::innermost_loops(kernel);
      ASSERT_EQ(loops.size(), 1u) << name;
      expect_accesses(body_of(kernel, loops.front()), opcode, 4, 16);
    }
  });
}

// A load that never changes its address is moved out of a loop unless somebody sees to it: a trip
// of the on-chip loops holds all of the 16 words that it counts.

TEST(L1BandwidthSass, ATripLoadsSixteenWords) {
  for_each_architecture("l1_bandwidth", [](int arch) {
    for (const int width : {1, 2, 4}) {
      const std::string name = "read_l1ILi" + std::to_string(width) + "E";
      const auto& kernel = sass::find_kernel(kernels_of("l1_bandwidth"), name, arch);
      expect_accesses(loop_with(kernel, "LDG"), "LDG", static_cast<std::size_t>(16 / width),
                      4 * width);
    }
  });
}

TEST(SharedMemorySass, ATripLoadsSixteenWords) {
  for_each_architecture("shared_memory", [](int arch) {
    for (const int width : {1, 2, 4}) {
      const std::string name = "read_sharedILi" + std::to_string(width) + "E";
      const auto& kernel = sass::find_kernel(kernels_of("shared_memory"), name, arch);
      expect_accesses(loop_with(kernel, "LDS"), "LDS", static_cast<std::size_t>(16 / width),
                      4 * width);
    }
    const auto& conflict = sass::find_kernel(kernels_of("shared_memory"), "read_in_conflict", arch);
    expect_accesses(loop_with(conflict, "LDS"), "LDS", 16, 4);
  });
}

TEST(SharedMemorySass, ATripStoresSixteenWords) {
  for_each_architecture("shared_memory", [](int arch) {
    const auto& kernel = sass::find_kernel(kernels_of("shared_memory"), "write_shared", arch);
    expect_accesses(loop_with(kernel, "STS"), "STS", 4, 16);
  });
}

TEST(SharedMemorySass, ATripLoadsSixteenWordsOfAPeer) {
  for_each_architecture("shared_memory", [](int arch) {
    const auto& kernel = sass::find_kernel(kernels_of("shared_memory"), "read_peer", arch);
    expect_accesses(loop_with(kernel, kGenericLoad), kGenericLoad, arch >= 90 ? 4 : 0, 16);
  });
}

}  // namespace
}  // namespace assay
