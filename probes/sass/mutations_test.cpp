// SPDX-License-Identifier: Apache-2.0
// Can a damaged file make the reader do anything but throw SassError? Run under the sanitizers too.
#include <cstddef>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "probes/sass/sass.h"
#include "probes/sass/test_files.h"

namespace assay::sass {
namespace {

/// Everything the reader offers, over one file. Returns false when it refused.
bool survives(const FileBytes& file) {
  try {
    for (const Kernel& kernel : read_kernels(Bytes(file))) {
      for (const Loop& loop : innermost_loops(kernel)) {
        static_cast<void>(count_opcodes(kernel, loop));
      }
    }
    return true;
  } catch (const SassError&) {
    return false;
  }
}

/// A few random bytes changed, half of them within the structures at the start and at the end
/// where the tables lie; one file in four is cut short.
FileBytes mutated(const FileBytes& original, std::mt19937_64& random) {
  FileBytes file = original;
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t changes = 1 + below(8);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t window = std::min<std::size_t>(file.size(), 256);
    const std::size_t places[] = {below(window), file.size() - 1 - below(window),
                                  below(file.size()), below(file.size())};
    constexpr std::uint8_t kEdges[] = {0x00, 0xff, 0x7f, 0x80};
    const auto byte = below(2) == 0 ? kEdges[below(4)] : static_cast<std::uint8_t>(random());
    file[places[below(4)]] = byte;
  }
  if (below(4) == 0) {
    file.resize(below(file.size()));
  }
  return file;
}

int refused_of_mutations(const FileBytes& original, int count) {
  std::mt19937_64 random(20261129);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    refused += survives(mutated(original, random)) ? 0 : 1;
  }
  return refused;
}

TEST(SassMutations, TenThousandDamagedProgramsAreReadOrRefused) {
  const FileBytes program = program_with(fatbin_with(test_data("ffma_loop_sm90.cubin"), 90));
  ASSERT_TRUE(survives(program));
  EXPECT_GT(refused_of_mutations(program, 10000), 1000);
}

TEST(SassMutations, TenThousandDamagedCubinsAreReadOrRefused) {
  const FileBytes cubin = test_data("ffma_loop_sm75.cubin");
  ASSERT_TRUE(survives(cubin));
  EXPECT_GT(refused_of_mutations(cubin, 10000), 1000);
}

TEST(SassMutations, EveryTruncationIsRefused) {
  const FileBytes program = program_with(fatbin_with(test_data("ffma_loop_sm90.cubin"), 90));
  for (std::size_t size = 0; size < program.size(); ++size) {
    EXPECT_FALSE(survives({program.begin(), program.begin() + static_cast<std::ptrdiff_t>(size)}))
        << "cut to " << size << " bytes";
  }
}

}  // namespace
}  // namespace assay::sass
