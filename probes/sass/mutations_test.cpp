// SPDX-License-Identifier: Apache-2.0
// Can a damaged file make the reader do anything but throw SassError? Run under the sanitizers too.
#include <cstddef>

#include <gtest/gtest.h>

#include "probes/sass/test_files.h"

namespace assay::sass {
namespace {

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
