// SPDX-License-Identifier: Apache-2.0
// Do the programs for latencies, atomics and barriers hold the chains that their methods claim, on
// every architecture?
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "probes/op_chain_shape.h"
#include "probes/sass/sass.h"

namespace assay {
namespace {

using sass::Instruction;
using sass::Kernel;
using sass::Loop;

constexpr std::size_t kLoopControl = 4;
constexpr std::size_t kBarriersPerRound = 40;  // of a block, in barriers.cu

const std::vector<Kernel>& kernels_of(const std::string& probe) {
  static std::map<std::string, std::vector<Kernel>> read;
  if (!read.contains(probe)) {
    const std::filesystem::path folder = ASSAY_TEST_BINARY_DIR "/libexec/assay/probes";
    read[probe] = sass::read_kernels(folder / probe);
  }
  return read[probe];
}

template <typename Check>
void for_each_architecture(const std::string& probe, int least, const Check& check) {
  const auto archs = sass::architectures(kernels_of(probe));
  ASSERT_FALSE(archs.empty());
  for (const int arch : archs) {
    if (arch < least) continue;
    SCOPED_TRACE("sm_" + std::to_string(arch));
    check(arch);
  }
}

std::string name_of(const Instruction& instruction) {
  // Since sm_86 HFMA2 has a second form, which runs on another pipe; see the table of opcodes.
  const bool other_half_form = (instruction.opcode() & 0x1ff) == 0x035;
  return other_half_form ? "HFMA2" : sass::opcode_name(instruction.opcode());
}

/// The instructions of that name in the loop.
std::vector<Instruction> all_of(const Kernel& kernel, const Loop& loop, std::string_view name) {
  const auto begin = kernel.code.begin();
  std::vector<Instruction> found;
  std::copy_if(begin + static_cast<std::ptrdiff_t>(loop.first),
               begin + static_cast<std::ptrdiff_t>(loop.last) + 1, std::back_inserter(found),
               [&](const Instruction& i) { return name_of(i) == name; });
  return found;
}

/// Instructions that only fill time after a slow one: NOP, and on 8.x an addition without operands
/// or result that is never executed.
std::size_t count_waits(const Kernel& kernel, const Loop& loop) {
  constexpr std::uint64_t kNeverAdd = 0x3f3ff290;
  std::size_t waits = all_of(kernel, loop, "NOP").size();
  for (const Instruction& add : all_of(kernel, loop, "UIADD3")) {
    waits += (add.low & 0xffffffff) == kNeverAdd ? 1 : 0;
  }
  return waits;
}

int destination(const Instruction& instruction) {
  return static_cast<int>((instruction.low >> 16) & 0xff);
}
/// The registers of the three operands; of a load, the first is the address.
std::vector<int> sources(const Instruction& instruction) {
  return {static_cast<int>((instruction.low >> 24) & 0xff),
          static_cast<int>((instruction.low >> 32) & 0xff),
          static_cast<int>(instruction.high & 0xff)};
}

/// The loop is `count` instructions of that name, each of which waits for the one before (the first
/// for the last of the round before), and next to nothing else.
void expect_chain(const Kernel& kernel, const Loop& loop, std::string_view opcode,
                  std::size_t count, std::size_t operands) {
  const std::size_t waits = count_waits(kernel, loop);
  EXPECT_LE(loop.size() - waits, count + kLoopControl);
  const auto chain = all_of(kernel, loop, opcode);
  ASSERT_EQ(chain.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto read = sources(chain[(i + 1) % count]);
    const auto end = read.begin() + static_cast<std::ptrdiff_t>(operands);
    EXPECT_NE(std::find(read.begin(), end, destination(chain[i])), end) << "step " << i;
  }
}

/// Both loops of a chase, warming and timed: loads whose address is what the one before loaded.
void expect_chase(int arch, std::string_view kernel_name, std::string_view opcode) {
  SCOPED_TRACE(kernel_name);
  const auto& kernel = sass::find_kernel(kernels_of("latency"), kernel_name, arch);
  const auto loops = sass::innermost_loops(kernel);
  ASSERT_EQ(loops.size(), 2u);
  for (const Loop& loop : loops) expect_chain(kernel, loop, opcode, 32, 1);
}

TEST(LatencySass, ChasesAreLoadsThatWaitForEachOther) {
  for_each_architecture("latency", 0, [](int arch) {
    expect_chase(arch, "chase_globalINS_6L1LoadE", "LDG");
    expect_chase(arch, "chase_globalINS_6L2LoadE", "LDG");
    expect_chase(arch, "chase_sharedINS_10SharedLoadE", "LDS");
    expect_chase(arch, "chase_constant", "LDC");
  });
}

TEST(LatencySass, TheNeighboursSharedMemoryIsChasedWithoutArithmetic) {
  for_each_architecture("latency", 90, [](int arch) { expect_chase(arch, "chase_peer", "LD"); });
}

TEST(LatencySass, AtomicsOfTheL2MapAreNotMerged) {
  for_each_architecture("latency", 0, [](int arch) {
    const auto& kernel = sass::find_kernel(kernels_of("latency"), "map_lines", arch);
    const auto loops = sass::innermost_loops(kernel);
    ASSERT_EQ(loops.size(), 1u);
    EXPECT_EQ(all_of(kernel, loops.front(), "ATOMG").size(), 8u);
    EXPECT_TRUE(all_of(kernel, loops.front(), "SHFL").empty());
  });
}

TEST(LatencySass, OpChainsAreOneInstructionThatWaitsForItself) {
  const std::map<std::string, std::string> ops{{"4FfmaE", "FFMA"},
                                               {"4DfmaE", "DFMA"},
                                               {"5Hfma2E", "HFMA2"},
                                               {"4ImadE", "IMAD"},
                                               {"7HmmaF16E", "HMMA"}};
  for (const auto& [op, opcode] : ops) {
    SCOPED_TRACE(op);
    for_each_architecture("latency", opcode == "HMMA" ? 80 : 0, [&](int arch) {
      const auto& kernel = sass::find_kernel(kernels_of("latency"), op, arch);
      auto loops = sass::innermost_loops(kernel);
      ASSERT_EQ(loops.size(), 2u);
      expect_chain(kernel, loops[0], opcode, kShortChain, 3);
      expect_chain(kernel, loops[1], opcode, kLongChain, 3);
    });
  }
}

/// The kernel's loops hold the opcode, and nothing anywhere merges a warp's adds beforehand.
void expect_unmerged(int arch, std::string_view kernel_name, const std::string& opcode,
                     const std::set<std::string>& allowed = {}) {
  SCOPED_TRACE(kernel_name);
  const auto& kernel = sass::find_kernel(kernels_of("atomics"), kernel_name, arch);
  const auto loops = sass::innermost_loops(kernel);
  ASSERT_FALSE(loops.empty());
  for (const Loop& loop : loops) EXPECT_GE(sass::count_opcodes(kernel, loop)[opcode], 1);
  for (const Instruction& instruction : kernel.code) {
    const std::string name = sass::opcode_name(instruction.opcode());
    const std::set<std::string> merging{"VOTE", "VOTEU", "POPC",  "MATCH", "REDUX",
                                        "SHFL", "RED",   "ATOMG", "ATOMS"};
    const bool merges = merging.contains(name) && name != opcode && !allowed.contains(name);
    EXPECT_FALSE(merges) << name;
  }
}

TEST(AtomicsSass, AddsAreNotMergedBeforehand) {
  for_each_architecture("atomics", 0, [](int arch) {
    expect_unmerged(arch, "6hammerIfE", "RED");
    expect_unmerged(arch, "6hammerIjE", "RED");
    expect_unmerged(arch, "add_returning", "ATOMG");
    expect_unmerged(arch, "compare_and_swap", "ATOMG");
    expect_unmerged(arch, "hammer_sharedIjE", "ATOMS");
    expect_unmerged(arch, "hammer_sharedIfE", "ATOMS");
  });
}

TEST(AtomicsSass, SharedAddsOfFloatsAreLoopsOfCompareAndSwap) {
  for_each_architecture("atomics", 0, [](int arch) {
    const auto& kernel = sass::find_kernel(kernels_of("atomics"), "hammer_sharedIfE", arch);
    for (const Loop& loop : sass::innermost_loops(kernel)) {
      EXPECT_EQ(all_of(kernel, loop, "ATOMS").size(), 1u);
      EXPECT_EQ(all_of(kernel, loop, "LDS").size(), 1u);
    }
  });
}

TEST(BarriersSass, TheTimedLoopsOfABlockAreBarriersAlone) {
  for_each_architecture("barriers", 0, [](int arch) {
    const auto& kernel =
        sass::find_kernel(kernels_of("barriers"), "time_barriersINS0_12BlockBarrierE", arch);
    std::size_t timed = 0;
    for (const Loop& loop : sass::innermost_loops(kernel)) {
      ++timed;
      EXPECT_EQ(all_of(kernel, loop, "BAR").size(), kBarriersPerRound);
      EXPECT_LE(loop.size(), kBarriersPerRound + kLoopControl);
    }
    EXPECT_GE(timed, 1u) << "the timed loop, and the one before it unless it is unrolled";
  });
}

TEST(BarriersSass, ClusterLoopsArriveAndWait) {
  for_each_architecture("barriers", 90, [](int arch) {
    const auto& kernel =
        sass::find_kernel(kernels_of("barriers"), "time_barriersINS0_14ClusterBarrierE", arch);
    const auto loops = sass::innermost_loops(kernel);
    ASSERT_FALSE(loops.empty());
    for (const Loop& loop : loops) EXPECT_EQ(all_of(kernel, loop, "UCGABAR").size(), 8u);
  });
}

}  // namespace
}  // namespace assay
