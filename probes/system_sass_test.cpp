// SPDX-License-Identifier: Apache-2.0
// Do the loops of the occupancy, power, memory-health, transfer and peer probes hold what they
// claim? Reads the programs that this build made, for every architecture of the build.
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "probes/fma_chain.h"
#include "probes/sass/sass.h"

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

int count(const OpcodeCounts& counts, const std::string& opcode) {
  const auto found = counts.find(opcode);
  return found == counts.end() ? 0 : found->second;
}

int count_in_kernel(const std::string& program, const std::string& kernel, int arch,
                    const std::string& opcode) {
  const auto kernels = sass::read_kernels(probe(program));
  int times = 0;
  for (const auto& instruction : sass::find_kernel(kernels, kernel, arch).code) {
    times += sass::opcode_name(instruction.opcode()) == opcode ? 1 : 0;
  }
  return times;
}

TEST(SystemSass, TheChainIsAllOfItsLoopAndTouchesNoMemory) {
  for (const int arch : built_architectures()) {
    for (const char* program : {"occupancy", "power"}) {
      SCOPED_TRACE(std::string(program) + " sm_" + std::to_string(arch));
      const OpcodeCounts counts = sass::loop_opcodes(probe(program), "fma_chain", arch, "FFMA");
      EXPECT_EQ(count(counts, "FFMA"), chain_shape(32).fmas_per_trip());
      int others = 0;
      for (const auto& [name, times] : counts) {
        others += name == "FFMA" || name == "NOP" ? 0 : times;
      }
      EXPECT_LE(others, 5);
      EXPECT_EQ(count(counts, "LDG") + count(counts, "STG") + count(counts, "LDL"), 0);
    }
  }
}

TEST(SystemSass, AMemorySweepLoadsAndStoresEachVectorOnce) {
  for (const int arch : built_architectures()) {
    SCOPED_TRACE("sm_" + std::to_string(arch));
    const OpcodeCounts counts =
        sass::loop_opcodes(probe("memory_health"), "sweep_kernelILb1ELb1E", arch, "LDG");
    EXPECT_GE(count(counts, "LDG"), 1);
    EXPECT_EQ(count(counts, "LDG"), count(counts, "STG"));
  }
}

TEST(SystemSass, ReadsAndCopiesKeepAllTheirLoads) {
  for (const int arch : built_architectures()) {
    SCOPED_TRACE("sm_" + std::to_string(arch));
    EXPECT_EQ(count_in_kernel("transfer", "read_host", arch, "LDG"), 4);
    EXPECT_EQ(count_in_kernel("peers", "copy_tiles", arch, "LDG"), 4);
    EXPECT_EQ(count_in_kernel("peers", "copy_tiles", arch, "STG"), 4);
  }
}

}  // namespace
}  // namespace assay
