// SPDX-License-Identifier: Apache-2.0
// Does the reader find the kernels, loops and opcodes that are there, and refuse what is malformed?
#include "probes/sass/sass.h"

#include <gtest/gtest.h>

#include "probes/sass/fatbin.h"
#include "probes/sass/test_files.h"

namespace assay::sass {
namespace {

std::filesystem::path data_path(const std::string& name) {
  return std::filesystem::path(ASSAY_TEST_SOURCE_DIR) / "probes/sass/testdata" / name;
}

std::string error_of(const FileBytes& file) {
  try {
    read_kernels(Bytes(file));
  } catch (const SassError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Sass, CountsExactlyTheLoopsInstructionsBeforeAndAfterTheBranchEncodingChanged) {
  for (const int arch : {75, 90}) {
    const auto counts = loop_opcodes(data_path("ffma_loop_sm" + std::to_string(arch) + ".cubin"),
                                     "ffma_loop", arch);
    EXPECT_EQ(counts.at("FFMA"), 32) << "sm_" << arch;
    EXPECT_EQ(counts.at("BRA"), 1) << "sm_" << arch;
    EXPECT_EQ(counts.count("LDG"), 0U) << "the loads stand before the loop";
    EXPECT_EQ(counts.count("STG"), 0U) << "the stores stand after the loop";
  }
}

TEST(Sass, ALoopIsFoundByWhatItHolds) {
  const auto file = data_path("ffma_loop_sm90.cubin");
  EXPECT_EQ(loop_opcodes(file, "ffma_loop", 90, "FFMA").at("FFMA"), 32);
  EXPECT_THROW(loop_opcodes(file, "ffma_loop", 90, "HMMA"), SassError);
}

TEST(Sass, ThePaddingBranchAfterExitIsNoLoop) {
  const auto kernels = read_kernels(data_path("ffma_loop_sm90.cubin"));
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(innermost_loops(kernels.front()).size(), 1U);
}

TEST(Sass, ReadsCubinsThroughTheProgramsFatbin) {
  FileBytes fatbin = fatbin_with(test_data("ffma_loop_sm75.cubin"), 75);
  put_le(fatbin, 0, 8);
  const FileBytes second = fatbin_with(test_data("ffma_loop_sm90.cubin"), 90);
  fatbin.insert(fatbin.end(), second.begin(), second.end());
  const FileBytes program = program_with(fatbin);
  const auto kernels = read_kernels(Bytes(program));
  EXPECT_EQ(architectures(kernels), (std::set<int>{75, 90}));
  const Kernel& kernel = find_kernel(kernels, "ffma_loop", 90);
  EXPECT_EQ(count_opcodes(kernel, innermost_loops(kernel).front()).at("FFMA"), 32);
}

TEST(Sass, PassesOverPtx) {
  const FileBytes program = program_with(fatbin_with({'p', 't', 'x'}, 90, 0x11, 1));
  EXPECT_TRUE(read_kernels(Bytes(program)).empty());
}

TEST(Sass, RefusesACompressedCubinAndNamesTheOption) {
  const FileBytes program =
      program_with(fatbin_with(test_data("ffma_loop_sm90.cubin"), 90, 0x8011));
  EXPECT_NE(error_of(program).find("--no-compress"), std::string::npos) << error_of(program);
}

TEST(Sass, RefusesAFatbinEntryThatLeavesItsContainer) {
  FileBytes fatbin = fatbin_with(test_data("ffma_loop_sm90.cubin"), 90);
  fatbin[16 + 8] ^= 1;
  EXPECT_NE(error_of(program_with(fatbin)).find("fatbin entry"), std::string::npos);
}

TEST(Sass, RefusesAnEntrySizeThatWouldWrapAround) {
  FileBytes fatbin = fatbin_with(test_data("ffma_loop_sm90.cubin"), 90);
  for (std::size_t i = 0; i < 8; ++i) {
    fatbin[16 + 8 + i] = 0xff;
  }
  EXPECT_NE(error_of(program_with(fatbin)).find("fatbin entry"), std::string::npos);
}

TEST(Sass, RefusesForeignBytesBetweenContainers) {
  FileBytes fatbin = fatbin_with(test_data("ffma_loop_sm90.cubin"), 90);
  fatbin.push_back(0x42);
  fatbin.insert(fatbin.end(), 15, 0);
  EXPECT_NE(error_of(program_with(fatbin)).find("no fatbin container"), std::string::npos);
}

TEST(Sass, RefusesWhatIsNoElf) {
  EXPECT_NE(error_of(FileBytes(100, 'x')).find("not a 64-bit"), std::string::npos);
  EXPECT_NE(error_of({}).find("ELF header"), std::string::npos);
}

TEST(Sass, AMissingFileIsNamed) {
  try {
    read_kernels(std::filesystem::path("/nonexistent/probe"));
    FAIL() << "no error";
  } catch (const SassError& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/probe"), std::string::npos);
  }
}

TEST(Sass, AKernelThatIsNotThereIsAnErrorThatListsWhatIs) {
  const auto kernels = read_kernels(data_path("ffma_loop_sm90.cubin"));
  EXPECT_THROW(find_kernel(kernels, "ffma_loop", 75), SassError);
  try {
    find_kernel(kernels, "dfma", 90);
    FAIL() << "no error";
  } catch (const SassError& error) {
    EXPECT_NE(std::string(error.what()).find("ffma_loop"), std::string::npos);
  }
}

TEST(Sass, AmbiguousNamesAreRefused) {
  auto kernels = read_kernels(data_path("ffma_loop_sm90.cubin"));
  kernels.push_back(kernels.front());
  EXPECT_THROW(find_kernel(kernels, "ffma_loop", 90), SassError);
}

TEST(Sass, OnlyTheInnermostLoopOfANestCounts) {
  // Two nested loops of NOPs with the sm_75 branch encoding: offset / 4 from bit 34 on.
  const auto branch = [](std::int64_t bytes) {
    const auto units = static_cast<std::uint64_t>(bytes / 4);
    return Instruction{0x7947U | (units << 34), (units >> 30) & 0x3ffff};
  };
  Kernel kernel{"nest", 75, std::vector<Instruction>(8, Instruction{0x918, 0})};
  kernel.code[4] = branch(-3 * 16);  // to 2
  kernel.code[6] = branch(-7 * 16);  // to 0
  kernel.code[7] = branch(-16);      // to itself
  EXPECT_EQ(innermost_loops(kernel), (std::vector<Loop>{{2, 4}}));
}

TEST(Sass, ABranchOutOfTheKernelIsAnError) {
  Kernel kernel{"wild", 75, {Instruction{0x7947U | (std::uint64_t{1000} << 34), 0}}};
  EXPECT_THROW(innermost_loops(kernel), SassError);
}

TEST(Opcodes, NamesDoNotDependOnWhereTheOperandsComeFrom) {
  for (const int form : {0x223, 0x423, 0x823, 0xa23, 0xc23}) {
    EXPECT_EQ(opcode_name(static_cast<std::uint16_t>(form)), "FFMA");
  }
  EXPECT_EQ(opcode_name(0x22b), "DFMA");
  EXPECT_EQ(opcode_name(0x23c), "HMMA");
  EXPECT_EQ(opcode_name(0x9f0), "HGMMA");
  EXPECT_EQ(opcode_name(0x981), "LDG");
  EXPECT_EQ(opcode_name(0x98e), "RED");
  EXPECT_EQ(opcode_name(0x7ff), "0x7ff");
}

}  // namespace
}  // namespace assay::sass
