// SPDX-License-Identifier: Apache-2.0
// What can this device really do, beside what its vendor says?
#include "dossiers/models/ceiling.h"

#include <algorithm>

#include "dossiers/models/rungs.h"
#include "dossiers/peaks.h"

namespace assay {
namespace {

struct Wanted {
  const char* name;
  const char* path;
};
constexpr Wanted kDram[] = {{"DRAM, read", "dram_bw.read"},
                            {"DRAM, write", "dram_bw.write"},
                            {"DRAM, copy", "dram_bw.copy"},
                            {"DRAM, triad", "dram_bw.triad_16B"}};
constexpr Wanted kOnChip[] = {{"L2, read", "l2_bw.read"},
                              {"L1, read", "l1_bw.read_16B"},
                              {"shared memory, read", "smem_bw.read_16B"}};

/// A row with what the dossier says at `path`.
CeilingRow row_of(const Dossier& dossier, const std::string& name, const std::string& path,
                  const std::string& units) {
  CeilingRow row;
  row.name = name;
  row.units = units;
  row.fact = path;
  const Fact* fact = dossier.find(path);
  if (fact != nullptr) row.measured = as_number(fact->value);
  if (row.measured) return row;
  row.why =
      fact != nullptr && fact->reason ? to_string(*fact->reason) : "the dossier has no such fact";
  return row;
}

void fill_percentages(CeilingRow& row) {
  row.percent_of_vendor = percent_of_peak(row.measured, row.vendor);
  row.percent_of_driver = percent_of_peak(row.measured, row.driver);
  row.percent_at_clock = percent_of_peak(row.measured, row.at_clock);
}

/// What the card's rate per clock gives at the clock that was held, in TFLOP/s.
std::optional<double> at_clock(const Card& card, Arithmetic arithmetic, const Fact& fact) {
  const CardFigures& figures = card.figures;
  const Figure& clock = arithmetic == Arithmetic::fp32 || !figures.tensor_mhz.value
                            ? figures.boost_mhz
                            : figures.tensor_mhz;
  const auto peak = derived_tflops(card, arithmetic);
  constexpr double kMhzPerGhz = 1000.0;
  if (!peak || !clock.value || !fact.clock_ghz) return std::nullopt;
  return *peak * *fact.clock_ghz * kMhzPerGhz / *clock.value;
}

CeilingRow rate_row(const Dossier& dossier, const Card* card, Arithmetic arithmetic,
                    const std::string& name, const std::string& path) {
  CeilingRow row = row_of(dossier, name, path, "TFLOP/s");
  if (card != nullptr) {
    row.vendor = stated_tflops(*card, arithmetic).value;
    const Fact* fact = dossier.find(path);
    if (fact != nullptr) row.at_clock = at_clock(*card, arithmetic, *fact);
  }
  fill_percentages(row);
  return row;
}

void add_bandwidths(Ceiling& ceiling, const Dossier& dossier, const Card* card) {
  const Fact* peak = dossier.find("device.dram_peak_gbs");
  for (const Wanted& wanted : kDram) {
    CeilingRow row = row_of(dossier, wanted.name, wanted.path, "GB/s");
    if (card != nullptr) row.vendor = card->figures.bandwidth_gbs.value;
    if (peak != nullptr) row.driver = as_number(peak->value);
    fill_percentages(row);
    ceiling.rows.push_back(row);
  }
  for (const Wanted& wanted : kOnChip) {
    ceiling.rows.push_back(row_of(dossier, wanted.name, wanted.path, "GB/s"));
  }
}

void add_rates(Ceiling& ceiling, const Dossier& dossier, const Card* card) {
  ceiling.rows.push_back(rate_row(dossier, card, Arithmetic::fp32, "FP32 FMA", "fma_f32"));
  ceiling.rows.push_back(row_of(dossier, "FP64 FMA", "fma_f64", "TFLOP/s"));
  for (const auto& [name, arithmetic] : {std::pair{"FP16", Arithmetic::fp16},
                                         {"BF16", Arithmetic::bf16},
                                         {"TF32", Arithmetic::tf32}}) {
    const auto paths = rate_paths(dossier, arithmetic);
    const std::vector<std::string> tensor(paths.begin(), paths.end() - 1);
    const std::string best = best_fact(dossier, tensor).path;
    ceiling.rows.push_back(rate_row(dossier, card, arithmetic, std::string(name) + " tensor",
                                    best.empty() ? "mma" : best));
    ceiling.rows.push_back(
        rate_row(dossier, card, arithmetic, std::string(name) + " cuBLAS", paths.back()));
  }
}

}  // namespace

Ceiling ceiling_of(const Dossier& dossier, const Card* card, const std::string& why) {
  Ceiling ceiling;
  ceiling.device = dossier.device.name;
  ceiling.run_id = dossier.run_id;
  ceiling.utc = dossier.created_utc;
  ceiling.recorded = dossier.redacted;
  if (card != nullptr) ceiling.vendor_card = card->key;
  ceiling.vendor_why = why;
  add_bandwidths(ceiling, dossier, card);
  add_rates(ceiling, dossier, card);
  return ceiling;
}

}  // namespace assay
