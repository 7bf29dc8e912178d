// SPDX-License-Identifier: Apache-2.0
// What follows from a card's figures?
#include "dossiers/cards/card.h"

#include <charconv>
#include <map>

#include "dossiers/cli/table.h"

namespace assay {
namespace {

using F = CardFigures;

constexpr std::array<std::string_view, 5> kArithmeticNames = {"fp32", "fp16", "fp16-f16", "bf16",
                                                              "tf32"};

const Figure& tensor_clock(const Card& card) {
  const F& figures = card.figures;
  return figures.tensor_mhz.value ? figures.tensor_mhz : figures.boost_mhz;
}

/// units * FLOP/clock/unit * MHz = 1e6 FLOP/s.
std::optional<double> tflops(const Figure& units, const Figure& per_clock, const Figure& mhz) {
  if (!units.value || !per_clock.value || !mhz.value) return std::nullopt;
  return *units.value * *per_clock.value * *mhz.value * 1e-6;
}

/// Whether `stated` is `derived` with fewer digits: 8.1 is 8.1408, 3350 is not 3352.3.
bool is_rounded(double stated, double derived) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), stated);
  const std::string_view digits(text.data(), static_cast<std::size_t>(end.ptr - text.data()));
  const std::size_t point = digits.find('.');
  const auto decimals =
      point == std::string_view::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  return fixed(derived, decimals) == fixed(stated, decimals);
}

Peak choose(const Figure& stated, std::optional<double> derived, PeakBasis basis) {
  if (basis == PeakBasis::vendor && stated.value) {
    const bool same = derived && is_rounded(*stated.value, *derived);
    return {same ? derived : stated.value, PeakBasis::vendor, {}};
  }
  if (derived) return {derived, PeakBasis::derived, {}};
  return {std::nullopt, basis, stated.why.empty() ? "clock or width not recorded" : stated.why};
}

}  // namespace

const std::array<FigureField, 18> kFigureFields = {{
    {"units", "count", &F::units, 1, 512},
    {"boost_mhz", "MHz", &F::boost_mhz, 300, 5000},
    {"tensor_mhz", "MHz", &F::tensor_mhz, 300, 5000},
    {"bus_bits", "bit", &F::bus_bits, 32, 16384},
    {"pin_gbps", "Gbit/s per pin", &F::pin_gbps, 0.5, 64},
    {"memory_gib", "GiB", &F::memory_gib, 1, 1024},
    {"tdp_w", "W", &F::tdp_w, 5, 3000},
    {"l2_mb", "MB", &F::l2_mb, 0.25, 512},
    {"fp32_per_clock", "FLOP/clk/unit", &F::fp32_per_clock, 64, 1024},
    {"fp16_f16_per_clock", "FLOP/clk/unit", &F::fp16_f16_per_clock, 128, 32768},
    {"fp16_f32_per_clock", "FLOP/clk/unit", &F::fp16_f32_per_clock, 128, 32768},
    {"bandwidth_gbs", "GB/s", &F::bandwidth_gbs, 20, 50000},
    {"fp32_tflops", "TFLOP/s", &F::fp32_tflops, 0.5, 1000},
    {"fp16_f16_tflops", "TFLOP/s", &F::fp16_f16_tflops, 1, 20000},
    {"fp16_f32_tflops", "TFLOP/s", &F::fp16_f32_tflops, 1, 20000},
    {"bf16_f32_tflops", "TFLOP/s", &F::bf16_f32_tflops, 1, 20000},
    {"tf32_f32_tflops", "TFLOP/s", &F::tf32_f32_tflops, 0.5, 10000},
    {"bf16_f32_sparse_tflops", "TFLOP/s", &F::bf16_f32_sparse_tflops, 2, 40000},
}};

std::string_view to_string(Provenance provenance) {
  switch (provenance) {
    case Provenance::checked:
      return "checked";
    case Provenance::recalled:
      return "recalled";
    case Provenance::back_solved:
      return "back_solved";
    case Provenance::follows:
      return "follows";
  }
  return "unknown";
}

std::string_view to_string(Arithmetic arithmetic) {
  return kArithmeticNames.at(static_cast<std::size_t>(arithmetic));
}

std::optional<Arithmetic> arithmetic_from(std::string_view name) {
  for (std::size_t i = 0; i < kArithmeticNames.size(); ++i) {
    if (kArithmeticNames.at(i) == name) return static_cast<Arithmetic>(i);
  }
  return std::nullopt;
}

const Figure& stated_tflops(const Card& card, Arithmetic arithmetic) {
  const F& figures = card.figures;
  switch (arithmetic) {
    case Arithmetic::fp32:
      return figures.fp32_tflops;
    case Arithmetic::fp16:
      return figures.fp16_f32_tflops;
    case Arithmetic::fp16_f16:
      return figures.fp16_f16_tflops;
    case Arithmetic::bf16:
      return figures.bf16_f32_tflops;
    case Arithmetic::tf32:
      return figures.tf32_f32_tflops;
  }
  return figures.fp32_tflops;
}

std::optional<double> derived_bandwidth_gbs(const Card& card) {
  const F& figures = card.figures;
  constexpr double kBitsPerByte = 8.0;
  if (!figures.bus_bits.value || !figures.pin_gbps.value) return std::nullopt;
  return *figures.bus_bits.value * *figures.pin_gbps.value / kBitsPerByte;
}

std::optional<double> derived_tflops(const Card& card, Arithmetic arithmetic) {
  const F& figures = card.figures;
  if (arithmetic == Arithmetic::fp32) {
    return tflops(figures.units, figures.fp32_per_clock, figures.boost_mhz);
  }
  if (arithmetic == Arithmetic::fp16_f16) {
    return tflops(figures.units, figures.fp16_f16_per_clock, tensor_clock(card));
  }
  const auto fp16 = tflops(figures.units, figures.fp16_f32_per_clock, tensor_clock(card));
  if (!fp16 || arithmetic == Arithmetic::fp16) return fp16;
  if (!stated_tflops(card, arithmetic).value) return std::nullopt;  // the card may not have it
  return arithmetic == Arithmetic::tf32 ? *fp16 / 2.0 : *fp16;
}

Peak bandwidth_gbs(const Card& card, PeakBasis basis) {
  return choose(card.figures.bandwidth_gbs, derived_bandwidth_gbs(card), basis);
}

Peak peak_tflops(const Card& card, Arithmetic arithmetic, PeakBasis basis) {
  return choose(stated_tflops(card, arithmetic), derived_tflops(card, arithmetic), basis);
}

std::optional<double> fp32_per_clock_of(const std::string& compute_capability) {
  static const std::map<std::string, double> lanes = {
      {"5.0", 128},  {"5.2", 128},  {"5.3", 128},  {"6.0", 64},  {"6.1", 128},
      {"6.2", 128},  {"7.0", 64},   {"7.2", 64},   {"7.5", 64},  {"8.0", 64},
      {"8.6", 128},  {"8.7", 128},  {"8.9", 128},  {"9.0", 128}, {"10.0", 128},
      {"10.3", 128}, {"11.0", 128}, {"12.0", 128}, {"12.1", 128}};
  const auto found = lanes.find(compute_capability);
  if (found == lanes.end()) return std::nullopt;
  return 2.0 * found->second;
}

}  // namespace assay
