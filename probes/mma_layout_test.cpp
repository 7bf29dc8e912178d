// SPDX-License-Identifier: Apache-2.0
// Do the fragment layouts say what the PTX ISA says, and would a swapped register be noticed?
#include "probes/mma_layout.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr int kLanes = 32;
constexpr std::uint32_t kSeed = 7;

/// `shape.k` is what a row of A stores: a sparse B is longer.
struct Case {
  MmaKind kind;
  MmaShape shape;
  int per_register;
  int elements_a() const { return shape.m * shape.k / kLanes; }
  int elements_b() const { return shape.k * shape.n / kLanes; }
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {MmaKind::f16_f32, {16, 8, 16}, 2}, {MmaKind::f16_f32, {16, 8, 8}, 2},
      {MmaKind::tf32_f32, {16, 8, 8}, 1}, {MmaKind::bf16_f32, {16, 8, 16}, 2},
      {MmaKind::s8_s32, {16, 8, 32}, 4},  {MmaKind::f64_f64, {16, 8, 16}, 1},
      {MmaKind::f64_f64, {8, 8, 4}, 1},   {MmaKind::e4m3_f32, {16, 8, 32}, 4}};
  return all;
}

/// A lane's registers, as integers: [lane][element].
using Fragments = std::vector<std::vector<int>>;

Fragments load(int elements, const std::function<int(int lane, int e)>& value) {
  Fragments fragments(kLanes, std::vector<int>(static_cast<std::size_t>(elements)));
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < elements; ++e) {
      fragments[lane][e] = value(lane, e);
    }
  }
  return fragments;
}

/// Exchanges two registers in every lane.
void swap_registers(Fragments& fragments, int first, int second, int per_register) {
  for (auto& lane : fragments) {
    for (int i = 0; i < per_register; ++i) {
      std::swap(lane[first * per_register + i], lane[second * per_register + i]);
    }
  }
}

/// Wrong elements of D when the instruction multiplies these fragments.
int wrong_elements(const Case& c, const Fragments& a, const Fragments& b) {
  std::vector<std::vector<int>> rows(c.shape.m, std::vector<int>(c.shape.k));
  std::vector<std::vector<int>> cols(c.shape.k, std::vector<int>(c.shape.n));
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < c.elements_a(); ++e) {
      const Position at = mma_a_position(c.kind, lane, e);
      rows[at.row][at.col] = a[lane][e];
    }
    for (int e = 0; e < c.elements_b(); ++e) {
      const Position at = mma_b_position(c.kind, lane, e);
      cols[at.row][at.col] = b[lane][e];
    }
  }
  int wrong = 0;
  const TileGeometry tile{.m = c.shape.m, .n = c.shape.n, .k = c.shape.k};
  for (int row = 0; row < c.shape.m; ++row) {
    for (int col = 0; col < c.shape.n; ++col) {
      std::int64_t sum = 0;
      for (int k = 0; k < c.shape.k; ++k) {
        sum += std::int64_t{rows[row][k]} * cols[k][col];
      }
      wrong += sum == tile_reference(tile, kSeed, 0, row, col) ? 0 : 1;
    }
  }
  return wrong;
}

Fragments operand_a(const Case& c) {
  return load(c.elements_a(), [&c](int lane, int e) {
    const Position at = mma_a_position(c.kind, lane, e);
    return tile_value(8, kSeed, 0, 0, at.row, at.col);
  });
}

Fragments operand_b(const Case& c) {
  return load(c.elements_b(), [&c](int lane, int e) {
    const Position at = mma_b_position(c.kind, lane, e);
    return tile_value(8, kSeed, 0, 1, at.row, at.col);
  });
}

TEST(MmaLayout, EveryElementHasExactlyOneHolder) {
  for (const Case& c : cases()) {
    std::set<std::pair<int, int>> a, b, d;
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int e = 0; e < c.elements_a(); ++e) {
        const Position at = mma_a_position(c.kind, lane, e);
        EXPECT_TRUE(at.row < c.shape.m && at.col < c.shape.k);
        a.emplace(at.row, at.col);
      }
      for (int e = 0; e < c.elements_b(); ++e) {
        const Position at = mma_b_position(c.kind, lane, e);
        EXPECT_TRUE(at.row < c.shape.k && at.col < c.shape.n);
        b.emplace(at.row, at.col);
      }
      for (int e = 0; e < c.shape.m * c.shape.n / kLanes; ++e) {
        const Position at = mma_d_position(lane, e);
        d.emplace(at.row, at.col);
      }
    }
    EXPECT_EQ(a.size(), static_cast<std::size_t>(c.shape.m * c.shape.k));
    EXPECT_EQ(b.size(), static_cast<std::size_t>(c.shape.k * c.shape.n));
    EXPECT_EQ(d.size(), static_cast<std::size_t>(c.shape.m * c.shape.n));
  }
}

TEST(MmaLayout, AgreesWithTheIsasFiguresForLaneFive) {
  // Lane 5: group 1, thread 1 of its group.
  EXPECT_EQ(mma_a_position(MmaKind::f16_f32, 5, 0), (Position{1, 2}));
  EXPECT_EQ(mma_a_position(MmaKind::f16_f32, 5, 1), (Position{1, 3}));
  EXPECT_EQ(mma_a_position(MmaKind::f16_f32, 5, 2), (Position{9, 2}));
  EXPECT_EQ(mma_a_position(MmaKind::f16_f32, 5, 4), (Position{1, 10}));
  EXPECT_EQ(mma_a_position(MmaKind::f16_f32, 5, 7), (Position{9, 11}));
  EXPECT_EQ(mma_b_position(MmaKind::f16_f32, 5, 1), (Position{3, 1}));
  EXPECT_EQ(mma_b_position(MmaKind::f16_f32, 5, 2), (Position{10, 1}));
  EXPECT_EQ(mma_a_position(MmaKind::tf32_f32, 5, 1), (Position{9, 1}));
  EXPECT_EQ(mma_a_position(MmaKind::tf32_f32, 5, 2), (Position{1, 5}));
  EXPECT_EQ(mma_b_position(MmaKind::tf32_f32, 5, 1), (Position{5, 1}));
  EXPECT_EQ(mma_d_position(5, 1), (Position{1, 3}));
  EXPECT_EQ(mma_d_position(5, 2), (Position{9, 2}));
}

TEST(MmaLayout, FragmentsReproduceTheReference) {
  for (const Case& c : cases()) {
    EXPECT_EQ(wrong_elements(c, operand_a(c), operand_b(c)), 0);
  }
}

TEST(MmaLayout, SwappingAnyTwoRegistersOfAIsNoticed) {
  for (const Case& c : cases()) {
    const int registers = c.elements_a() / c.per_register;
    for (int first = 0; first < registers; ++first) {
      for (int second = first + 1; second < registers; ++second) {
        Fragments a = operand_a(c);
        swap_registers(a, first, second, c.per_register);
        EXPECT_GT(wrong_elements(c, a, operand_b(c)), c.shape.m * c.shape.n / 3)
            << first << " and " << second;
      }
    }
  }
}

TEST(MmaLayout, SwappingTwoRegistersOfBIsNoticed) {
  for (const Case& c : cases()) {
    if (c.elements_b() / c.per_register < 2) {
      continue;
    }
    Fragments b = operand_b(c);
    swap_registers(b, 0, 1, c.per_register);
    EXPECT_GT(wrong_elements(c, operand_a(c), b), c.shape.m * c.shape.n / 3);
  }
}

TEST(MmaLayout, OneWrongOperandSpoilsItsWholeRow) {
  const Case& c = cases().front();
  Fragments a = operand_a(c);
  a[0][0] += 1;
  int nonzero = 0;
  for (int col = 0; col < c.shape.n; ++col) {
    nonzero += tile_value(8, kSeed, 0, 1, 0, col) != 0 ? 1 : 0;
  }
  EXPECT_EQ(wrong_elements(c, a, operand_b(c)), nonzero);
}

TEST(MmaLayout, AgreesWithTheIsasFiguresForLaneFiveInEightBits) {
  EXPECT_EQ(mma_a_position(MmaKind::s8_s32, 5, 3), (Position{1, 7}));
  EXPECT_EQ(mma_a_position(MmaKind::s8_s32, 5, 4), (Position{9, 4}));
  EXPECT_EQ(mma_a_position(MmaKind::s8_s32, 5, 8), (Position{1, 20}));
  EXPECT_EQ(mma_a_position(MmaKind::e4m3_f32, 5, 15), (Position{9, 23}));
  EXPECT_EQ(mma_b_position(MmaKind::s8_s32, 5, 3), (Position{7, 1}));
  EXPECT_EQ(mma_b_position(MmaKind::e4m3_f32, 5, 4), (Position{20, 1}));
}

TEST(MmaLayout, AgreesWithTheIsasFiguresForLaneFiveInF64) {
  EXPECT_EQ(mma_a_position(MmaKind::f64_f64, 5, 0), (Position{1, 1}));
  EXPECT_EQ(mma_a_position(MmaKind::f64_f64, 5, 1), (Position{9, 1}));
  EXPECT_EQ(mma_a_position(MmaKind::f64_f64, 5, 7), (Position{9, 13}));
  EXPECT_EQ(mma_b_position(MmaKind::f64_f64, 5, 3), (Position{13, 1}));
}

TEST(MmaLayout, ASparseBHasEveryElementOnce) {
  std::set<std::pair<int, int>> b;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < 8; ++e) {
      const Position at = mma_b_position(MmaKind::sparse, lane, e);
      EXPECT_TRUE(at.row < 32 && at.col < 8);
      b.emplace(at.row, at.col);
    }
  }
  EXPECT_EQ(b.size(), 256U);
}

TEST(SparseMetadata, NamesTwoElementsOfEachFourInRisingOrder) {
  EXPECT_EQ(sparse_metadata(0, 1), 0x44444444U);
  EXPECT_EQ(sparse_metadata(2, 3), 0xEEEEEEEEU);
  EXPECT_EQ(kOddElements, 0xDDDDDDDDU);
  EXPECT_EQ(odd_element(0), 1);
  EXPECT_EQ(odd_element(1), 3);
  EXPECT_EQ(odd_element(15), 31);
}

TEST(WgmmaLayout, AWarpHoldsItsSixteenRowsOfARegisterOperandOfA) {
  std::set<std::pair<int, int>> seen;
  for (int thread = 0; thread < 128; ++thread) {
    for (int e = 0; e < 8; ++e) {
      const Position at = wgmma_a_position(thread, e);
      EXPECT_EQ(at.row / 16, thread / 32);
      EXPECT_TRUE(at.col >= 0 && at.col < 16);
      seen.emplace(at.row, at.col);
    }
  }
  EXPECT_EQ(seen.size(), 64U * 16U);
}

TEST(WgmmaLayout, EveryAccumulatorHasExactlyOneHolder) {
  std::set<std::pair<int, int>> seen;
  for (int thread = 0; thread < 128; ++thread) {
    for (int e = 0; e < 128; ++e) {
      const Position at = wgmma_d_position(thread, e);
      EXPECT_TRUE(at.row >= 0 && at.row < 64 && at.col >= 0 && at.col < 256);
      seen.emplace(at.row, at.col);
    }
  }
  EXPECT_EQ(seen.size(), 64U * 256U);
}

TEST(WgmmaLayout, AgreesWithTheIsasFigureForThread37) {
  // Warp 1, lane 5: row 16 + 1, columns from 2 on.
  EXPECT_EQ(wgmma_d_position(37, 0), (Position{17, 2}));
  EXPECT_EQ(wgmma_d_position(37, 1), (Position{17, 3}));
  EXPECT_EQ(wgmma_d_position(37, 2), (Position{25, 2}));
  EXPECT_EQ(wgmma_d_position(37, 4), (Position{17, 10}));
  EXPECT_EQ(wgmma_d_position(37, 127), (Position{25, 251}));
}

TEST(WgmmaLayout, SwappingTwoAccumulatorsOfAThreadIsNoticed) {
  const TileGeometry tile{.m = kWgmmaRowsA, .n = kWgmmaRowsB, .k = 64};
  int same = 0;
  for (int e = 0; e + 1 < 128; ++e) {
    const Position one = wgmma_d_position(37, e), other = wgmma_d_position(37, e + 1);
    same += tile_reference(tile, kSeed, 0, one.row, one.col) ==
                    tile_reference(tile, kSeed, 0, other.row, other.col)
                ? 1
                : 0;
  }
  EXPECT_LT(same, 8);
}

TEST(WgmmaLayout, TheSwizzleMovesChunksWithinTheirRowAndNothingElse) {
  std::set<int> seen;
  for (int row = 0; row < 64; ++row) {
    for (int byte = 0; byte < kWgmmaRowBytes; ++byte) {
      const int at = swizzled_offset(row, byte);
      EXPECT_EQ(at / kWgmmaRowBytes, row);
      EXPECT_EQ(at % 16, byte % 16);
      seen.insert(at);
    }
  }
  EXPECT_EQ(seen.size(), 64U * kWgmmaRowBytes);
  EXPECT_EQ(swizzled_offset(0, 32), 32);
  EXPECT_EQ(swizzled_offset(3, 0), 3 * 128 + 48);
  EXPECT_EQ(swizzled_offset(9, 16), 9 * 128);
}

TEST(TileValue, IsUniformOverSeventeenIntegers) {
  std::array<int, 17> counts{};
  for (int row = 0; row < 128; ++row) {
    for (int col = 0; col < 128; ++col) {
      const int value = tile_value(8, kSeed, 3, 0, row, col);
      ASSERT_GE(value, -8);
      ASSERT_LE(value, 8);
      ++counts[static_cast<std::size_t>(value + 8)];
    }
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 128 * 128 / 17, 150);
  }
}

TEST(TileValue, DiffersBetweenSeedsTilesAndMatrices) {
  int same_seed = 0, same_tile = 0, same_matrix = 0;
  for (int i = 0; i < 1000; ++i) {
    const int value = tile_value(8, 1, 1, 0, i, 2);
    same_seed += value == tile_value(8, 2, 1, 0, i, 2) ? 1 : 0;
    same_tile += value == tile_value(8, 1, 2, 0, i, 2) ? 1 : 0;
    same_matrix += value == tile_value(8, 1, 1, 1, i, 2) ? 1 : 0;
  }
  EXPECT_LT(same_seed, 120);
  EXPECT_LT(same_tile, 120);
  EXPECT_LT(same_matrix, 120);
}

/// Integers up to this are exact in the kind's accumulator.
std::int64_t exact_to(MmaKind kind) {
  switch (kind) {
    case MmaKind::f16_f16:
      return 1 << 11;
    case MmaKind::s8_s32:
      return std::int64_t{1} << 31;
    case MmaKind::f64_f64:
      return std::int64_t{1} << 53;
    case MmaKind::e4m3_f32:
      return 1 << 14;  // what Hopper's fp8 path keeps
    default:
      return 1 << 24;
  }
}

TEST(TileReference, StaysExactInEveryAccumulator) {
  for (const MmaKind kind :
       {MmaKind::f16_f32, MmaKind::tf32_f32, MmaKind::bf16_f32, MmaKind::f16_f16, MmaKind::s8_s32,
        MmaKind::f64_f64, MmaKind::e4m3_f32, MmaKind::sparse}) {
    const std::int64_t square = std::int64_t{tile_largest(kind)} * tile_largest(kind);
    const int steps = 16 * mma_sync_shape(kind, 90).k;  // of mma.sync's tiles
    EXPECT_LT(steps * square, exact_to(kind)) << name_of(kind);
    if (kind != MmaKind::f64_f64) {
      EXPECT_LT(3 * wgmma_depth(kind) * square, exact_to(kind)) << name_of(kind);
    }
  }
}

TEST(TileReference, LeavesEvenElementsOutOfASparseProduct) {
  const TileGeometry tile{.m = 16, .n = 8, .k = 4, .odd_k_only = true};
  const auto term = [](int k) {
    return tile_value(8, kSeed, 0, 0, 3, k) * tile_value(8, kSeed, 0, 1, k, 5);
  };
  EXPECT_EQ(tile_reference(tile, kSeed, 0, 3, 5), term(1) + term(3));
}

TEST(TileReference, DoesNotOverflowAnIntOverF64sTiles) {
  const TileGeometry tile{.m = 16, .n = 8, .k = 256, .largest = 1 << 20};
  std::int64_t most = 0;
  for (int row = 0; row < 16; ++row) {
    most = std::max(most, std::abs(tile_reference(tile, kSeed, 0, row, 1)));
  }
  EXPECT_GT(most, std::int64_t{1} << 40);
}

TEST(TileReference, RepeatsMultiplyTheProduct) {
  const TileGeometry once{.m = 16, .n = 8, .k = 16};
  const TileGeometry thrice{.m = 16, .n = 8, .k = 16, .repeats = 3};
  EXPECT_EQ(3 * tile_reference(once, 5, 6, 7, 2), tile_reference(thrice, 5, 6, 7, 2));
}

}  // namespace
}  // namespace assay
