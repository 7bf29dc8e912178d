// SPDX-License-Identifier: Apache-2.0
// Does a cubin say the same resources as the ptxas that made it?
#include "probes/sass/resources.h"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "probes/sass/test_files.h"

namespace assay::sass {
namespace {

KernelResources kernel(const FileBytes& file, const std::string& name) {
  for (const KernelResources& one : read_resources(Bytes(file))) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no kernel " + name);
}

TEST(SassResources, AreWhatPtxasSaid) {
  for (const int arch : {80, 90}) {
    const FileBytes cubin = test_data("resources_sm" + std::to_string(arch) + ".cubin");
    const KernelResources scale = kernel(cubin, "scale");
    EXPECT_EQ(scale.arch, arch);
    EXPECT_EQ(scale.registers, 8);
    EXPECT_EQ(scale.barriers, 1);
    EXPECT_EQ(scale.smem_static, 1024) << "without the driver's reserve";
    EXPECT_EQ(scale.max_threads, 256);
    const KernelResources bars = kernel(cubin, "bars");
    EXPECT_EQ(bars.registers, arch == 80 ? 12 : 14);
    EXPECT_EQ(bars.barriers, 6);
    EXPECT_EQ(bars.smem_static, 0);
    EXPECT_EQ(bars.max_threads, std::nullopt);
  }
}

TEST(SassResources, AreReadThroughAProgramsFatbin) {
  const FileBytes program = program_with(fatbin_with(test_data("resources_sm90.cubin"), 90));
  EXPECT_EQ(kernel(program, "scale").registers, 8);
}

TEST(SassResources, ACutOffCubinIsRefused) {
  FileBytes cubin = test_data("resources_sm90.cubin");
  cubin.resize(cubin.size() / 2);
  EXPECT_THROW(read_resources(Bytes(cubin)), SassError);
}

}  // namespace
}  // namespace assay::sass
