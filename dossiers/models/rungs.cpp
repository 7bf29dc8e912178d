// SPDX-License-Identifier: Apache-2.0
// Which bandwidths and which peaks make up a device's roofline?
#include "dossiers/models/rungs.h"

#include <algorithm>
#include <stdexcept>

#include "dossiers/cli/nearest.h"

namespace assay {
namespace {

struct MemoryLevel {
  const char* name;
  std::vector<std::string> paths;
};

const std::vector<MemoryLevel>& memory_levels() {
  static const std::vector<MemoryLevel> levels = {
      {"DRAM", {"dram_bw.read", "dram_bw.write", "dram_bw.copy", "dram_bw.triad_16B"}},
      {"L2", {"l2_bw.read", "l2_bw.write"}},
      {"L1", {"l1_bw.read_4B", "l1_bw.read_8B", "l1_bw.read_16B"}}};
  return levels;
}

/// A tensor key's types: what stands after the path ("mma_sync_") in the dossier's names.
std::string_view types_of(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::fp32:
      return "";
    case Arithmetic::fp16:
      return "f16_f32";
    case Arithmetic::fp16_f16:
      return "f16_f16";
    case Arithmetic::bf16:
      return "bf16_f32";
    case Arithmetic::tf32:
      return "tf32_f32";
  }
  return "";
}

std::string_view basis_name(PeakBasis basis) {
  return basis == PeakBasis::vendor ? "vendor" : "derived";
}

}  // namespace

BestFact best_fact(const Dossier& dossier, const std::vector<std::string>& paths) {
  BestFact best;
  for (const std::string& path : paths) {
    const Fact* fact = dossier.find(path);
    const auto value = fact == nullptr ? std::nullopt : as_number(fact->value);
    if (value && *value > best.value) best = {path, *value};
  }
  return best;
}

std::vector<std::string> rate_paths(const Dossier& dossier, Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::fp32) return {"fma_f32"};
  std::vector<std::string> paths;
  const std::string types(types_of(arithmetic));
  const auto mma = dossier.entries.find("mma");
  if (mma != dossier.entries.end()) {
    for (const auto& [key, fact] : mma->second.facts) {
      // Variants (_zeros, _sparse, _emulated) end otherwise; "bf16_f32" ends in "f16_f32" too.
      for (const char* path : {"mma_sync_", "wgmma_", "tcgen05_"}) {
        if (key == path + types) paths.push_back("mma." + key);
      }
    }
  }
  paths.push_back("cublas." + types);
  return paths;
}

Rungs rungs_of_card(const Card& card, Arithmetic arithmetic, PeakBasis basis) {
  const Peak bandwidth = bandwidth_gbs(card, basis);
  const Peak peak = peak_tflops(card, arithmetic, basis);
  const std::string name(to_string(arithmetic));
  if (!bandwidth.value) {
    throw std::invalid_argument(card.key + ": bandwidth unknown: " + bandwidth.why);
  }
  if (!peak.value) {
    throw std::invalid_argument(card.key + ": no " + name + " peak: " + peak.why);
  }
  Rungs rungs;
  rungs.title = card.name;
  rungs.bandwidths = {{"DRAM", *bandwidth.value, std::string(basis_name(bandwidth.basis))}};
  rungs.peaks = {{name, *peak.value, std::string(basis_name(peak.basis))}};
  rungs.note = card.note;
  return rungs;
}

Rungs rungs_of_dossier(const Dossier& dossier) {
  Rungs rungs;
  rungs.title = dossier.device.name + ", measured";
  for (const MemoryLevel& level : memory_levels()) {
    const BestFact best = best_fact(dossier, level.paths);
    if (!best.path.empty())
      rungs.bandwidths.push_back({level.name, best.value, "measured, " + best.path});
  }
  for (const Arithmetic one : {Arithmetic::fp32, Arithmetic::fp16, Arithmetic::bf16,
                               Arithmetic::tf32, Arithmetic::fp16_f16}) {
    const BestFact best = best_fact(dossier, rate_paths(dossier, one));
    if (!best.path.empty()) {
      rungs.peaks.push_back({std::string(to_string(one)), best.value, "measured, " + best.path});
    }
  }
  if (rungs.bandwidths.empty() || rungs.bandwidths.front().name != "DRAM") {
    throw std::invalid_argument(
        "the dossier holds no measured dram_bw.{read,write,copy,triad_16B}");
  }
  if (rungs.peaks.empty()) {
    throw std::invalid_argument("the dossier holds no measured rate (fma_f32, mma.*, cublas.*)");
  }
  return rungs;
}

Roof roof_of(const Rungs& rungs, const std::string& peak) {
  std::vector<std::string> names;
  for (const Rung& rung : rungs.peaks) {
    if (peak.empty() || rung.name == peak) {
      return {rungs.title, rungs.bandwidths.front().value, rung.value};
    }
    names.push_back(rung.name);
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  throw std::invalid_argument("--dtype: no '" + peak + "' here; there are " + all);
}

}  // namespace assay
