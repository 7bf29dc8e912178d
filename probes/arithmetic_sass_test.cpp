// SPDX-License-Identifier: Apache-2.0
// Do the arithmetic probes' loops hold exactly the instructions whose work they claim? Reads the
// programs that this build made, for every architecture of the build.
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
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

TEST(ArithmeticSass, Hfma2LoopsHoldWhatTheyClaim) {
  for (const int arch : built_architectures()) {
    SCOPED_TRACE("sm_" + std::to_string(arch));
    OpcodeCounts counts = sass::loop_opcodes(probe("fma"), "fma_loopINS_8HalfPair", arch, "HFMA2");
    // HFMA2.MMA, the same work on the other pipe: sm_80 and sm_90 alternate between the two.
    counts["HFMA2"] += count(counts, "0x235");
    counts.erase("0x235");
    expect_pure_loop(counts, "HFMA2", kFmaShape<HalfPair>.fmas_per_trip(), 5);
  }
}

TEST(ArithmeticSass, IntegerLoopsHoldWhatTheyClaim) {
  const std::pair<const char*, const char*> kernels[] = {
      {"IntegerOpE0", "IMAD"}, {"IntegerOpE1", "IADD3"}, {"IntegerOpE2", "LOP3"}};
  for (const int arch : built_architectures()) {
    for (const auto& [kernel, opcode] : kernels) {
      SCOPED_TRACE("sm_" + std::to_string(arch) + " " + opcode);
      OpcodeCounts counts = sass::loop_opcodes(probe("arithmetic"), kernel, arch, opcode);
      // Up to sm_89 the loop's own counter is an IADD3, too.
      if (std::string(opcode) == "IADD3" && arch < 90) {
        counts["IADD3"] -= 1;
      }
      expect_pure_loop(counts, opcode, kIntegerShape.fmas_per_trip(), 5);
    }
  }
}

std::string kernel_of(const std::string& name, MmaKind kind) {
  return name + "ILNS_7MmaKindE" + std::to_string(static_cast<int>(kind)) + "E";
}

/// The opcode of a kind's own mma.sync instruction.
std::string mma_opcode(MmaKind kind) {
  switch (kind) {
    case MmaKind::s8_s32:
      return "IMMA";
    case MmaKind::f64_f64:
      return "DMMA";
    case MmaKind::e4m3_f32:
      return "QMMA";
    default:
      return "HMMA";
  }
}

constexpr MmaKind kMmaKinds[] = {MmaKind::f16_f32,  MmaKind::tf32_f32, MmaKind::bf16_f32,
                                 MmaKind::f16_f16,  MmaKind::s8_s32,   MmaKind::f64_f64,
                                 MmaKind::e4m3_f32, MmaKind::sparse};
constexpr MmaKind kWgmmaKinds[] = {MmaKind::f16_f32, MmaKind::tf32_f32, MmaKind::bf16_f32,
                                   MmaKind::f16_f16, MmaKind::s8_s32,   MmaKind::e4m3_f32,
                                   MmaKind::sparse};

TEST(ArithmeticSass, MmaSyncLoopsHoldWhatTheyClaim) {
  for (const int arch : built_architectures()) {
    for (const MmaKind kind : kMmaKinds) {
      if (arch < mma_sync_least_cc(kind) || mma_sync_is_emulated(kind, arch)) {
        continue;
      }
      SCOPED_TRACE("sm_" + std::to_string(arch) + " " + name_of(kind));
      const std::string opcode = mma_opcode(kind);
      // On sm_89 an idle uniform instruction stands between two QMMA.
      expect_pure_loop(
          sass::loop_opcodes(probe("mma_sync"), kernel_of("mma_loop", kind), arch, opcode), opcode,
          mma_sync_per_trip(), opcode == "QMMA" ? 70 : 7);
    }
  }
}

TEST(ArithmeticSass, EmulatedE4m3IsTwoHmmaAndConversionsInsideTheLoopAndNoQmma) {
  int emulated = 0;
  for (const int arch : built_architectures()) {
    if (arch < mma_sync_least_cc(MmaKind::e4m3_f32) ||
        !mma_sync_is_emulated(MmaKind::e4m3_f32, arch)) {
      continue;
    }
    ++emulated;
    SCOPED_TRACE("sm_" + std::to_string(arch));
    const OpcodeCounts counts = sass::loop_opcodes(
        probe("mma_sync"), kernel_of("mma_loop", MmaKind::e4m3_f32), arch, "HMMA");
    EXPECT_EQ(count(counts, "QMMA"), 0);
    EXPECT_EQ(count(counts, "HMMA"), 2 * mma_sync_per_trip());
    EXPECT_GT(count(counts, "F2FP"), 0);
  }
  if (emulated == 0) {
    GTEST_SKIP() << "this build has no architecture that emulates e4m3";
  }
}

std::string wgmma_opcode(MmaKind kind) {
  switch (kind) {
    case MmaKind::s8_s32:
      return "IGMMA";
    case MmaKind::e4m3_f32:
      return "QGMMA";
    default:
      return "HGMMA";
  }
}

TEST(ArithmeticSass, WgmmaLoopsHoldWhatTheyClaimAndAreNotSerialized) {
  if (!built_for(90)) {
    GTEST_SKIP() << "this build has no code for sm_90";
  }
  for (const MmaKind kind : kWgmmaKinds) {
    SCOPED_TRACE(name_of(kind));
    const OpcodeCounts counts = sass::loop_opcodes(
        probe("mma_wgmma"), kernel_of("wgmma_loop", kind), 90, wgmma_opcode(kind));
    // Descriptors are put together in uniform registers between the instructions.
    expect_pure_loop(counts, wgmma_opcode(kind), kWgmmaPerTrip, 40);
    // One arrive and one wait. A wait after every wgmma is what ptxas does, with a remark only,
    // when it finds the accumulators in use between them.
    EXPECT_EQ(count(counts, "WARPGROUP"), 2);
  }
}

TEST(ArithmeticSass, TheTileChecksUseTheRateProbesInstructions) {
  for (const int arch : built_architectures()) {
    for (const MmaKind kind : kMmaKinds) {
      if (arch < mma_sync_least_cc(kind)) {
        continue;
      }
      SCOPED_TRACE("sm_" + std::to_string(arch) + " " + name_of(kind));
      const bool emulated = mma_sync_is_emulated(kind, arch);
      const std::string opcode = emulated ? "HMMA" : mma_opcode(kind);
      const OpcodeCounts counts =
          sass::loop_opcodes(probe("mma_tile"), kernel_of("mma_tile", kind), arch, opcode);
      EXPECT_EQ(count(counts, opcode), (emulated ? 2 : 1) * kMmaBlocksM * kMmaBlocksN);
    }
  }
  for (const MmaKind kind : kWgmmaKinds) {
    if (built_for(90)) {
      SCOPED_TRACE(name_of(kind));
      const OpcodeCounts counts = sass::loop_opcodes(
          probe("mma_tile_wgmma"), kernel_of("wgmma_tile", kind), 90, wgmma_opcode(kind));
      EXPECT_EQ(count(counts, wgmma_opcode(kind)), kWgmmaPerTrip);
    }
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
