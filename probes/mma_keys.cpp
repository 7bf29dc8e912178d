// SPDX-License-Identifier: Apache-2.0
#include "probes/mma_keys.h"

namespace assay {

namespace {

std::string shape_text(const MmaShape& shape) {
  std::string text("m");
  text += std::to_string(shape.m) + "n";
  text += std::to_string(shape.n) + "k";
  text += std::to_string(shape.k);
  return text;
}

std::string sparsity(MmaKind kind) {
  return kind == MmaKind::sparse ? " 2:4 sparse, counted as the dense product" : "";
}

}  // namespace

std::string mma_sync_key(MmaKind kind, int cc) {
  const bool emulated = cc >= mma_sync_least_cc(kind) && mma_sync_is_emulated(kind, cc);
  return std::string("mma_sync_") + name_of(kind) + (emulated ? "_emulated" : "");
}

std::string wgmma_key(MmaKind kind) {
  return std::string("wgmma_") + name_of(kind);
}

std::string mma_sync_text(MmaKind kind, int cc) {
  const bool emulated = cc >= mma_sync_least_cc(kind) && mma_sync_is_emulated(kind, cc);
  return "mma.sync " + shape_text(mma_sync_shape(kind, cc)) + sparsity(kind) +
         (emulated ? " taken apart by ptxas into conversions and f16 instructions" : "");
}

std::string wgmma_text(MmaKind kind) {
  return "wgmma " + shape_text(wgmma_shape(kind)) + sparsity(kind);
}

NullReason mma_sync_absence(MmaKind kind) {
  const int least = mma_sync_least_cc(kind);
  return {NullKind::not_supported, std::string(name_of(kind)) + " needs compute capability " +
                                       std::to_string(least / 10) + "." +
                                       std::to_string(least % 10)};
}

}  // namespace assay
