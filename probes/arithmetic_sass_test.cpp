// SPDX-License-Identifier: Apache-2.0
// Do the arithmetic probes' loops hold exactly the instructions whose work they claim? Reads the
// programs that this build made, for every architecture of the build.
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "probes/fma_shape.h"
#include "probes/mma_shape.h"
#include "probes/sass/sass.h"
#include "probes/sass/test_files.h"

namespace assay {
namespace {

using sass::OpcodeCounts;

std::filesystem::path probe(const std::string& name) {
  return std::filesystem::path(ASSAY_TEST_PROBE_DIR) / name;
}

std::vector<int> built_architectures() {
  std::istringstream list(ASSAY_TEST_ARCHITECTURES);
  std::vector<int> archs;
  for (std::string arch; std::getline(list, arch, ',');) {
    archs.push_back(std::stoi(arch));
  }
  return archs;
}

bool built_for(int arch) {
  for (const int built : built_architectures()) {
    if (built == arch) {
      return true;
    }
  }
  return false;
}

int count(const OpcodeCounts& counts, const std::string& opcode) {
  const auto found = counts.find(opcode);
  return found == counts.end() ? 0 : found->second;
}

/// The loop holds `claimed` times `opcode`, next to nothing else, and touches no memory. Waiting
/// (NOP) is left out: some architectures pad their slow instructions with it.
void expect_pure_loop(const OpcodeCounts& counts, const std::string& opcode, int claimed,
                      int most_others) {
  EXPECT_EQ(count(counts, opcode), claimed);
  int others = 0;
  std::string listing;
  for (const auto& [name, times] : counts) {
    listing += name + "=" + std::to_string(times) + " ";
    others += name == opcode || name == "NOP" ? 0 : times;
  }
  EXPECT_LE(others, most_others) << listing;
  for (const char* memory : {"LDL", "STL", "LDG", "STG", "LDS", "STS"}) {
    EXPECT_EQ(count(counts, memory), 0) << listing;
  }
}

TEST(ArithmeticSass, FfmaLoopsHoldWhatTheyClaim) {
  for (const int arch : built_architectures()) {
    SCOPED_TRACE("sm_" + std::to_string(arch));
    expect_pure_loop(sass::loop_opcodes(probe("fma"), "fma_loopIf", arch, "FFMA"), "FFMA",
                     kFmaShape<float>.fmas_per_trip(), 5);
  }
}

TEST(ArithmeticSass, DfmaLoopsHoldWhatTheyClaim) {
  for (const int arch : built_architectures()) {
    SCOPED_TRACE("sm_" + std::to_string(arch));
    expect_pure_loop(sass::loop_opcodes(probe("fma"), "fma_loopId", arch, "DFMA"), "DFMA",
                     kFmaShape<double>.fmas_per_trip(), 5);
  }
}

TEST(ArithmeticSass, MmaSyncLoopsHoldWhatTheyClaimInF16) {
  for (const int arch : built_architectures()) {
    SCOPED_TRACE("sm_" + std::to_string(arch));
    expect_pure_loop(
        sass::loop_opcodes(probe("mma_sync"), "mma_loopILNS_8MmaInputE0", arch, "HMMA"), "HMMA",
        mma_sync_per_trip(), 5);
  }
}

TEST(ArithmeticSass, MmaSyncLoopsHoldWhatTheyClaimInTf32) {
  for (const int arch : built_architectures()) {
    if (arch < 80) {
      continue;
    }
    SCOPED_TRACE("sm_" + std::to_string(arch));
    expect_pure_loop(
        sass::loop_opcodes(probe("mma_sync"), "mma_loopILNS_8MmaInputE1", arch, "HMMA"), "HMMA",
        mma_sync_per_trip(), 5);
  }
}

TEST(ArithmeticSass, WgmmaLoopsHoldWhatTheyClaimAndAreNotSerialized) {
  if (!built_for(90)) {
    GTEST_SKIP() << "this build has no code for sm_90";
  }
  for (const char* input : {"0", "1"}) {
    const OpcodeCounts counts = sass::loop_opcodes(
        probe("mma_wgmma"), std::string("wgmma_loopILNS_8MmaInputE") + input, 90, "HGMMA");
    // Descriptors are put together in uniform registers between the instructions.
    expect_pure_loop(counts, "HGMMA", wgmma_per_trip(), 40);
    // One arrive and one wait. A wait after every wgmma is what ptxas does, with a remark only,
    // when it finds the accumulators in use between them.
    EXPECT_EQ(count(counts, "WARPGROUP"), 2);
  }
}

TEST(ArithmeticSass, TheTileChecksUseTheRateProbesInstructions) {
  for (const int arch : built_architectures()) {
    SCOPED_TRACE("sm_" + std::to_string(arch));
    const OpcodeCounts counts =
        sass::loop_opcodes(probe("mma_tile"), "mma_tileILNS_8MmaInputE0", arch, "HMMA");
    EXPECT_EQ(count(counts, "HMMA"), kMmaBlocksM * kMmaBlocksN);
  }
  if (built_for(90)) {
    const OpcodeCounts counts =
        sass::loop_opcodes(probe("mma_tile_wgmma"), "wgmma_tileILNS_8MmaInputE0", 90, "HGMMA");
    EXPECT_EQ(count(counts, "HGMMA"), wgmma_per_trip());
  }
}

TEST(ArithmeticSass, ThousandsOfDamagedCopiesOfTheProbesCodeAreReadOrRefused) {
  const sass::FileBytes file = sass::read_file(probe("mma_tile"));
  for (const sass::Section& section : sass::read_elf(sass::Bytes(file)).sections) {
    if (section.name == ".nv_fatbin") {
      const sass::FileBytes program =
          sass::program_with({section.bytes.begin(), section.bytes.end()});
      ASSERT_TRUE(sass::survives(program));
      EXPECT_GT(sass::refused_of_mutations(program, 4000), 100);
      return;
    }
  }
  FAIL() << "the probe has no .nv_fatbin";
}

}  // namespace
}  // namespace assay
