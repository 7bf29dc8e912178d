// SPDX-License-Identifier: Apache-2.0
#include "probes/gemm_plan.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(CublasCandidates, AreTheNewestFirstAndThePathThatWasGivenAlone) {
  unsetenv("ASSAY_LIBCUBLAS");
  const auto all = cublas_candidates();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0], "libcublasLt.so.13");
  EXPECT_EQ(all[3], "/usr/local/cuda/lib64/libcublasLt.so.12");
  setenv("ASSAY_LIBCUBLAS", "/opt/libcublasLt.so.13", 1);
  EXPECT_EQ(cublas_candidates(), (std::vector<std::string>{"/opt/libcublasLt.so.13"}));
  unsetenv("ASSAY_LIBCUBLAS");
}

TEST(GemmPlan, CountsAMultiplicationAndAnAdditionPerTerm) {
  EXPECT_EQ(gemm_flops(1), 2.0);
  EXPECT_EQ(gemm_flops(8192), 1099511627776.0);
}

TEST(GemmPlan, CountsBothOperandsAndTheResult) {
  EXPECT_EQ(gemm_bytes({8192, 1, 4}, 1024), 6u << 20);
  EXPECT_EQ(gemm_bytes({8192, 8, 8}, 65536), std::uint64_t{24} << 32) << "beyond 32 bits";
}

TEST(GemmPlan, TakesTheLargestSideThatFitsIntoAQuarterOfTheFreeMemory) {
  const GemmSize f16{8192, 2, 2};
  EXPECT_EQ(fitting_side(f16, std::uint64_t{100} << 30), 8192);
  EXPECT_EQ(fitting_side(f16, std::uint64_t{4} * 384 << 20), 8192) << "just";
  EXPECT_EQ(fitting_side(f16, (std::uint64_t{4} * 384 << 20) - 1), 4096);
  EXPECT_FALSE(fitting_side(f16, 1 << 20));
}

TEST(GemmPlan, HalvesTheSideForASlowDevice) {
  EXPECT_EQ(timely_side(8192, 2e-3, 8e-3), 8192);
  EXPECT_EQ(timely_side(8192, 20e-3, 8e-3), 4096);
  EXPECT_EQ(timely_side(4096, 0.45, 8e-3), 1024);
  EXPECT_EQ(timely_side(1024, 10.0, 8e-3), 1024);
}

TEST(GemmPlan, ReadsTheLibrarysNumber) {
  EXPECT_EQ(cublas_version_text(130100), "13.1.0");
  EXPECT_EQ(cublas_version_text(120805), "12.8.5");
}

}  // namespace
}  // namespace assay
